#pragma once
// Predicts how long a schedule takes, without running it.

#include <array>
#include <cstddef>
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
};

/** One function at root with all that is computed in its loops. */
struct GroupCost {
    int root = 0;  // index into Schedule::functions
    Cost cost;
};

struct Prediction {
    Cost cost;
    std::vector<GroupCost> groups;  // producers first
};

class ScheduleFacts;
/** Of a function at root with what is computed in its loops. */
[[nodiscard]] Cost group_cost(ScheduleFacts& facts, int root);

/** Seconds of a legal schedule at the estimates, on `machine.parallelism` threads. */
[[nodiscard]] Prediction predict(const PipelineDag& dag, const Schedule& schedule,
                                 const Machine& machine);

}  // namespace nestor
