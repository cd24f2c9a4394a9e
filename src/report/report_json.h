#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/report.h"

namespace nestor {

/** All of it, times in seconds; what is not known is null. docs/report.md has the members. */
[[nodiscard]] nlohmann::ordered_json to_json(const Report& report);

}  // namespace nestor
