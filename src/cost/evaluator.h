#pragma once
// Predicts many schedules of one pipeline: what they have in common is computed once.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <unordered_map>
#include <vector>

#include "cost/cost_model.h"
#include "cost/expansion.h"
#include "schedule/bounds.h"

namespace nestor {

class Evaluator {
  public:
    /** Keeps references. `correction`: see predict(). */
    Evaluator(const PipelineDag& dag, const Machine& machine,
              const Correction* correction = nullptr);

    static constexpr double kAny = std::numeric_limits<double>::infinity();

    /** Seconds of a legal schedule, as predict() has them, if they are less than `enough`; else a
     * number that is no less than that, and no more than they are. A group whose functions are
     * scheduled, and whose producers are inlined, as in a schedule before is not looked at again.
     */
    [[nodiscard]] double seconds(const Schedule& schedule, double enough = kAny);

  private:
    /** Of functions at root, and what is computed in their loops, by the hash of what decides it.
     */
    struct Missing {
        int root = 0;
        std::uint64_t key = 0;
    };

    void mark_reads(int function, const Placement& placement, std::vector<bool>& reads) const;
    [[nodiscard]] double add_missing(double known, double enough, ScheduleFacts& facts,
                                     const std::vector<Missing>& missing);

    static constexpr std::size_t kMemory = 1 << 18;  // bytes, enough for most schedules

    const Machine& machine_;
    const Correction* correction_;
    const PipelineDag usual_;
    const UnitedLoads loads_;
    const std::vector<int> consumers_first_;
    std::vector<std::vector<int>> producers_;  // [function]: what it loads, each once
    Expansions expansions_;
    std::unordered_map<std::uint64_t, double> groups_;
    std::vector<std::byte> memory_;
    std::pmr::monotonic_buffer_resource arena_;  // of what is known of one schedule
};

}  // namespace nestor
