#include "cases.h"

#include <utility>

#include "base/hash.h"
#include "halide/target_machine.h"
#include "schedule/legality.h"
#include "schedule/random_schedules.h"
#include "search/seeds.h"
#include "support/random_pipeline.h"

namespace nestor::testing {

namespace {

constexpr std::uint64_t kRandomPipelines = 50;
constexpr int kChanges = 60;  // enough to change each function of most pipelines

/// Long chains of stencils grow exponentially where they are inlined.
Schedule without_inlining(const PipelineDag& dag, Schedule schedule) {
    for (FunctionSchedule& function : schedule.functions) {
        if (function.compute.kind != Level::Kind::At) {
            const Level before = std::exchange(function.compute, Level::root());
            if (!check_legality(dag, schedule).empty()) {
                function.compute = before;
            }
        }
    }
    return schedule;
}

}  // namespace

std::vector<PrintedCase> printed_cases() {
    std::vector<TestPipeline> pipelines = all_awkward_pipelines();
    for (std::uint64_t seed = 1; seed <= kRandomPipelines; seed++) {
        pipelines.push_back(random_pipeline(seed));
        pipelines.back().name = "fuzz_" + std::to_string(seed);
    }
    std::vector<PrintedCase> cases;
    for (const TestPipeline& pipeline : pipelines) {
        const std::uint64_t number = hash_bytes(pipeline.name);
        cases.push_back({pipeline.name + "_seed", pipeline, number, false});
        cases.push_back({pipeline.name + "_random", pipeline, number, true});
    }
    return cases;
}

Schedule schedule_of(const PrintedCase& test, const PipelineDag& dag,
                     const Halide::Target& target) {
    if (test.random) {
        const Schedule schedule = random_legal_schedule(dag, test.number, kChanges);
        return test.pipeline.build().expect.reference == ReferenceSchedule::AllRoot
                   ? without_inlining(dag, schedule)
                   : schedule;
    }
    std::vector<Seed> seeds = make_seeds(dag, machine_of(target));
    return seeds.empty() ? empty_schedule(dag) : seeds[test.number % seeds.size()].schedule;
}

std::map<std::string, ApplyBody>& printed_bodies() {
    static std::map<std::string, ApplyBody> bodies;
    return bodies;
}

}  // namespace nestor::testing
