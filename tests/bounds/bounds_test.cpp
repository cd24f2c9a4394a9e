// What schedule/bounds says about a schedule, against the allocations and the loops of the lowered
// program: mostly exact. Not always enough: Halide rounds circular buffers and tails up on the way
// from one function to the next, and takes unions of what several consumers need.

#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>

#include "halide/apply.h"
#include "halide/careful_call.h"
#include "halide/errors.h"
#include "halide/lower.h"
#include "halide/observe.h"
#include "halide/read_pipeline.h"
#include "halide/target_machine.h"
#include "schedule/bounds.h"
#include "schedule/loops.h"
#include "search/sample.h"
#include "search/search.h"
#include "search/seeds.h"
#include "support/isolate.h"
#include "support/random_pipeline.h"

namespace nestor::testing {
namespace {

constexpr double kLimitSeconds = 600;  // of a child that hangs, not of one that is slow
constexpr int kRandomPipelines = 60;
constexpr int kSamples = 3;

struct Count {
    int exact = 0;
    int larger = 0;   // than the truth: conservative
    int smaller = 0;  // than the truth

    [[nodiscard]] int all() const { return exact + larger + smaller; }
    void operator+=(const Count& other) {
        exact += other.exact;
        larger += other.larger;
        smaller += other.smaller;
    }
};

constexpr double kFarTooSmall = 4;  // times

class Comparison {
  public:
    explicit Comparison(const TestPipeline& test)
        : built_(test.build()), target_(target_of(built_)) {}

    /// "counts" and the numbers, allocations first; before, a line for all that is far too small.
    std::string run() {
        const Result<PipelineDag> dag = read_pipeline(built_.pipeline, target_);
        const Result<ResolvedCall> call = estimated_call(built_.pipeline, target_);
        if (!dag || !call) {
            return "not read";
        }
        for (const Seed& seed : make_seeds(dag.value(), machine_of(target_))) {
            compare(dag.value(), call.value(), seed.schedule, seed.name);
        }
        const Machine machine = machine_of(target_);
        const Caps caps = search_caps(dag.value(), machine, {});
        for (const Schedule& schedule :
             sample_schedules(dag.value(), machine, caps, kSamples, dag.value().algorithm_hash)) {
            compare(dag.value(), call.value(), schedule, "sampled");
        }
        out_ << "counts";
        for (const Count& count : {allocations_, loops_}) {
            out_ << " " << count.exact << " " << count.larger << " " << count.smaller;
        }
        return out_.str();
    }

  private:
    void compare(const PipelineDag& dag, const ResolvedCall& call, const Schedule& schedule,
                 const std::string& name) {
        const Halide::Pipeline copy = deep_copy(built_.pipeline);
        const Status applied =
            catching("refused", [&]() -> Status { return apply(copy, dag, schedule); });
        if (!applied) {
            return;
        }
        const Result<Halide::Internal::Stmt> lowered = lower(copy, target_);
        if (!lowered) {
            return;
        }
        const Observed observed = observe(lowered.value(), call);
        const ScheduledDag graph(dag, schedule);
        const Placement placement(*graph, schedule);
        Bounds bounds(placement);
        // Functions that the schedule derives have names that Halide makes up.
        for (int f = 0; f < static_cast<int>(dag.functions.size()); f++) {
            const Function& function = dag.functions[f];
            if (function.pinned || function.is_extern || placement.is_transparent(f)) {
                continue;
            }
            const std::string what = name + ": " + function.halide_name;
            if (!function.is_output) {
                judge(what, allocated_bytes(observed, function).value_or(0),
                      bounds.allocation_bytes(f), allocations_);
            }
            for (int s = 0; s < static_cast<int>(schedule.functions[f].stages.size()); s++) {
                // Loops that the schedule derives (parts of a reduction) are in its own graph only.
                compare_loops(what, observed, graph->functions[f], placement, bounds, {f, s});
            }
        }
    }

    void compare_loops(const std::string& what, const Observed& observed, const Function& f,
                       const Placement& placement, Bounds& bounds, std::pair<int, int> stage) {
        const std::vector<StageDim> dims = bounds.dims(stage.first, stage.second);
        const auto nests = placement.nests(stage.first, stage.second);
        for (const auto& [loop_text, count] : observed.iterations) {
            const std::string prefix = f.halide_name + ".s" + std::to_string(stage.second) + ".";
            if (!loop_text.starts_with(prefix)) {
                continue;
            }
            const std::string variable = loop_text.substr(loop_text.rfind('.') + 1);
            std::int64_t predicted = 0;
            for (const LoopNest* nest : nests) {
                for (const LoopRef loop : loop_order(*nest, dims)) {
                    const Loop& dim = f.stages.at(stage.second).loops.at(loop.dim);
                    if (variable == (loop.level == 0 ? dim.variable : loop_name(dims, loop))) {
                        predicted = std::max(predicted, loop_extent(*nest, dims, loop));
                    }
                }
            }
            if (predicted > 0) {
                judge(what + ", loop " + loop_text, count, predicted, loops_);
            }
        }
    }

    void judge(const std::string& what, std::int64_t truth, std::int64_t predicted, Count& count) {
        if (static_cast<double>(truth) > kFarTooSmall * static_cast<double>(predicted)) {
            out_ << what << ": " << predicted << " predicted, " << truth << " in the program\n";
        }
        if (truth > 0) {
            (truth == predicted ? count.exact : truth < predicted ? count.larger : count.smaller)++;
        }
    }

    BuiltPipeline built_;
    Halide::Target target_;
    Count allocations_, loops_;
    std::ostringstream out_;
};

std::vector<TestPipeline> cases() {
    std::vector<TestPipeline> pipelines = all_awkward_pipelines();
    for (std::uint64_t seed = 1; seed <= kRandomPipelines; seed++) {
        pipelines.push_back(random_pipeline(seed));
        pipelines.back().name = "fuzz_" + std::to_string(seed);
    }
    return pipelines;
}

class BoundsOf : public ::testing::TestWithParam<TestPipeline> {
  public:
    static void TearDownTestSuite() {
        for (const auto& [what, count] :
             {std::pair{"allocations", allocations_}, std::pair{"loops", loops_}}) {
            std::printf("%s: %d exact, %d too large, %d too small\n", what, count.exact,
                        count.larger, count.smaller);
        }
        EXPECT_GE(allocations_.exact, kExactAllocations * allocations_.all());
        EXPECT_LE(allocations_.smaller, kSmallerAllocations * allocations_.all());
        EXPECT_GE(loops_.exact, kExactLoops * loops_.all());
        EXPECT_LE(loops_.smaller, kSmallerLoops * loops_.all());
    }

  protected:
    static void add(const std::string& counts) {
        std::istringstream numbers(counts);
        Count allocations;
        Count loops;
        for (Count* count : {&allocations, &loops}) {
            numbers >> count->exact >> count->larger >> count->smaller;
        }
        allocations_ += allocations;
        loops_ += loops;
    }

  private:
    // Shares of all pipelines together, a little below what they are.
    static constexpr double kExactAllocations = 0.8;
    static constexpr double kSmallerAllocations = 0.06;
    static constexpr double kExactLoops = 0.7;
    static constexpr double kSmallerLoops = 0.01;

    static inline Count allocations_, loops_;
};

TEST_P(BoundsOf, AreNeverFarTooSmall) {
    const TestPipeline& test = GetParam();
    const IsolatedResult result = run_isolated(
        [&] {
            std::string answer;
            const Status status = catching("failed", [&]() -> Status {
                answer = Comparison(test).run();
                return Ok{};
            });
            return status ? answer : status.error();
        },
        kLimitSeconds);
    EXPECT_EQ(result.error, "");
    if (result.text != "not read") {
        const std::string begin = "counts ";
        ASSERT_TRUE(result.text.starts_with(begin)) << result.text;
        add(result.text.substr(begin.size()));
    }
}

INSTANTIATE_TEST_SUITE_P(Pipelines, BoundsOf, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace nestor::testing
