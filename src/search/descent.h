#pragma once
// Coordinate descent: from a plan to one that no single move improves, by predicted time.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cost/evaluator.h"
#include "schedule/legality.h"
#include "search/limits.h"
#include "search/plan.h"

namespace nestor {

struct Found {
    std::string name;  // of the plan that it began with
    Plan plan;
    Schedule schedule;
    double seconds = 0;  // predicted
    int states = 0;      // schedules that were looked at
};

/** Plans to begin with: one for each idea (everything at root, rows, small tiles, ...). */
struct Start {
    std::string name;
    Plan plan;
};
[[nodiscard]] std::vector<Start> make_starts(const PipelineDag& dag, const Machine& machine);

/** For pipelines with products, strips of columns from end to end: what all rows need of one can
 * stay in a cache. None for others, and for those with scans, which begin there anyway. */
[[nodiscard]] std::optional<Start> make_further_start(const PipelineDag& dag,
                                                      const Machine& machine);

/** Leaves out part of the space, to sample it: what a function may be is there with this chance in
 * percent, drawn from the seed, in all of a search. */
struct Dropout {
    int chance = 100;
    std::uint64_t seed = 0;

    [[nodiscard]] bool drops(int function, const FunctionPlan& plan) const;
};

/** Sees every schedule that is looked at, legal or not, with its predicted seconds. */
using Observer = std::function<void(const Schedule& schedule, double seconds)>;

/** What a descent knows at its end, for what goes on from there. */
struct Outcomes {
    // Of moves, by what they make of the functions that they change: the time that each led to when
    // it was last looked at, at least, for each second of the time before.
    std::unordered_map<std::uint64_t, double> of_moves;
    Plan settled;           // no move improves it
    bool of_joint = false;  // nor one of for_each_joint_block()
};

/** Takes the best move of each function in turn until none improves, or `limits` say stop. Only
 * legal schedules are found; none if the start itself is not legal. */
[[nodiscard]] std::optional<Found> descend(Builder& builder, Evaluator& evaluator,
                                           const Start& start, const Caps& caps,
                                           const Limits& limits, const Dropout& dropout = {},
                                           const Observer& observer = {},
                                           Outcomes* outcomes = nullptr);

/** Iterated local search (Lourenço, Martin, Stützle, "Iterated local search", 2003): changes two
 * decisions near each other at random, descends from there, and keeps what is better, until `work`
 * moves times functions were on offer, or nothing helps for long. Moves that were worse the last
 * time are left out until something better is found. `outcomes`: of the descents before, by the
 * same builder, or none. The same seed finds the same. */
[[nodiscard]] Found shake(Builder& builder, Evaluator& evaluator, Found found, const Caps& caps,
                          const Limits& limits, std::uint64_t seed, std::int64_t work,
                          const Dropout& dropout = {}, Outcomes* outcomes = nullptr);

/** As descend(), with for_each_finishing_move(), too. */
[[nodiscard]] Found finish(Builder& builder, Evaluator& evaluator, Found found, const Caps& caps,
                           const Limits& limits, const Dropout& dropout = {});

}  // namespace nestor
