#include "halide/regions.h"

#include <algorithm>
#include <optional>

namespace nestor {

using namespace Halide;
using namespace Halide::Internal;

namespace {

using Region = std::vector<Range>;

// Where nothing bounds an access: large enough to dwarf honest extents, small enough to multiply.
constexpr std::int64_t kUnboundedExtent = 1 << 16;

class RegionAnalysis {
  public:
    RegionAnalysis(const PipelineParts& parts, const Estimates& estimates)
        : parts_(parts), estimates_(estimates) {
        std::vector<std::string> order;
        std::map<std::string, HalideFunction> functions;
        for (const HalideFunction& f : parts.order) {
            order.push_back(f.name());
            functions.emplace(f.name(), f);
        }
        value_bounds_ = compute_function_value_bounds(order, functions);
        for (auto& [key, bounds] : value_bounds_) {
            bounds.min = estimates.substitute(bounds.min);
            bounds.max = estimates.substitute(bounds.max);
        }
    }

    std::map<std::string, Region> run() {
        for (const HalideFunction& f : parts_.outputs) {
            include(f.name(), estimates_.output(f.name()));
        }
        for (auto it = parts_.order.rbegin(); it != parts_.order.rend(); ++it) {
            visit(*it);
        }
        return std::move(regions_);
    }

  private:
    void visit(const HalideFunction& f) {
        apply_bounds(f);
        if (regions_.find(f.name()) == regions_.end()) {
            regions_[f.name()] = Region(f.dimensions());  // 0-dimensional, or never read
        }
        for (const ExternFuncArgument& arg : f.extern_arguments()) {
            if (arg.is_func()) {
                include_extern_input(f, HalideFunction(arg.func));
            }
        }
        if (!f.has_pure_definition()) {
            return;
        }
        // Updates may read and write the function beyond what is asked of it, so they come first.
        for (const Definition& update : f.updates()) {
            expand_by_update(f, update);
        }
        visit_definition(f, f.definition());
        for (const Definition& update : f.updates()) {
            visit_definition(f, update);
        }
    }

    // Halide asks an extern stage what it needs; before that the best guess is: the same region.
    void include_extern_input(const HalideFunction& f, const HalideFunction& input) {
        Region region(input.dimensions());
        const Region& needed = regions_.at(f.name());
        for (std::size_t d = 0; d < region.size(); d++) {
            region[d] = d < needed.size() ? needed[d] : Range{};
        }
        include(input.name(), region);
    }

    void apply_bounds(const HalideFunction& f) {
        const auto it = regions_.find(f.name());
        for (const Bound& bound : f.schedule().bounds()) {
            const auto min = estimates_.constant(bound.min);
            const auto extent = estimates_.constant(bound.extent);
            const auto arg = std::find(f.args().begin(), f.args().end(), bound.var);
            if (it != regions_.end() && extent && arg != f.args().end()) {
                Range& range = it->second[arg - f.args().begin()];
                range = {min.value_or(range.min), *extent};
            }
        }
    }

    Scope<Interval> scope_of(const HalideFunction& f, const Definition& definition) const {
        Scope<Interval> scope;
        const Region& region = regions_.at(f.name());
        for (int d = 0; d < f.dimensions(); d++) {
            scope.push(f.args()[d], interval(region[d]));
        }
        for (const ReductionVariable& rvar : definition.schedule().rvars()) {
            const Expr min = estimates_.substitute(rvar.min);
            const Expr extent = estimates_.substitute(rvar.extent);
            const Interval first = bounds_of_expr_in_scope(min, scope, value_bounds_);
            const Interval last = bounds_of_expr_in_scope(min + extent - 1, scope, value_bounds_);
            scope.push(rvar.var, Interval(simplify(first.min), simplify(last.max)));
        }
        return scope;
    }

    void expand_by_update(const HalideFunction& f, const Definition& update) {
        const Scope<Interval> scope = scope_of(f, update);
        Box written;
        for (const Expr& arg : update.args()) {
            written.push_back(
                bounds_of_expr_in_scope(estimates_.substitute(arg), scope, value_bounds_));
        }
        include(f.name(), range_of(written, f.name()));
        for (const Expr& value : update.values()) {
            const auto boxes = boxes_required(estimates_.substitute(value), scope, value_bounds_);
            if (const auto it = boxes.find(f.name()); it != boxes.end()) {
                include(f.name(), range_of(it->second, f.name()));
            }
        }
    }

    void visit_definition(const HalideFunction& f, const Definition& definition) {
        const Scope<Interval> scope = scope_of(f, definition);
        std::vector<Expr> expressions = definition.values();
        expressions.insert(expressions.end(), definition.args().begin(), definition.args().end());
        expressions.push_back(definition.predicate());
        for (const Expr& e : expressions) {
            if (!e.defined()) {
                continue;
            }
            for (const auto& [name, box] :
                 boxes_required(estimates_.substitute(e), scope, value_bounds_)) {
                if (name != f.name() && parts_.functions.count(name) != 0) {
                    include(name, range_of(box, name));
                }
            }
        }
    }

    [[nodiscard]] Region range_of(const Box& box, const std::string& name) const {
        Region region;
        const auto known = regions_.find(name);
        for (std::size_t d = 0; d < box.size(); d++) {
            const auto min = finite(box[d].min, box[d].has_lower_bound());
            const auto max = finite(box[d].max, box[d].has_upper_bound());
            if (min && max) {
                region.push_back({*min, std::max<std::int64_t>(*max - *min + 1, 1)});
            } else if (known != regions_.end() && d < known->second.size()) {
                region.push_back(known->second[d]);
            } else {
                region.push_back({min.value_or(0), kUnboundedExtent});
            }
        }
        return region;
    }

    [[nodiscard]] std::optional<std::int64_t> finite(const Expr& e, bool bounded) const {
        const auto value = bounded ? estimates_.constant(e) : std::nullopt;
        // An index of a wide integer type is bounded by that type, which tells nothing.
        constexpr std::int64_t largest = INT32_MAX / 2;
        return value && *value < largest && *value > -largest ? value : std::nullopt;
    }

    static Interval interval(const Range& range) {
        return {Expr(static_cast<std::int32_t>(range.min)),
                Expr(static_cast<std::int32_t>(range.max()))};
    }

    void include(const std::string& name, const Region& region) {
        const auto [it, fresh] = regions_.emplace(name, region);
        if (fresh) {
            return;
        }
        for (std::size_t d = 0; d < std::min(region.size(), it->second.size()); d++) {
            Range& known = it->second[d];
            const std::int64_t min = std::min(known.min, region[d].min);
            const std::int64_t max = std::max(known.max(), region[d].max());
            known = {min, max - min + 1};
        }
    }

    const PipelineParts& parts_;
    const Estimates& estimates_;
    FuncValueBounds value_bounds_;
    std::map<std::string, Region> regions_;
};

}  // namespace

std::map<std::string, std::vector<Range>> regions_at_estimates(const PipelineParts& parts,
                                                               const Estimates& estimates) {
    return RegionAnalysis(parts, estimates).run();
}

}  // namespace nestor
