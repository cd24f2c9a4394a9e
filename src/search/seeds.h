#pragma once
// Seeds: complete legal schedules built by rule, one idea each. Search starts from them; until
// there is a search, the cheapest by estimate (search/estimate.h) is the answer.

#include <string>
#include <vector>

#include "machine/machine.h"
#include "schedule/legality.h"
#include "schedule/schedule.h"

namespace nestor {

struct Seed {
    std::string name;
    Schedule schedule;
};

/** Every seed that applies to the pipeline, in the order of the table in seeds.cpp, without
 * repetitions. All pass check_legality(). */
[[nodiscard]] std::vector<Seed> make_seeds(const PipelineDag& dag, const Machine& machine,
                                           const Caps& caps = {});

}  // namespace nestor
