#pragma once
// Predicts how long a schedule takes, without running it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "schedule/schedule.h"

namespace nestor {

/** What time is spent on. */
enum class Term { Compute, Latency, Loops, L2, L3, Dram, Pages, Imbalance, Launch, Allocation };
constexpr std::size_t kTerms = 10;
[[nodiscard]] const char* name_of(Term term);

/** Seconds by term. */
struct Cost {
    std::array<double, kTerms> seconds{};

    [[nodiscard]] double& operator[](Term term) { return seconds[static_cast<std::size_t>(term)]; }
    [[nodiscard]] double operator[](Term term) const {
        return seconds[static_cast<std::size_t>(term)];
    }
    [[nodiscard]] double total() const;
    Cost& operator+=(const Cost& other);
    Cost& operator*=(double factor);
};

/** One function at root with all that is computed in its loops. */
struct GroupCost {
    int root = 0;       // index into Schedule::functions
    Cost cost;          // corrected, where there is a correction
    double factor = 1;  // of the correction, by which all terms are multiplied
};

struct Prediction {
    Cost cost;
    std::vector<GroupCost> groups;  // producers first
};

/** Of one allocation of a function, by its index. */
using AllocatedBytes = std::map<int, std::int64_t>;

/** What is known of a schedule's program. */
struct Lowered {
    AllocatedBytes allocated;
    /** How often the innermost rolled loops of a function's stage run in all. */
    std::map<std::pair<int, int>, double> runs;
};

class Correction;
class ScheduleFacts;
struct GroupWork;

/** What the nests of a group execute: its cost without what memory adds. */
struct GroupExecution {
    Cost cost;
    double threads = 1;
    double imbalance = 1;

    /** Seconds, no more than group_cost() of the same group has. */
    [[nodiscard]] double least() const;
};
/** `work`, if it is given, gets what the cost was made of. */
[[nodiscard]] GroupExecution group_execution(ScheduleFacts& facts, int root,
                                             GroupWork* work = nullptr);
/** Of a function at root with what is computed in its loops, not corrected. */
[[nodiscard]] Cost group_cost(ScheduleFacts& facts, int root, const GroupExecution& execution,
                              GroupWork* work = nullptr);
[[nodiscard]] Cost group_cost(ScheduleFacts& facts, int root, GroupWork* work = nullptr);
/** The same, corrected where there is a correction. */
[[nodiscard]] GroupCost corrected_group_cost(ScheduleFacts& facts, int root,
                                             const Correction* correction);

/** Seconds of a legal schedule at the estimates, on `machine.parallelism` threads. `correction`:
 * what was learned of the model's errors (correction.h); none: what the model says. `lowered`: what
 * is known by lowering; for the rest see ScheduleFacts. */
[[nodiscard]] Prediction predict(const PipelineDag& dag, const Schedule& schedule,
                                 const Machine& machine, const Correction* correction = nullptr,
                                 const Lowered& lowered = {});

}  // namespace nestor
