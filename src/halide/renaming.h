#pragma once
// Names of two programs side by side, for comparing the programs (halide/equivalence).

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "halide/halide.h"

namespace nestor {

/** A one-to-one map between the names of two programs, grown as they are compared. Can be taken
 * back to an earlier state, since some comparisons are tries. */
class Renaming {
  public:
    /** True if a and b may be the same thing as far as is known. */
    [[nodiscard]] bool allows(const std::string& a, const std::string& b) const {
        const auto forward = forward_.find(a);
        const auto backward = backward_.find(b);
        return (forward == forward_.end() || forward->second == b) &&
               (backward == backward_.end() || backward->second == a);
    }

    [[nodiscard]] bool knows(const std::string& a, const std::string& b) const {
        return forward_.contains(a) || backward_.contains(b);
    }

    [[nodiscard]] bool has(const std::string& a, const std::string& b) const {
        const auto forward = forward_.find(a);
        return forward != forward_.end() && forward->second == b;
    }

    /** Precondition: allowed. */
    void add(const std::string& a, const std::string& b) {
        if (!has(a, b)) {
            insert(a, b);
            log_.push_back({a, b, true});
        }
    }

    /** Forgets what a and b stand for, at the ends of their scope. */
    void forget(const std::string& a, const std::string& b) {
        if (const auto forward = forward_.find(a); forward != forward_.end()) {
            remove(a, forward->second);
        }
        if (const auto backward = backward_.find(b); backward != backward_.end()) {
            remove(backward->second, b);
        }
    }

    [[nodiscard]] std::size_t mark() const { return log_.size(); }

    void take_back(std::size_t mark) {
        while (log_.size() > mark) {
            const Change change = std::move(log_.back());
            log_.pop_back();
            if (change.added) {
                erase(change.a, change.b);
            } else {
                insert(change.a, change.b);
            }
        }
    }

    [[nodiscard]] std::string explain(const std::string& a, const std::string& b) const {
        const std::string here = ", here `" + a + "` is `" + b + "`";
        if (const auto forward = forward_.find(a);
            forward != forward_.end() && forward->second != b) {
            return "`" + a + "` was `" + forward->second + "`" + here;
        }
        const auto backward = backward_.find(b);
        return "`" + (backward == backward_.end() ? a : backward->second) + "` was `" + b + "`" +
               here;
    }

  private:
    struct Change {
        std::string a, b;
        bool added;
    };

    void insert(const std::string& a, const std::string& b) {
        forward_.emplace(a, b);
        backward_.emplace(b, a);
    }
    void erase(const std::string& a, const std::string& b) {
        forward_.erase(a);
        backward_.erase(b);
    }
    void remove(std::string a, std::string b) {  // by value: the arguments may live in the maps
        erase(a, b);
        log_.push_back({std::move(a), std::move(b), false});
    }

    std::unordered_map<std::string, std::string> forward_;
    std::unordered_map<std::string, std::string> backward_;
    std::vector<Change> log_;
};

/** What the lets around the present place bind. */
class Definitions {
  public:
    void bind(const std::string& name, const Halide::Expr& value) {
        Halide::Expr& slot = values_[name];
        shadowed_.emplace_back(name, slot);
        slot = value;
    }
    [[nodiscard]] std::size_t mark() const { return shadowed_.size(); }
    [[nodiscard]] const std::string& last() const { return shadowed_.back().first; }
    void unbind_last() {
        values_[shadowed_.back().first] = shadowed_.back().second;
        shadowed_.pop_back();
    }
    /** Undefined if no let binds it. */
    [[nodiscard]] Halide::Expr find(const std::string& name) const {
        const auto found = values_.find(name);
        return found == values_.end() ? Halide::Expr() : found->second;
    }

  private:
    std::unordered_map<std::string, Halide::Expr> values_;
    std::vector<std::pair<std::string, Halide::Expr>> shadowed_;
};

}  // namespace nestor
