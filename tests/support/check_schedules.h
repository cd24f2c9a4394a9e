// Many schedules of one pipeline, each verified, and run against the unscheduled pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "pipelines.h"
#include "search/search.h"

namespace nestor::testing {

struct SchedulesReport {
    std::string failure;  ///< empty if every accepted schedule computes what the reference does
    int accepted = 0;     ///< that the verifier let pass, and that were compiled, run and compared
    int refused = 0;      ///< that the verifier refused, and that no user would ever get
};

/// All that the search proposes, with limits that never stop it.
std::vector<Proposal> all_proposals(const PipelineDag& dag, const Machine& machine);

/// Adds each of them with circular buffers for all that slides, wherever Halide folds it or not.
void add_folded(const PipelineDag& dag, const Machine& machine, std::vector<Proposal>& proposals);

constexpr std::size_t kAllSeeds = std::numeric_limits<std::size_t>::max();

/// The search's best, and the seeds, which are what a user gets if that is refused: all, or as many
/// as said, which differ from pipeline to pipeline.
std::vector<Proposal> main_proposals(const PipelineDag& dag, const Machine& machine,
                                     std::size_t seeds = kAllSeeds);

/// Makes the schedules to try; each passes check_legality().
using MakeSchedules = std::function<std::vector<Proposal>(const PipelineDag&, const Machine&)>;

/// Reads the pipeline, makes the schedules, verifies each on a copy, and runs those that pass at
/// all sizes. They also go through JSON on the way.
SchedulesReport check_schedules(const TestPipeline& test, std::uint64_t seed,
                                const MakeSchedules& make);

}  // namespace nestor::testing
