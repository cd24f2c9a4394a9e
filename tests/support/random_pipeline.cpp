#include "random_pipeline.h"

#include <algorithm>

#include "random_generator.h"

namespace nestor::testing {

using namespace Halide;

// ---------------------------------------------------------------------------------------------
// Frame

BuiltPipeline PipelineGenerator::build() {
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

void PipelineGenerator::choose_shape() {
    static const std::vector<int> ranks = {1, 2, 2, 2, 2, 3, 3, 4};
    static const std::vector<std::vector<int>> small = {
        {300}, {80, 60}, {40, 30, 6}, {14, 12, 6, 4}};
    static const std::vector<std::vector<int>> pictures = {
        {2'000'000}, {1600, 1200}, {800, 600, 4}, {80, 60, 32, 8}};
    const std::vector<std::vector<int>>& largest = size_ == RandomSize::Small ? small : pictures;
    static const char* const names[] = {"x", "y", "z", "w"};
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
    for (const DimBounds& dim : shape_) {
        text_ << " [" << dim.min << ", +" << dim.extent << "]";
    }
    text_ << "\n";
}

void PipelineGenerator::add_inputs() {
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

Func PipelineGenerator::random_boundary(const ImageParam& image) {
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

void PipelineGenerator::add_scalars() {
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

void PipelineGenerator::add_random_stage() {
    static const std::vector<Choice> choices = {
        {14, &PipelineGenerator::add_pointwise},
        {14, &PipelineGenerator::add_stencil},
        {8, &PipelineGenerator::add_downsample},
        {8, &PipelineGenerator::add_upsample},
        {7, &PipelineGenerator::add_inline_reduction},
        {7, &PipelineGenerator::add_window_update},
        {4, &PipelineGenerator::add_predicated_update},
        {5, &PipelineGenerator::add_whole_dimension},
        {5, &PipelineGenerator::add_scan},
        {4, &PipelineGenerator::add_histogram},
        {4, &PipelineGenerator::add_lookup},
        {5, &PipelineGenerator::add_gather},
        {6, &PipelineGenerator::add_select},
        {4, &PipelineGenerator::add_tuple},
        {2, &PipelineGenerator::add_argmax},
        {3, &PipelineGenerator::add_transposed},
        {4, &PipelineGenerator::add_boundary},
        {4, &PipelineGenerator::add_in_place},
        {4, &PipelineGenerator::add_contraction},
    };
    int total = 0;
    for (const Choice& choice : choices) {
        total += choice.weight;
    }
    int left = draw_.below(total);
    for (const Choice& choice : choices) {
        left -= choice.weight;
        if (left < 0) {
            (this->*choice.make)();
            return;
        }
    }
}

/// The last stage is an output; sometimes another stage is too, through a copy (so that no output
/// asks another for more than the caller's buffer holds), or a last one that reads the first.
void PipelineGenerator::add_outputs() {
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
Source PipelineGenerator::pick_source() {
    const int count = static_cast<int>(sources_.size());
    const int first = draw_.chance(60) ? std::max(0, count - 2) : 0;
    return sources_[static_cast<size_t>(draw_.between(first, count - 1))];
}

std::vector<Expr> PipelineGenerator::here() const {
    return {vars_.begin(), vars_.end()};
}

Value PipelineGenerator::read(const Source& source, std::vector<Expr> at) {
    std::vector<Expr> own;
    for (size_t i = 0; i < source.axes.size(); i++) {
        Expr coordinate = at[static_cast<size_t>(source.axes[i])];
        if (const auto& domain = source.domain[i]) {
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

Func PipelineGenerator::named_func(const std::string& kind) {
    return Func(kind + "_" + std::to_string(stages_));
}

Source& PipelineGenerator::add(const Func& func, const std::string& kind, const std::string& reads,
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

void PipelineGenerator::define(const std::string& kind, const std::string& reads,
                               const Value& value, int halvings) {
    Func func = named_func(kind);
    const Stored stored = stored_as_random_type(draw_, value);
    func(vars_) = stored.expr;
    add(func, kind, reads, stored.low, stored.high, halvings);
}

PipelineGenerator::Window PipelineGenerator::random_window(int step) {
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

TestPipeline random_pipeline(uint64_t seed, RandomSize size) {
    TestPipeline test;
    test.name = "random_" + std::to_string(seed);
    test.kind = "random";
    test.build = [=] { return PipelineGenerator(seed, size).build(); };
    PipelineGenerator describe(seed, size);
    describe.build();
    test.description = "seed " + std::to_string(seed) + "\n" + describe.description();
    return test;
}

}  // namespace nestor::testing
