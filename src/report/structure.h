#pragma once
// What schedules have in common that differ in numbers only.

#include <string>

#include "schedule/schedule.h"

namespace nestor {

/** Where functions are computed: "root: blur_y; in blur_y.yi: blur_x". What is not in it is
 * inlined. Precondition: the schedule fits the dag, as one of parse_json() does. */
[[nodiscard]] std::string structure_text(const PipelineDag& dag, const Schedule& schedule);

}  // namespace nestor
