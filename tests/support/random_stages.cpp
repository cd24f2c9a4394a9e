// The kinds of stages that random pipelines have; one function each. To add one: write it, and give
// it a weight in add_random_stage.
#include <algorithm>

#include "random_generator.h"

namespace nestor::testing {

using namespace Halide;

namespace {

/// What a sum may add up many of: integers within the limit, floats within 16.
Value bounded_term(const Value& value, int limit) {
    return limited(value, value.is_float() ? 16 : limit);
}

}  // namespace

void PipelineGenerator::add_pointwise() {
    const Source a = pick_source();
    const Source b = pick_source();
    Value value = random_binary(draw_, read(a, here()), read(b, here()));
    if (draw_.chance(50)) {
        value = random_unary(draw_, value);
    }
    if (!scalars_.empty() && draw_.chance(40)) {
        value = random_binary(draw_, value, draw_.pick(scalars_));
    }
    if (draw_.chance(20)) {
        const Expr ramp = vars_[static_cast<size_t>(random_axis())] % 64;
        value = random_binary(draw_, value, {ramp, 0, 63});
    }
    define("pointwise", a.name + " " + b.name, value, std::max(a.halvings, b.halvings));
}

void PipelineGenerator::add_stencil() {
    const Source a = pick_source();
    const int taps = draw_.between(2, 5);
    const int axis = random_axis();
    const bool one_axis = draw_.chance(60);
    Value total = bounded_term(read(a, here()), 5000);
    for (int i = 0; i < taps; i++) {
        std::vector<Expr> at = here();
        const int along = one_axis ? axis : random_axis();
        const int offset = draw_.between(-3, 3);
        const int weight = draw_.between(-2, 3);
        at[along] = at[along] + offset;
        const Value tap = bounded_term(read(a, at), 5000);
        const double low = std::min(tap.low * weight, tap.high * weight);
        const double high = std::max(tap.low * weight, tap.high * weight);
        total = {total.expr + tap.expr * weight, total.low + low, total.high + high};
    }
    define("stencil", a.name, total, a.halvings);
}

void PipelineGenerator::add_downsample() {
    const Source a = pick_source();
    if (a.halvings >= 2) {
        return add_pointwise();
    }
    std::vector<Expr> at = here();
    const int axis = random_axis();
    const bool both = dims_ > 1 && draw_.chance(50);
    at[axis] = at[axis] * 2;
    if (both) {
        at[(axis + 1) % dims_] = at[(axis + 1) % dims_] * 2;
    }
    std::vector<Expr> next = at;
    next[axis] = next[axis] + 1;
    const Value value = random_binary(draw_, read(a, at), read(a, next));
    define("downsample", a.name, value, a.halvings + 1);
}

void PipelineGenerator::add_upsample() {
    const Source a = pick_source();
    std::vector<Expr> at = here();
    const int axis = random_axis();
    const int factor = draw_.between(2, 3);
    at[axis] = at[axis] / factor;
    Value value = read(a, at);
    if (draw_.chance(60)) {
        std::vector<Expr> next = here();
        next[axis] = (next[axis] + factor - 1) / factor;
        value = random_binary(draw_, value, read(a, next));
    }
    define("upsample", a.name, value, a.halvings);
}

void PipelineGenerator::add_inline_reduction() {
    const Source a = pick_source();
    const bool strided = a.halvings < 2 && draw_.chance(30);
    const Window window = random_window(strided ? 2 : 1);
    const Value term = bounded_term(read(a, window.at), 10000);
    Value value;
    switch (draw_.below(3)) {
        case 0:
            value = {sum(window.domain, term.expr), term.low * window.size,
                     term.high * window.size};
            break;
        case 1:
            value = {maximum(window.domain, term.expr), term.low, term.high};
            break;
        default:
            value = {minimum(window.domain, term.expr), term.low, term.high};
    }
    define("inline", a.name, value, a.halvings + strided);
}

void PipelineGenerator::add_window_update() {
    const Source a = pick_source();
    const Source b = pick_source();
    const Window window = random_window(1);
    const Value start = bounded_term(read(b, here()), 1000);
    Value term = bounded_term(read(a, window.at), 10000);
    if (start.is_float()) {
        term = as_float(term);
    }
    const Expr initial = term.is_float() ? as_float(start).expr : start.expr;
    Func func = named_func("window");
    func(vars_) = initial;
    func(vars_) += term.expr;
    if (draw_.chance(30)) {
        func(vars_) = max(func(vars_), initial);
    }
    const double low = std::min(term.low, 0.0) * window.size + start.low;
    const double high = std::max(term.high, 0.0) * window.size + start.high;
    add(func, "window", a.name + " " + b.name, low, high, std::max(a.halvings, b.halvings));
}

void PipelineGenerator::add_predicated_update() {
    const Source a = pick_source();
    const int axis = random_axis();
    const int limit = draw_.between(0, 6);
    const bool on_coordinate = draw_.chance(50);
    RDom r(0, 4, 0, 4);
    Expr bound = limit;
    if (on_coordinate) {
        bound = vars_[static_cast<size_t>(axis)] % 5 + limit / 2;
    }
    r.where(r.x + r.y <= bound);
    std::vector<Expr> at = here();
    at[axis] = at[axis] + r.x;  // not r.x - r.y: how far Halide bounds that varies with inlining
    const Value term = bounded_term(read(a, at), 10000);
    Func func = named_func("predicated");
    func(vars_) = cast(term.expr.type(), 1);
    func(vars_) += term.expr * cast(term.expr.type(), r.x - r.y + 2);
    add(func, "predicated", a.name, std::min(term.low, 0.0) * 64, std::max(term.high, 0.0) * 64 + 1,
        a.halvings);
}

/// Reduces a whole dimension (of the output's size); the result is read as a broadcast.
void PipelineGenerator::add_whole_dimension() {
    const Source a = pick_source();
    const int axis = random_axis();
    const DimBounds bounds = shape_[static_cast<size_t>(axis)];
    RDom r(bounds.min, bounds.extent);
    std::vector<Expr> at = here();
    at[axis] = r;
    const Value term = bounded_term(read(a, at), 1000);
    Func func = named_func("whole");
    std::vector<Var> args;
    std::vector<int> axes;
    for (int d = 0; d < dims_; d++) {
        if (d != axis) {
            args.push_back(vars_[static_cast<size_t>(d)]);
            axes.push_back(d);
        }
    }
    func(args) = cast(term.expr.type(), 0);
    if (draw_.chance(60)) {
        func(args) += term.expr;
    } else {
        func(args) = max(func(args), term.expr);
    }
    Source& source = add(func, "whole", a.name, std::min(term.low, 0.0) * bounds.extent,
                         std::max(term.high, 0.0) * bounds.extent, a.halvings);
    source.axes = axes;
    source.domain.resize(axes.size());
}

/// A product of matrices, with any further dimensions as a batch.
void PipelineGenerator::add_contraction() {
    if (dims_ == 1) {
        return add_inline_reduction();
    }
    const Source a = pick_source();
    const Source b = pick_source();
    RDom k(shape_[0].min, shape_[0].extent);
    std::vector<Expr> left_at = here();
    std::vector<Expr> right_at = here();
    left_at[0] = k;
    right_at[1] = k;
    const Value left = bounded_term(read(a, left_at), 100);
    const Value right = bounded_term(read(b, right_at), 100);
    const bool is_float = left.is_float() || right.is_float();
    const Expr term =
        is_float ? as_float(left).expr * as_float(right).expr : left.expr * right.expr;
    Func func = named_func("contraction");
    func(vars_) += term;
    const double most = 1e4 * shape_[0].extent;
    add(func, "contraction", a.name + " " + b.name, -most, most, std::max(a.halvings, b.halvings));
}

/// Forwards or backwards along one dimension, in place.
void PipelineGenerator::add_scan() {
    const Source a = pick_source();
    const int axis = random_axis();
    const DimBounds bounds = shape_[static_cast<size_t>(axis)];
    const bool backwards = draw_.chance(40);
    const Value start = bounded_term(read(a, here()), 1000);
    Func func = named_func("scan");
    func(vars_) = start.expr;
    if (bounds.extent > 1) {
        RDom r(1, bounds.extent - 1);
        const int last = bounds.min + bounds.extent - 1;
        std::vector<Expr> at = here();
        std::vector<Expr> before = here();
        at[axis] = backwards ? last - r : bounds.min + r;
        before[axis] = backwards ? last - r + 1 : bounds.min + r - 1;
        if (start.is_float()) {
            func(at) = func(at) * 0.5f + func(before) * 0.5f;
        } else {
            func(at) = (func(at) + func(before)) / 2;
        }
    }
    Source& source = add(func, "scan", a.name, start.low - 1, start.high, a.halvings);
    source.domain[static_cast<size_t>(axis)] = bounds;
}

void PipelineGenerator::add_histogram() {
    const Source a = pick_source();
    const int bins = draw_.between(4, 64);
    const DimBounds first = shape_[0];
    const DimBounds second = dims_ > 1 ? shape_[1] : DimBounds{0, 2};
    RDom r(first.min, first.extent, second.min, second.extent);
    std::vector<Expr> at;
    for (int d = 0; d < dims_; d++) {
        at.push_back(d == 0 ? Expr(r.x) : d == 1 ? Expr(r.y) : Expr(shape_[d].min));
    }
    const Value key = integer_or(read(a, at), 3);
    const int weight = draw_.between(1, 3);
    Func func = named_func("histogram");
    Var bin("bin");
    func(bin) = 0;
    func(key.expr % bins) += weight;
    const double most = 3.0 * first.extent * second.extent;
    tables_.push_back({"histogram_" + std::to_string(stages_), func, bins, 0, most});
    text_ << tables_.back().name << ": table of " << bins << ", reads " << a.name << "\n";
    add_lookup();
}

void PipelineGenerator::add_lookup() {
    const Source a = pick_source();
    if (tables_.empty()) {
        const int bins = draw_.chance(40) ? 256 : draw_.between(8, 256);
        Func curve = named_func("curve");
        Var bin("bin");
        curve(bin) = cast<uint16_t>((bin * bin + 7 * bin) % 1000);
        tables_.push_back({"curve_" + std::to_string(stages_), curve, bins, 0, 999});
        text_ << tables_.back().name << ": table of " << bins << "\n";
    }
    const Table& table = tables_.back();
    const Value key = integer_or(read(a, here()), 1);
    Expr place = clamp(key.expr, 0, table.bins - 1);
    if (table.bins == 256) {
        place = cast<int32_t>(cast<uint8_t>(key.expr));  // in bounds by its type
    } else if (draw_.chance(50)) {
        place = key.expr % table.bins;
    }
    Func func = table.func;
    define("lookup", table.name + " " + a.name, loaded(func(place), table.low, table.high),
           a.halvings);
}

/// Reads one source at a distance that another one gives.
void PipelineGenerator::add_gather() {
    const Source a = pick_source();
    const Source b = pick_source();
    const int axis = random_axis();
    std::vector<Expr> at = here();
    const Value distance = integer_or(read(b, here()), 2);
    if (draw_.chance(50)) {
        at[axis] = at[axis] + distance.expr % 7 - 3;
    } else {
        const DimBounds bounds = shape_[static_cast<size_t>(axis)];
        at[axis] = clamp(distance.expr, bounds.min, bounds.min + bounds.extent - 1);
    }
    define("gather", a.name + " at " + b.name, read(a, at), std::max(a.halvings, b.halvings));
}

void PipelineGenerator::add_select() {
    const Source a = pick_source();
    const Source b = pick_source();
    Value yes = read(a, here());
    Value no = read(b, here());
    if (yes.is_float() || no.is_float()) {
        yes = as_float(yes);
        no = as_float(no);
    }
    const Expr coordinate = vars_[static_cast<size_t>(random_axis())];
    const int modulus = draw_.between(2, 5);
    Expr condition = coordinate % modulus == 0;
    if (draw_.chance(40) && !yes.is_float()) {
        condition = yes.expr > no.expr / modulus;
    } else if (draw_.chance(30)) {
        condition = coordinate < shape_[0].min + shape_[0].extent / 2;
    }
    define("select", a.name + " " + b.name,
           {select(condition, yes.expr, no.expr), std::min(yes.low, no.low),
            std::max(yes.high, no.high)},
           std::max(a.halvings, b.halvings));
}

void PipelineGenerator::add_tuple() {
    const Source a = pick_source();
    const Source b = pick_source();
    const Stored first = stored_as_random_type(draw_, read(a, here()));
    const Value both = random_binary(draw_, read(a, here()), read(b, here()));
    const Stored second = stored_as_random_type(draw_, both);
    Func func = named_func("tuple");
    func(vars_) = Tuple(first.expr, second.expr);
    Source& one = add(func, "tuple", a.name + " " + b.name, first.low, first.high,
                      std::max(a.halvings, b.halvings));
    one.element = 0;
    Source other = one;
    other.name += "[1]";
    other.element = 1;
    other.low = second.low;
    other.high = second.high;
    sources_.push_back(other);
}

void PipelineGenerator::add_argmax() {
    const Source a = pick_source();
    const Window window = random_window(1);
    const Value term = limited(integer_or(read(a, window.at), 5), 50000);
    // No ties: which of two equal values wins depends on the order in which they are visited. The
    // remainder keeps Halide 21 from solving the comparison for the reduction variable, which
    // overflows against the initial value of argmax and gives wrong results.
    const Expr rank = (window.domain.x + 8) % 16;
    const Value key = {term.expr * 16 + rank, term.low * 16, term.high * 16 + 15};
    Tuple best = argmax(window.domain, key.expr);
    const bool place = draw_.chance(50);
    const Value value =
        place ? Value{best[0], -4, 8} : Value{best.as_vector().back(), key.low, key.high};
    define("argmax", a.name, value, a.halvings);
}

void PipelineGenerator::add_transposed() {
    const Source a = pick_source();
    std::vector<Expr> at = here();
    std::reverse(at.begin(), at.end());
    if (dims_ == 1) {
        at[0] = -at[0];
    }
    define("transposed", a.name, read(a, at), a.halvings);
}

/// A boundary condition on a computed stage, whose bounds are constants.
void PipelineGenerator::add_boundary() {
    const Source a = pick_source();
    if (a.element >= 0 || a.axes.size() != static_cast<size_t>(dims_)) {
        return add_stencil();
    }
    Region bounds;
    for (const DimBounds& dim : shape_) {
        bounds.emplace_back(dim.min, dim.extent);
    }
    Func source = a.func;
    const int kind = draw_.below(3);
    Func bounded =
        kind == 0   ? BoundaryConditions::repeat_edge(source, bounds)
        : kind == 1 ? BoundaryConditions::mirror_image(source, bounds)
                    : BoundaryConditions::constant_exterior(source, cast(source.type(), 0), bounds);
    add(bounded, "boundary", a.name, std::min(a.low, 0.0), std::max(a.high, 0.0), a.halvings);
}

/// Updates of slices and of every other element, which read what they overwrite.
void PipelineGenerator::add_in_place() {
    const Source a = pick_source();
    const int axis = random_axis();
    const DimBounds bounds = shape_[static_cast<size_t>(axis)];
    const Value start = bounded_term(read(a, here()), 1000);
    Func func = named_func("in_place");
    func(vars_) = start.expr;
    std::vector<Expr> slice = here();
    slice[axis] = bounds.min;
    func(slice) = func(slice) / 2 + 1;
    RDom r(0, bounds.extent / 2);
    if (bounds.extent >= 4) {
        std::vector<Expr> at = here();
        at[axis] = bounds.min + 2 * r;
        std::vector<Expr> next = here();
        next[axis] = bounds.min + 2 * r + 1;
        func(at) = (func(at) + func(next)) / 2;
    }
    Source& source = add(func, "in_place", a.name, std::min(start.low, 0.0) - 1,
                         std::max(start.high, 0.0) + 2, a.halvings);
    source.domain[static_cast<size_t>(axis)] = bounds;
}

}  // namespace nestor::testing
