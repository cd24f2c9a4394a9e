#include "halide/phases.h"

#include <algorithm>
#include <numeric>

#include "halide/affine.h"

namespace nestor {

using namespace Halide;
using namespace Halide::Internal;

namespace {

constexpr std::int64_t kMostCombinations = 32;
constexpr std::size_t kMostPhases = 3;

class Finder : public IRGraphVisitor {
  public:
    Finder(const Estimates& estimates, const std::vector<Loop>& loops,
           const std::vector<bool>& constant)
        : estimates_(estimates), loops_(loops), constant_(constant) {
        periods_.assign(loops.size(), 1);
        whole_.assign(loops.size(), false);
    }

    std::vector<Phase> phases() {
        std::vector<Phase> found;
        for (std::size_t l = 0; l < loops_.size(); l++) {
            const auto loop = static_cast<int>(l);
            if (whole_[l]) {
                found.push_back({loop, static_cast<int>(loops_[l].range.extent), true});
            } else if (periods_[l] > 1 && periods_[l] <= kLongestPeriod) {
                found.push_back({loop, static_cast<int>(periods_[l]), false});
            }
        }
        std::ranges::stable_sort(found, {}, &Phase::period);
        std::vector<Phase> kept;
        std::int64_t combinations = 1;
        for (const Phase& phase : found) {
            combinations *= phase.period;
            if (kept.size() < kMostPhases && combinations <= kMostCombinations) {
                kept.push_back(phase);
            }
        }
        return kept;
    }

  protected:
    using IRGraphVisitor::visit;

    void visit(const Mod* op) override {
        divided(op->a, op->b);
        IRGraphVisitor::visit(op);
    }
    void visit(const Div* op) override {
        divided(op->a, op->b);
        IRGraphVisitor::visit(op);
    }
    void visit(const EQ* op) override { compared(op); }
    void visit(const NE* op) override { compared(op); }
    void visit(const LT* op) override { compared(op); }
    void visit(const LE* op) override { compared(op); }
    void visit(const GT* op) override { compared(op); }
    void visit(const GE* op) override { compared(op); }
    void visit(const Call* op) override {
        if (op->is_intrinsic(Call::mux)) {
            chosen_by(op->args[0]);
        }
        IRGraphVisitor::visit(op);
    }

  private:
    [[nodiscard]] Coordinate coordinate(const Expr& e) const {
        return affine_coordinate(estimates_.substitute(e), loops_);
    }

    void divided(const Expr& a, const Expr& b) {
        const std::optional<std::int64_t> modulus = as_const_int(b);
        if (!modulus || *modulus < 2 || !a.type().is_int_or_uint()) {
            return;
        }
        const Coordinate at = coordinate(a);
        if (!at.affine || at.clamped) {
            return;
        }
        for (std::size_t l = 0; l < loops_.size(); l++) {
            const auto rate = static_cast<std::int64_t>(std::abs(at.rates[l]));
            if (static_cast<double>(rate) != std::abs(at.rates[l]) ||
                (loops_[l].is_reduction() && rate % *modulus != 0)) {
                return;
            }
        }
        for (std::size_t l = 0; l < loops_.size(); l++) {
            const auto rate = static_cast<std::int64_t>(std::abs(at.rates[l]));
            if (rate != 0 && !loops_[l].is_reduction()) {
                periods_[l] = std::lcm(periods_[l], *modulus / std::gcd(*modulus, rate));
            }
        }
    }

    template <class Op>
    void compared(const Op* op) {
        if (is_const(op->b)) {
            chosen_by(op->a);
        } else if (is_const(op->a)) {
            chosen_by(op->b);
        }
        IRGraphVisitor::visit(op);
    }

    // By the point along one short dimension, or the step of a short reduction.
    void chosen_by(const Expr& e) {
        if (!e.type().is_int_or_uint()) {
            return;
        }
        const Coordinate at = coordinate(e);
        if (!at.affine || at.clamped) {
            return;
        }
        int along = -1;
        for (std::size_t l = 0; l < loops_.size(); l++) {
            if (at.rates[l] != 0) {
                if (along >= 0 || !constant_[l]) {
                    return;
                }
                along = static_cast<int>(l);
            }
        }
        if (along >= 0 && loops_[along].range.extent <= kLongestWhole &&
            loops_[along].range.extent > 1) {
            whole_[along] = true;
        }
    }

    const Estimates& estimates_;
    const std::vector<Loop>& loops_;
    const std::vector<bool>& constant_;
    std::vector<std::int64_t> periods_;
    std::vector<bool> whole_;
};

}  // namespace

std::vector<Phase> find_phases(const Estimates& estimates, const std::vector<Expr>& values,
                               const std::vector<Loop>& loops, const std::vector<bool>& constant) {
    Finder finder(estimates, loops, constant);
    for (const Expr& value : values) {
        value.accept(&finder);
    }
    return finder.phases();
}

std::vector<std::vector<Expr>> in_phases(const std::vector<Expr>& values,
                                         const std::vector<Loop>& loops,
                                         const std::vector<Phase>& phases) {
    std::vector<std::map<std::string, Expr>> points(1);
    for (const Phase& phase : phases) {
        const Loop& loop = loops[phase.loop];
        const Expr variable = Variable::make(Int(32), loop.variable);
        std::vector<std::map<std::string, Expr>> more;
        for (const std::map<std::string, Expr>& point : points) {
            for (int i = 0; i < phase.period; i++) {
                more.push_back(point);
                more.back()[loop.variable] = phase.whole
                                                 ? Expr(static_cast<int>(loop.range.min) + i)
                                                 : variable * phase.period + i;
            }
        }
        points = std::move(more);
    }
    std::vector<std::vector<Expr>> result;
    for (const std::map<std::string, Expr>& point : points) {
        std::vector<Expr>& here = result.emplace_back();
        for (const Expr& value : values) {
            here.push_back(simplify(substitute(point, value)));
        }
    }
    return result;
}

}  // namespace nestor
