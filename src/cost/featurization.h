#pragma once
// What `-e featurization` writes: a table for people, and what the trainer learns from. Not the
// featurization of Adams2019.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cost/features.h"
#include "machine/machine.h"
#include "schedule/schedule.h"

namespace nestor {

/** Lines:
 *    nestor-featurization 2 algorithm=HASH schedule=HASH
 *    names of columns, then a line for each stage that is computed, separated by tabs
 *    groups COUNT schema=HASH
 *    a line for each group: its seconds by the analytic model, then a number for each feature
 * The groups are what of that machine a Correction can be fitted to; without a machine they are
 * left out. With one, `schedule` is a legal one. */
[[nodiscard]] std::string featurize(const PipelineDag& dag, const Schedule& schedule,
                                    const Machine* machine);

/** What is read back. */
struct Featurization {
    std::uint64_t algorithm = 0;
    std::uint64_t schedule = 0;
    GroupRows groups;
};

/** An Error for other text, for groups of other features than features(), and for none. */
[[nodiscard]] Result<Featurization> parse_featurization(std::string_view text);

}  // namespace nestor
