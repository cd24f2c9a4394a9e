#include "search/simplify.h"

#include <gtest/gtest.h>

#include <utility>

#include "schedule/sample_dags.h"
#include "search/try_plans.h"

namespace nestor {
namespace {

/// blur_y with so many rows unrolled, and blur_x at root; an expression of so many nodes.
class Blur {
  public:
    explicit Blur(int nodes) : dag_(samples::blur()), machine_(avx2()) {
        for (Function& f : dag_.functions) {
            f.stages[0].expression_size = f.stages[0].distinct_nodes = nodes;
        }
    }

    [[nodiscard]] Found in_blocks(int rows) {
        Found found;
        found.plan = plain_plan(dag_, {true, false, false}, machine_);
        found.plan.functions[2].stages[0].block[1] = rows;
        found.schedule = build(dag_, found.plan);
        found.seconds = evaluator_.seconds(found.schedule);
        return found;
    }

    [[nodiscard]] Found simplified(Found found, const Limits& limits = no_limits()) {
        return simplify(builder_, evaluator_, std::move(found), {}, limits);
    }

    [[nodiscard]] std::int64_t code(const Found& found) const {
        return code_size(dag_, found.schedule);
    }

    [[nodiscard]] bool is_as_predicted(const Found& found) const {
        return found.schedule == build(dag_, found.plan) &&
               found.seconds == predict(dag_, found.schedule, machine_).cost.total();
    }

  private:
    PipelineDag dag_;
    Machine machine_;
    Evaluator evaluator_{dag_, machine_};
    Builder builder_{dag_, machine_};
};

TEST(Simplify, HalvesBlocksWhereTheirCodeIsWorthMore) {
    Blur blur(2000);
    const Found large = blur.in_blocks(64);
    const Found small = blur.simplified(large);
    EXPECT_LT(2 * blur.code(small), blur.code(large));
    EXPECT_LT(small.plan.functions[2].stages[0].block[1], 64);
    EXPECT_LT(small.seconds, 1.2 * large.seconds);
    EXPECT_GT(small.states, large.states);
    EXPECT_TRUE(blur.is_as_predicted(small));
    EXPECT_EQ(blur.simplified(small).plan, small.plan);
}

TEST(Simplify, LeavesAloneWhatIsSmall) {
    Blur blur(20);
    const Found found = blur.in_blocks(8);
    EXPECT_EQ(blur.simplified(found).plan, found.plan);
}

TEST(Simplify, StopsWhenTimeIsUp) {
    Blur blur(2000);
    const Found large = blur.in_blocks(64);
    EXPECT_EQ(blur.simplified(large, {0, std::int64_t{1} << 40U}).plan, large.plan);
}

}  // namespace
}  // namespace nestor
