#include "search/move_set.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "machine/profiles.h"
#include "schedule/sample_dags.h"
#include "search/descent.h"
#include "search/moves.h"
#include "search/space.h"
#include "search/try_plans.h"

namespace nestor {
namespace {

TEST(MoveSet, LacksWhatIsNamed) {
    const Result<MoveSet> moves = moves_without("sliding+tiles");
    ASSERT_TRUE(moves);
    for (std::size_t i = 0; i < kMoveKinds; i++) {
        const auto kind = static_cast<MoveKind>(i);
        const bool named = name_of(kind) == "sliding" || name_of(kind) == "tiles";
        EXPECT_EQ(moves.value().has(kind), !named) << name_of(kind);
    }
    EXPECT_EQ(moves_without("").value(), MoveSet());
}

TEST(MoveSet, NamesAreDifferentAndListedWhereOneIsWrong) {
    const std::string error = moves_without("sliding+wombats").error();
    EXPECT_NE(error.find("`wombats`"), std::string::npos);
    std::set<std::string_view> different;
    for (const std::string_view name : names_of_moves()) {
        EXPECT_NE(error.find(name), std::string::npos) << name;
        EXPECT_TRUE(different.insert(name).second) << name;
        EXPECT_TRUE(moves_without(name)) << name;
    }
}

/// Neighbours of all starts, of all kinds but that one.
std::vector<Plan> neighbours(const PipelineDag& dag, const MoveSet& moves) {
    const Machine machine = avx2();
    Builder builder(dag, machine, moves);
    std::vector<Plan> plans;
    for (const Start& start : make_starts(dag, machine)) {
        for (int f = 0; f < std::ssize(dag.functions); f++) {
            const auto keep = [&](const Plan& plan) { plans.push_back(plan); };
            for_each_neighbour(builder, start.plan, f, keep);
            for_each_finishing_move(builder, start.plan, f, keep);
        }
    }
    return plans;
}

TEST(MoveSet, WithoutAKindTheOthersAreLeft) {
    std::set<std::string> fewer;
    for (const PipelineDag& dag : samples::all()) {
        const std::vector<Plan> all = neighbours(dag, {});
        for (std::size_t i = 0; i < kMoveKinds; i++) {
            MoveSet moves;
            moves.remove(static_cast<MoveKind>(i));
            const std::vector<Plan> left = neighbours(dag, moves);
            // In the same order.
            auto at = all.begin();
            for (const Plan& plan : left) {
                at = std::find(at, all.end(), plan);
                ASSERT_NE(at, all.end()) << name_of(static_cast<MoveKind>(i));
                ++at;
            }
            if (left.size() < all.size()) {
                fewer.emplace(name_of(static_cast<MoveKind>(i)));
            }
        }
    }
    for (const char* name : {"inlining", "loops", "sliding", "storage_order", "turns", "widths",
                             "vector_dims", "blocks", "loop_order", "tiles", "tasks"}) {
        EXPECT_TRUE(fewer.contains(name)) << name;
    }
}

TEST(MoveSet, VariantsAreOfAKindToo) {
    const Machine machine = avx2();
    std::size_t all = 0;
    std::size_t left = 0;
    const MoveSet none =
        moves_without("sums_in_parts+output_sums+transposed_copies+columns").value();
    for (const PipelineDag& dag : samples::all()) {
        all += make_spaces(dag, machine).size();
        left += make_spaces(dag, machine, none).size();
    }
    EXPECT_EQ(left, samples::all().size());
    EXPECT_GT(all, left);
}

}  // namespace
}  // namespace nestor
