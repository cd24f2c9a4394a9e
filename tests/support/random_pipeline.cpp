#include "random_pipeline.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "random_values.h"

namespace nestor::testing {

namespace {

using namespace Halide;

/// Something that later stages may read at any coordinates.
struct Source {
    std::string name;
    Func func;
    int element = -1;       // of a tuple; -1 for plain functions
    std::vector<int> axes;  // which of the pipeline's dimensions it has, in its own order
    double low = 0;
    double high = 0;
    /// Where it is defined, if only there: readers clamp to it. By position in `axes`.
    std::vector<std::optional<DimBounds>> domain;
    int halvings = 0;  // down-samplings on the way to the inputs: each doubles what they must hold
};

/// A table with an axis of its own, 0 ... bins - 1, read at computed places.
struct Table {
    std::string name;
    Func func;
    int bins = 0;
    double low = 0;
    double high = 0;
};

/// What a sum may add up many of: integers within the limit, floats within 16.
Value bounded_term(const Value &value, int limit) {
    return limited(value, value.is_float() ? 16 : limit);
}

class Generator {
public:
    explicit Generator(uint64_t seed) : draw_(seed) {}

    BuiltPipeline build();
    std::string description() const { return text_.str(); }

private:
    using MakeStage = void (Generator::*)();
    struct Choice {
        int weight;
        MakeStage make;
    };

    void choose_shape();
    void add_inputs();
    Func random_boundary(const ImageParam &image);
    void add_scalars();
    void add_random_stage();
    void add_outputs();

    // The kinds of stages.
    void add_pointwise();
    void add_stencil();
    void add_downsample();
    void add_upsample();
    void add_inline_reduction();
    void add_window_update();
    void add_predicated_update();
    void add_whole_dimension();
    void add_contraction();
    void add_scan();
    void add_histogram();
    void add_lookup();
    void add_gather();
    void add_select();
    void add_tuple();
    void add_argmax();
    void add_transposed();
    void add_boundary();
    void add_in_place();

    Source pick_source();
    std::vector<Expr> here() const;
    /// The value of a source at full coordinates (one for each dimension of the pipeline).
    Value read(const Source &source, std::vector<Expr> at);
    Func named_func(const std::string &kind);
    /// Registers a stage over all dimensions; `low` and `high` bound its values.
    Source &add(const Func &func, const std::string &kind, const std::string &reads, double low,
                double high, int halvings);
    void define(const std::string &kind, const std::string &reads, const Value &value,
                int halvings);
    int random_axis() { return draw_.below(dims_); }
    /// A window of one or two axes: the domain, and full coordinates displaced by it.
    struct Window {
        RDom domain;
        std::vector<Expr> at;
        int size;
    };
    Window random_window(int step);

    Draw draw_;
    PipelineBuilder builder_;
    std::ostringstream text_;
    int dims_ = 2;
    std::vector<Var> vars_;
    Box shape_;
    std::vector<Source> sources_;
    std::vector<Table> tables_;
    std::vector<Value> scalars_;
    int stages_ = 0;
};

// ---------------------------------------------------------------------------------------------
// Frame

BuiltPipeline Generator::build() {
    choose_shape();
    add_inputs();
    add_scalars();
    const int wanted = draw_.between(2, 9);
    while (stages_ < wanted) {
        add_random_stage();
    }
    add_outputs();
    builder_.expect().reference = ReferenceSchedule::AllRoot;
    builder_.expect().relative_tolerance = 1e-3;  // several stages of rounding
    builder_.expect().absolute_tolerance = 4e-3;
    builder_.expect().min_legal_sizes = 1;
    return builder_.finish();
}

void Generator::choose_shape() {
    static const std::vector<int> ranks = {1, 2, 2, 2, 2, 3, 3, 4};
    static const std::vector<std::vector<int>> largest = {{300}, {80, 60}, {40, 30, 6}, {14, 12, 6, 4}};
    static const char *const names[] = {"x", "y", "z", "w"};
    dims_ = draw_.pick(ranks);
    for (int d = 0; d < dims_; d++) {
        vars_.emplace_back(names[d]);
        const int most = largest[dims_ - 1][d];
        int extent = draw_.between(std::max(1, most / 3), most);
        if (draw_.chance(5)) {
            extent = 1;
        }
        int min = 0;
        if (draw_.chance(15)) {
            min = draw_.between(-50, 200);
        }
        shape_.push_back({min, extent});
    }
    text_ << dims_ << " dimensions:";
    for (const DimBounds &dim : shape_) {
        text_ << " [" << dim.min << ", +" << dim.extent << "]";
    }
    text_ << "\n";
}

void Generator::add_inputs() {
    static const std::vector<Type> types = {UInt(8), UInt(8),   Int(16),   UInt(16),
                                            Int(32), Float(32), Float(32), Float(64)};
    const int count = draw_.between(1, 3);
    for (int i = 0; i < count; i++) {
        Source source;
        source.name = "in" + std::to_string(i);
        const int missing = dims_ > 1 && draw_.chance(20) ? random_axis() : -1;
        Box box;
        for (int d = 0; d < dims_; d++) {
            if (d != missing) {
                source.axes.push_back(d);
                box.push_back(shape_[static_cast<size_t>(d)]);
            }
        }
        source.domain.resize(box.size());
        const Type type = draw_.pick(types);
        const bool bounded = draw_.chance(40);
        const InputSize size = bounded ? InputSize::Estimate : InputSize::Required;
        ImageParam image = builder_.image(type, source.name, box, {size, {}, {}});
        source.func = bounded ? random_boundary(image) : Func(image);
        const ValueRange range = default_range(type);
        source.low = std::min(range.low, 0.0);  // the exterior's constant lies within, too
        source.high = range.high;
        text_ << source.name << ": " << type << ", " << box.size() << " dimensions, "
              << (bounded ? "bounded" : "exact") << "\n";
        sources_.push_back(source);
    }
}

Func Generator::random_boundary(const ImageParam &image) {
    switch (draw_.below(5)) {
    case 0:
        return BoundaryConditions::repeat_edge(image);
    case 1:
        return BoundaryConditions::mirror_image(image);
    case 2:
        return BoundaryConditions::mirror_interior(image);
    case 3:
        return BoundaryConditions::repeat_image(image);
    default:
        return BoundaryConditions::constant_exterior(image, cast(image.type(), 1));
    }
}

void Generator::add_scalars() {
    if (draw_.chance(25)) {
        Param<int> scalar = builder_.scalar<int>("count", {3, 0, -2});
        scalars_.push_back({scalar, -2, 3});
        text_ << "count: int32 parameter\n";
    }
    if (draw_.chance(15)) {
        Param<float> scalar = builder_.scalar<float>("gain", {1.5f, 0.25f});
        scalars_.push_back({scalar, 0.25, 1.5});
        text_ << "gain: float32 parameter\n";
    }
}

void Generator::add_random_stage() {
    static const std::vector<Choice> choices = {
        {14, &Generator::add_pointwise},        {14, &Generator::add_stencil},
        {8, &Generator::add_downsample},        {8, &Generator::add_upsample},
        {7, &Generator::add_inline_reduction},  {7, &Generator::add_window_update},
        {4, &Generator::add_predicated_update}, {5, &Generator::add_whole_dimension},
        {5, &Generator::add_scan},              {4, &Generator::add_histogram},
        {4, &Generator::add_lookup},            {5, &Generator::add_gather},
        {6, &Generator::add_select},            {4, &Generator::add_tuple},
        {2, &Generator::add_argmax},            {3, &Generator::add_transposed},
        {4, &Generator::add_boundary},          {4, &Generator::add_in_place},
        {4, &Generator::add_contraction},
    };
    int total = 0;
    for (const Choice &choice : choices) {
        total += choice.weight;
    }
    int left = draw_.below(total);
    for (const Choice &choice : choices) {
        left -= choice.weight;
        if (left < 0) {
            (this->*choice.make)();
            return;
        }
    }
}

/// The last stage is an output; sometimes another stage is too, through a copy (so that no output
/// asks another for more than the caller's buffer holds), or a last one that reads the first.
void Generator::add_outputs() {
    const Source last = sources_.back();
    Func out("out");
    const Stored value = stored_as_random_type(draw_, read(last, here()));
    out(vars_) = value.expr;
    builder_.output(out, shape_);
    text_ << "out: " << value.expr.type() << " of " << last.name << "\n";
    if (draw_.chance(25)) {
        const Source other = pick_source();
        Func copy("copy");
        const Value both = random_binary(draw_, read(other, here()), read(last, here()));
        copy(vars_) = stored_as_random_type(draw_, both).expr;
        builder_.output(copy, shape_);
        text_ << "copy: output of " << other.name << " and " << last.name << "\n";
    }
    if (draw_.chance(20)) {
        Func after("after");
        const Value first = loaded(out(here()), value.low, value.high);
        const Source other = pick_source();
        const Value both = random_binary(draw_, first, read(other, here()));
        after(vars_) = stored_as_random_type(draw_, both).expr;
        builder_.output(after, shape_);
        text_ << "after: output of out and " << other.name << "\n";
    }
}

// ---------------------------------------------------------------------------------------------
// Reading and defining

/// Later stages are likelier, so that pipelines are deep rather than flat.
Source Generator::pick_source() {
    const int count = static_cast<int>(sources_.size());
    const int first = draw_.chance(60) ? std::max(0, count - 2) : 0;
    return sources_[static_cast<size_t>(draw_.between(first, count - 1))];
}

std::vector<Expr> Generator::here() const { return {vars_.begin(), vars_.end()}; }

Value Generator::read(const Source &source, std::vector<Expr> at) {
    std::vector<Expr> own;
    for (size_t i = 0; i < source.axes.size(); i++) {
        Expr coordinate = at[static_cast<size_t>(source.axes[i])];
        if (const auto &domain = source.domain[i]) {
            coordinate = clamp(coordinate, domain->min, domain->min + domain->extent - 1);
        }
        own.push_back(coordinate);
    }
    Func func = source.func;
    if (source.element >= 0) {
        return loaded(func(own)[source.element], source.low, source.high);
    }
    return loaded(func(own), source.low, source.high);
}

Func Generator::named_func(const std::string &kind) {
    return Func(kind + "_" + std::to_string(stages_));
}

Source &Generator::add(const Func &func, const std::string &kind, const std::string &reads,
                       double low, double high, int halvings) {
    Source source;
    source.name = kind + "_" + std::to_string(stages_++);
    source.func = func;
    source.low = low;
    source.high = high;
    source.halvings = halvings;
    for (int d = 0; d < dims_; d++) {
        source.axes.push_back(d);
    }
    source.domain.resize(static_cast<size_t>(dims_));
    text_ << source.name << ": " << (func.outputs() == 1 ? "" : "tuple of ") << func.types()[0]
          << ", reads " << reads << "\n";
    sources_.push_back(source);
    return sources_.back();
}

void Generator::define(const std::string &kind, const std::string &reads, const Value &value,
                       int halvings) {
    Func func = named_func(kind);
    const Stored stored = stored_as_random_type(draw_, value);
    func(vars_) = stored.expr;
    add(func, kind, reads, stored.low, stored.high, halvings);
}

Generator::Window Generator::random_window(int step) {
    const int first = random_axis();
    const int width = draw_.between(1, 5);
    const int start = draw_.between(-3, 1);
    std::vector<Expr> at = here();
    if (dims_ > 1 && draw_.chance(50)) {
        const int second = (first + 1) % dims_;
        const int height = draw_.between(1, 3);
        RDom domain(start, width, -1, height);
        at[first] = at[first] * step + domain.x;
        at[second] = at[second] + domain.y;
        return {domain, at, width * height};
    }
    RDom domain(start, width);
    at[first] = at[first] * step + domain.x;
    return {domain, at, width};
}

// ---------------------------------------------------------------------------------------------
// Kinds of stages

void Generator::add_pointwise() {
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

void Generator::add_stencil() {
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

void Generator::add_downsample() {
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

void Generator::add_upsample() {
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

void Generator::add_inline_reduction() {
    const Source a = pick_source();
    const bool strided = a.halvings < 2 && draw_.chance(30);
    const Window window = random_window(strided ? 2 : 1);
    const Value term = bounded_term(read(a, window.at), 10000);
    Value value;
    switch (draw_.below(3)) {
    case 0:
        value = {sum(window.domain, term.expr), term.low * window.size, term.high * window.size};
        break;
    case 1:
        value = {maximum(window.domain, term.expr), term.low, term.high};
        break;
    default:
        value = {minimum(window.domain, term.expr), term.low, term.high};
    }
    define("inline", a.name, value, a.halvings + strided);
}

void Generator::add_window_update() {
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

void Generator::add_predicated_update() {
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
    at[axis] = at[axis] + r.x - r.y;
    const Value term = bounded_term(read(a, at), 10000);
    Func func = named_func("predicated");
    func(vars_) = cast(term.expr.type(), 1);
    func(vars_) += term.expr * cast(term.expr.type(), r.x + 1);
    add(func, "predicated", a.name, std::min(term.low, 0.0) * 64, std::max(term.high, 0.0) * 64 + 1,
        a.halvings);
}

/// Reduces a whole dimension (of the output's size); the result is read as a broadcast.
void Generator::add_whole_dimension() {
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
    Source &source = add(func, "whole", a.name, std::min(term.low, 0.0) * bounds.extent,
                         std::max(term.high, 0.0) * bounds.extent, a.halvings);
    source.axes = axes;
    source.domain.resize(axes.size());
}

/// A product of matrices, with any further dimensions as a batch.
void Generator::add_contraction() {
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
void Generator::add_scan() {
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
    Source &source = add(func, "scan", a.name, start.low - 1, start.high, a.halvings);
    source.domain[static_cast<size_t>(axis)] = bounds;
}

void Generator::add_histogram() {
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

void Generator::add_lookup() {
    const Source a = pick_source();
    if (tables_.empty()) {
        const int bins = draw_.chance(40) ? 256 : draw_.between(8, 256);
        Func curve = named_func("curve");
        Var bin("bin");
        curve(bin) = cast<uint16_t>((bin * bin + 7 * bin) % 1000);
        tables_.push_back({"curve_" + std::to_string(stages_), curve, bins, 0, 999});
        text_ << tables_.back().name << ": table of " << bins << "\n";
    }
    const Table &table = tables_.back();
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
void Generator::add_gather() {
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

void Generator::add_select() {
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

void Generator::add_tuple() {
    const Source a = pick_source();
    const Source b = pick_source();
    const Stored first = stored_as_random_type(draw_, read(a, here()));
    const Value both = random_binary(draw_, read(a, here()), read(b, here()));
    const Stored second = stored_as_random_type(draw_, both);
    Func func = named_func("tuple");
    func(vars_) = Tuple(first.expr, second.expr);
    Source &one = add(func, "tuple", a.name + " " + b.name, first.low, first.high,
                      std::max(a.halvings, b.halvings));
    one.element = 0;
    Source other = one;
    other.name += "[1]";
    other.element = 1;
    other.low = second.low;
    other.high = second.high;
    sources_.push_back(other);
}

void Generator::add_argmax() {
    const Source a = pick_source();
    const Window window = random_window(1);
    const Value term = limited(integer_or(read(a, window.at), 5), 50000);
    // No ties: which of two equal values wins depends on the order in which they are visited.
    const Value key = {term.expr * 16 + window.domain.x, term.low * 16 - 3, term.high * 16 + 16};
    Tuple best = argmax(window.domain, key.expr);
    const bool place = draw_.chance(50);
    const Value value =
        place ? Value{best[0], -4, 8} : Value{best.as_vector().back(), key.low, key.high};
    define("argmax", a.name, value, a.halvings);
}

void Generator::add_transposed() {
    const Source a = pick_source();
    std::vector<Expr> at = here();
    std::reverse(at.begin(), at.end());
    if (dims_ == 1) {
        at[0] = -at[0];
    }
    define("transposed", a.name, read(a, at), a.halvings);
}

/// A boundary condition on a computed stage, whose bounds are constants.
void Generator::add_boundary() {
    const Source a = pick_source();
    if (a.element >= 0 || a.axes.size() != static_cast<size_t>(dims_)) {
        return add_stencil();
    }
    Region bounds;
    for (const DimBounds &dim : shape_) {
        bounds.emplace_back(dim.min, dim.extent);
    }
    Func source = a.func;
    const int kind = draw_.below(3);
    Func bounded = kind == 0   ? BoundaryConditions::repeat_edge(source, bounds)
                   : kind == 1 ? BoundaryConditions::mirror_image(source, bounds)
                               : BoundaryConditions::constant_exterior(source, cast(source.type(), 0), bounds);
    add(bounded, "boundary", a.name, std::min(a.low, 0.0), std::max(a.high, 0.0), a.halvings);
}

/// Updates of slices and of every other element, which read what they overwrite.
void Generator::add_in_place() {
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
    Source &source =
        add(func, "in_place", a.name, std::min(start.low, 0.0) - 1, std::max(start.high, 0.0) + 2,
            a.halvings);
    source.domain[static_cast<size_t>(axis)] = bounds;
}

}  // namespace

TestPipeline random_pipeline(uint64_t seed) {
    TestPipeline test;
    test.name = "random_" + std::to_string(seed);
    test.kind = "random";
    test.build = [seed] { return Generator(seed).build(); };
    Generator describe(seed);
    describe.build();
    test.description = "seed " + std::to_string(seed) + "\n" + describe.description();
    return test;
}

}  // namespace nestor::testing
