#include "halide/estimates.h"

#include <algorithm>

namespace nestor {

using namespace Halide;
using namespace Halide::Internal;

namespace {

// Replaces variables by values, and operations of floating-point numbers that have to be rounded as
// written by those that Halide's simplifier computes. Expressions of the front end are graphs that
// may be exponentially large as trees, hence the memo.
class Substitution : public IRMutator {
  public:
    explicit Substitution(const std::map<std::string, Expr>& values) : values_(values) {}

    Expr mutate(const Expr& e) override {
        const auto it = memo_.find(e);
        if (it != memo_.end()) {
            return it->second;
        }
        Expr result = IRMutator::mutate(e);
        memo_.emplace(e, result);
        return result;
    }

  protected:
    using IRMutator::visit;

    Expr visit(const Variable* op) override {
        const auto it = values_.find(op->name);
        if (it == values_.end()) {
            return op;
        }
        return it->second.type() == op->type ? it->second : cast(op->type, it->second);
    }

    Expr visit(const Call* op) override {
        if (!op->is_strict_float_intrinsic() || op->args.size() != 2) {
            return IRMutator::visit(op);
        }
        const Expr a = mutate(op->args[0]);
        const Expr b = mutate(op->args[1]);
        if (op->is_intrinsic(Call::strict_add)) {
            return a + b;
        }
        if (op->is_intrinsic(Call::strict_sub)) {
            return a - b;
        }
        if (op->is_intrinsic(Call::strict_mul)) {
            return a * b;
        }
        if (op->is_intrinsic(Call::strict_div)) {
            return a / b;
        }
        return IRMutator::visit(op);
    }

  private:
    const std::map<std::string, Expr>& values_;
    std::map<Expr, Expr, ExprCompare> memo_;
};

Expr scalar_value(const Parameter& p) {
    for (const Expr& e : {p.estimate(), p.default_value()}) {
        if (e.defined()) {
            return e;
        }
    }
    if (p.has_scalar_value() && !p.type().is_handle()) {
        return p.scalar_expr();
    }
    return {};
}

bool is_whole(std::int64_t value) {
    return value >= INT32_MIN && value <= INT32_MAX;
}

}  // namespace

Expr Estimates::substitute(const Expr& e) const {
    return e.defined() ? Substitution(values_).mutate(e) : e;
}

std::optional<std::int64_t> Estimates::constant(const Expr& e) const {
    if (!e.defined()) {
        return std::nullopt;
    }
    const Expr value = simplify(substitute(e));
    if (const auto signed_value = as_const_int(value)) {
        return signed_value;
    }
    if (const auto unsigned_value = as_const_uint(value)) {
        return static_cast<std::int64_t>(*unsigned_value);
    }
    return std::nullopt;
}

/** One pass over a pipeline's parameters, outputs and scalars; what is missing becomes lines to
 * add. */
class EstimateCollector {
  public:
    EstimateCollector(const PipelineParts& parts, std::int64_t default_extent)
        : parts_(parts), default_extent_(default_extent) {}

    Result<Estimates> run() {
        for (const Parameter& scalar : parts_.scalars) {
            add_scalar(scalar);
        }
        for (const Parameter& image : parts_.images) {
            add_image(image);
        }
        for (const Buffer<>& buffer : parts_.buffers) {
            add_buffer(buffer);
        }
        for (const HalideFunction& output : parts_.outputs) {
            add_output(output);
        }
        if (required_missing_) {
            return Error{message()};
        }
        return std::move(estimates_);
    }

  private:
    void add_scalar(const Parameter& p) {
        const Expr value = scalar_value(p);
        if (value.defined()) {
            estimates_.values_[p.name()] = value.type() == p.type() ? value : cast(p.type(), value);
        } else if (default_extent_ > 0 && !p.type().is_handle()) {
            estimates_.values_[p.name()] = make_one(p.type());
        } else if (!p.type().is_handle()) {
            missing_.push_back(p.name() + ".set_estimate(1);" +
                               comment("scalar parameter, " + type_text(p.type())));
            required_missing_ |= shapes_the_iteration(p.name());
        }
    }

    void add_image(const Parameter& p) {
        std::vector<Range>& region = estimates_.inputs_[p.name()];
        for (int d = 0; d < p.dimensions(); d++) {
            const std::string line = p.name() + ".dim(" + std::to_string(d) +
                                     ").set_estimate(0, 1024);" +
                                     comment("input, dimension " + std::to_string(d));
            const auto range =
                choose({p.min_constraint(d), p.min_constraint_estimate(d)},
                       {p.extent_constraint(d), p.extent_constraint_estimate(d)}, line);
            region.push_back(range);
            set_dimension(p.name(), d, range);
        }
        set_strides(p.name(), region, p);
    }

    void add_buffer(const Buffer<>& buffer) {
        std::vector<Range>& region = estimates_.inputs_[buffer.name()];
        for (int d = 0; d < buffer.dimensions(); d++) {
            const Range range{buffer.dim(d).min(), buffer.dim(d).extent()};
            region.push_back(range);
            set_dimension(buffer.name(), d, range);
            estimates_.values_[buffer.name() + ".stride." + std::to_string(d)] =
                Expr(buffer.dim(d).stride());
        }
    }

    void add_output(const HalideFunction& f) {
        std::vector<Range> region;
        const FuncId& id = parts_.ids.at(f.name());
        for (int d = 0; d < f.dimensions(); d++) {
            std::vector<Expr> mins, extents;
            for (const Bound& bound : f.schedule().bounds()) {
                if (bound.var == f.args()[d]) {
                    mins.push_back(bound.min);
                    extents.push_back(bound.extent);
                }
            }
            for (const Parameter& p : f.output_buffers()) {
                mins.insert(mins.end(), {p.min_constraint(d), p.min_constraint_estimate(d)});
                extents.insert(extents.end(),
                               {p.extent_constraint(d), p.extent_constraint_estimate(d)});
            }
            for (const Bound& bound : f.schedule().estimates()) {
                if (bound.var == f.args()[d]) {
                    mins.push_back(bound.min);
                    extents.push_back(bound.extent);
                }
            }
            const std::string line = id.stem + ".set_estimate(" + variable_label(f.args()[d]) +
                                     ", 0, 1024);" +
                                     comment("output, dimension " + std::to_string(d));
            region.push_back(choose(mins, extents, line));
        }
        for (const Parameter& p : f.output_buffers()) {
            for (int d = 0; d < f.dimensions(); d++) {
                set_dimension(p.name(), d, region[d]);
            }
            set_strides(p.name(), region, p);
        }
        estimates_.outputs_[f.name()] = std::move(region);
    }

    // The first of several expressions that has a value under the estimates known so far.
    [[nodiscard]] std::optional<std::int64_t> first_known(
        const std::vector<Expr>& candidates) const {
        for (const Expr& e : candidates) {
            if (const auto value = estimates_.constant(e)) {
                return value;
            }
        }
        return std::nullopt;
    }

    Range choose(const std::vector<Expr>& mins, const std::vector<Expr>& extents,
                 const std::string& line) {
        const auto min = first_known(mins);
        const auto extent = first_known(extents);
        if (extent && is_whole(*extent)) {
            return {min.value_or(0), *extent};
        }
        if (default_extent_ > 0) {
            return {min.value_or(0), default_extent_};
        }
        missing_.push_back(line);
        required_missing_ = true;
        return {0, 1};
    }

    void set_dimension(const std::string& name, int d, const Range& range) {
        const std::string suffix = "." + std::to_string(d);
        estimates_.values_[name + ".min" + suffix] = Expr(static_cast<std::int32_t>(range.min));
        estimates_.values_[name + ".extent" + suffix] =
            Expr(static_cast<std::int32_t>(range.extent));
    }

    // Dense planar strides unless a constraint says otherwise.
    void set_strides(const std::string& name, const std::vector<Range>& region,
                     const Parameter& p) {
        std::int64_t dense = 1;
        for (std::size_t d = 0; d < region.size(); d++) {
            const int dim = static_cast<int>(d);
            const std::int64_t stride =
                estimates_.constant(p.stride_constraint(dim)).value_or(dense);
            estimates_.values_[name + ".stride." + std::to_string(d)] =
                Expr(static_cast<std::int32_t>(stride));
            dense *= region[d].extent;
        }
    }

    // Does a scalar decide on extents or coordinates? Then scheduling without its value is
    // guessing.
    [[nodiscard]] bool shapes_the_iteration(const std::string& scalar) const;

    [[nodiscard]] static std::string comment(const std::string& text) { return "  // " + text; }

    [[nodiscard]] static std::string type_text(const Type& t) {
        return (t.is_float() ? "float" : t.is_uint() ? "uint" : "int") + std::to_string(t.bits());
    }

    [[nodiscard]] std::string message() const {
        std::string text =
            "estimates are missing. Add these lines, with your own typical numbers:\n";
        for (const std::string& line : missing_) {
            text += "    " + line + "\n";
        }
        return text +
               "or pass autoscheduler.default_extent=N to assume extents of N for all of them.";
    }

    const PipelineParts& parts_;
    std::int64_t default_extent_;
    Estimates estimates_;
    std::vector<std::string> missing_;
    bool required_missing_ = false;
};

namespace {

// Looks for a scalar in the places that bounds depend on: coordinates of loads and stores, domains.
class ShapeUse : public IRGraphVisitor {
  public:
    explicit ShapeUse(const std::string& scalar) : scalar_(scalar) {}
    bool found = false;

    void shape(const Expr& e) {
        if (e.defined()) {
            in_shape_++;
            e.accept(this);  // not include(): a node seen before outside of a shape counts again
            in_shape_--;
        }
    }

  protected:
    using IRGraphVisitor::visit;

    void visit(const Variable* op) override { found |= in_shape_ > 0 && op->name == scalar_; }

    void visit(const Call* op) override {
        if (op->call_type == Call::Halide || op->call_type == Call::Image) {
            for (const Expr& arg : op->args) {
                shape(arg);
            }
        } else {
            IRGraphVisitor::visit(op);
        }
    }

  private:
    const std::string& scalar_;
    int in_shape_ = 0;
};

bool uses_in_shape(const Definition& definition, const std::string& scalar) {
    ShapeUse use(scalar);
    for (const Expr& arg : definition.args()) {
        use.shape(arg);
    }
    for (const ReductionVariable& rvar : definition.schedule().rvars()) {
        use.shape(rvar.min);
        use.shape(rvar.extent);
    }
    for (const Expr& value : definition.values()) {
        value.accept(&use);
    }
    return use.found;
}

}  // namespace

bool EstimateCollector::shapes_the_iteration(const std::string& scalar) const {
    return std::any_of(parts_.order.begin(), parts_.order.end(), [&](const HalideFunction& f) {
        if (f.has_pure_definition() && uses_in_shape(f.definition(), scalar)) {
            return true;
        }
        return std::any_of(f.updates().begin(), f.updates().end(),
                           [&](const Definition& d) { return uses_in_shape(d, scalar); });
    });
}

Result<Estimates> Estimates::collect(const PipelineParts& parts, std::int64_t default_extent) {
    return EstimateCollector(parts, default_extent).run();
}

}  // namespace nestor
