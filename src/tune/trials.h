#pragma once
// The candidates of a task that were measured, in this run and before.

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "records/record.h"
#include "search/search.h"

namespace nestor {

struct Trial {
    Proposal proposal;       // without a schedule if it was refused after all; see Trials::refuse
    std::uint64_t hash = 0;  // of the schedule
    double seconds = 0;      // 0: it failed
};

class Trials {
  public:
    void add(Trial trial, const std::string& outcome);

    /** What is measured, but must not be used: it fails at other sizes. */
    void refuse(int trial);

    [[nodiscard]] bool knows(std::uint64_t hash) const { return known_.contains(hash); }
    [[nodiscard]] int count() const { return static_cast<int>(trials_.size()); }
    [[nodiscard]] const Trial& operator[](int i) const { return trials_[i]; }
    [[nodiscard]] const std::map<std::string, int>& failures() const { return failures_; }

    /** The fastest; -1: none was timed. */
    [[nodiscard]] int best() const;
    [[nodiscard]] double best_seconds() const;
    /** The trial after which the best time came within a hundredth of what it is now. */
    [[nodiscard]] int last_gain() const;
    /** Those that were timed, fastest first; at most so many. */
    [[nodiscard]] std::vector<int> fastest(int most) const;

  private:
    std::vector<Trial> trials_;
    std::unordered_set<std::uint64_t> known_;
    std::map<std::string, int> failures_;
};

}  // namespace nestor
