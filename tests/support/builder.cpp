#include <algorithm>
#include <cstring>

#include "pipelines.h"

namespace nestor::testing {

ValueRange default_range(Halide::Type type) {
    if (type.is_float()) {
        return {-2.0, 2.0};
    }
    if (type.bits() <= 16) {
        const double span = static_cast<double>(int64_t{1} << type.bits());
        return type.is_uint() ? ValueRange{0, span - 1} : ValueRange{-span / 2, span / 2 - 1};
    }
    // Wider integers stay small: signed overflow is undefined in Halide, and sums must not reach
    // it.
    return type.is_uint() ? ValueRange{0, 1000} : ValueRange{-1000, 1000};
}

Halide::Target target_of(const BuiltPipeline& built) {
    Halide::Target target = Halide::get_jit_target_from_environment();
    for (Halide::Target::Feature feature : built.expect.features) {
        target = target.with_feature(feature);
    }
    return target;
}

Halide::ImageParam PipelineBuilder::image(Halide::Type type, const std::string& name,
                                          const Box& estimate) {
    return image(type, name, estimate, InputOptions{});
}

Halide::ImageParam PipelineBuilder::image(Halide::Type type, const std::string& name,
                                          const Box& estimate, const InputOptions& options) {
    Halide::ImageParam image(type, static_cast<int>(estimate.size()), name);
    for (size_t d = 0; d < estimate.size(); d++) {
        image.dim(static_cast<int>(d)).set_estimate(estimate[d].min, estimate[d].extent);
    }
    ValueRange range = options.range;
    if (range.low == 0 && range.high == 0) {
        range = default_range(type);
    }
    built_.inputs.push_back({image, estimate, options.size, options.layout, range});
    return image;
}

void PipelineBuilder::add_scalar(const Halide::Parameter& parameter, std::vector<double> values) {
    built_.scalars.push_back({parameter, std::move(values)});
}

void PipelineBuilder::output(const Halide::Func& func, const Box& estimate, const Layout& layout) {
    Halide::Region region;
    for (const DimBounds& dim : estimate) {
        region.emplace_back(dim.min, dim.extent);
    }
    Halide::Func(func).set_estimates(region);
    built_.outputs.push_back({func, estimate, layout});
}

void PipelineBuilder::jit_extern(const std::string& name, const Halide::JITExtern& function) {
    built_.externs.emplace(name, function);
}

BuiltPipeline PipelineBuilder::finish() {
    std::vector<Halide::Func> funcs;
    for (const PipelineOutput& output : built_.outputs) {
        funcs.push_back(output.func);
    }
    built_.pipeline = Halide::Pipeline(funcs);
    if (!built_.externs.empty()) {
        built_.pipeline.set_jit_externs(built_.externs);
    }
    return std::move(built_);
}

}  // namespace nestor::testing
