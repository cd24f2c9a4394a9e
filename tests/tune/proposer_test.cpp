#include "tune/proposer.h"

#include <gtest/gtest.h>

#include <set>

#include "cost/cost_model.h"
#include "machine/profiles.h"
#include "schedule/print.h"
#include "schedule/sample_dags.h"

namespace nestor {
namespace {

// What is found for machines that are drawn is still predicted for the one that it is tuned on: the
// process compares these predictions with those of all other trials.
TEST(Proposer, SamplesArePredictedForTheMachineOfTheTask) {
    const PipelineDag dag = samples::zoo();
    TuneTask task;
    task.machine = shipped_profile(InstructionSet::X86Avx2);
    task.machine.parallelism = 4;
    Proposer proposer(task, dag, 1);
    const Trials none;
    std::set<std::uint64_t> different;
    for (std::uint64_t seed = 1; seed <= 6; seed++) {
        for (const Proposal& each : proposer.sampled(seed, none)) {
            different.insert(hash(each.schedule, dag));
            EXPECT_DOUBLE_EQ(each.seconds, predict(dag, each.schedule, task.machine).cost.total())
                << each.name;
            EXPECT_TRUE(each.lineage && proposer.explorer().is_legal(each)) << each.name;
        }
    }
    EXPECT_GT(different.size(), 1U);
}

}  // namespace
}  // namespace nestor
