// The sizes at which verify() tries a schedule.

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "halide/verify.h"

namespace nestor {

using Halide::Expr;
namespace ir = Halide::Internal;

namespace {

// For a dimension without estimate, which the reader refuses unless it is told an extent to assume.
constexpr std::int64_t kAssumedExtent = 100;

struct OutputDim {
    Range estimate;
    bool fixed_min = false;
    bool fixed_extent = false;
};

struct Output {
    std::string buffer;
    std::vector<OutputDim> dims;
};

std::optional<std::int64_t> constant(const Expr &e) {
    Interpreter constants;
    const Value value = constants.evaluate(e);
    const auto *integer = as_integer(value);
    return integer != nullptr ? std::optional(*integer) : std::nullopt;
}

/** Func::set_estimate() and Func::bound() of one argument. */
void read_schedule(const std::vector<ir::Bound> &bounds, const std::string &arg, bool fixes, OutputDim &dim) {
    for (const ir::Bound &bound : bounds) {
        if (bound.var != arg) {
            continue;
        }
        if (const auto min = constant(bound.min)) {
            dim.estimate.min = *min;
            dim.fixed_min = dim.fixed_min || fixes;
        }
        if (const auto extent = constant(bound.extent)) {
            dim.estimate.extent = *extent;
            dim.fixed_extent = dim.fixed_extent || fixes;
        }
    }
}

void read_parameter(const Halide::Parameter &parameter, int index, OutputDim &dim) {
    if (const auto min = constant(parameter.min_constraint_estimate(index))) {
        dim.estimate.min = *min;
    }
    if (const auto extent = constant(parameter.extent_constraint_estimate(index))) {
        dim.estimate.extent = *extent;
    }
    if (const auto min = constant(parameter.min_constraint(index))) {
        dim.estimate.min = *min;
        dim.fixed_min = true;
    }
    if (const auto extent = constant(parameter.extent_constraint(index))) {
        dim.estimate.extent = *extent;
        dim.fixed_extent = true;
    }
}

std::vector<Output> read_outputs(const Halide::Pipeline &pipeline) {
    std::vector<Output> outputs;
    for (const Halide::Func &f : pipeline.outputs()) {
        const ir::Function function = f.function();
        for (const Halide::Parameter &buffer : function.output_buffers()) {
            Output output{buffer.name(), {}};
            for (int i = 0; i < function.dimensions(); i++) {
                OutputDim dim{{0, kAssumedExtent}};
                read_schedule(function.schedule().estimates(), function.args()[i], false, dim);
                read_parameter(buffer, i, dim);
                read_schedule(function.schedule().bounds(), function.args()[i], true, dim);
                output.dims.push_back(dim);
            }
            outputs.push_back(std::move(output));
        }
    }
    return outputs;
}

/** The estimates of scalars, by argument. */
std::map<std::string, Expr> read_scalars(const Halide::Pipeline &pipeline) {
    std::map<std::string, Expr> scalars;
    for (const Halide::Argument &argument : arguments(pipeline)) {
        if (!argument.is_buffer() && argument.argument_estimates.scalar_estimate.defined()) {
            scalars[argument.name] = argument.argument_estimates.scalar_estimate;
        }
    }
    return scalars;
}

/** A new extent from the estimated one of dimension `dim`. */
using Sizing = std::function<std::int64_t(std::int64_t extent, int dim)>;

struct Size {
    std::string text;
    Sizing sizing;
    std::int64_t shift = 0;  // of all minima
};

std::vector<Size> sizes(int dimensions) {
    std::vector<Size> all = {
        {"the estimates", [](auto extent, int) { return extent; }},
        {"one more", [](auto extent, int) { return extent + 1; }},
        {"one less", [](auto extent, int) { return extent - 1; }},
        {"half", [](auto extent, int) { return extent / 2; }},
        {"a crop", [](auto extent, int) { return extent / 3 + 1; }, 13},
    };
    for (const std::int64_t tiny : {1, 2, 3, 7, 19}) {
        all.push_back({std::to_string(tiny) + " in all dimensions", [tiny](auto, int) { return tiny; }});
    }
    constexpr std::int64_t primes[] = {17, 5, 3, 2};
    all.push_back({"primes", [&](auto, int dim) { return primes[std::min(dim, 3)]; }});
    all.push_back({"primes reversed", [&](auto, int dim) { return primes[3 - std::min(dim, 3)]; }});
    for (int i = 0; dimensions > 1 && i < dimensions; i++) {
        const std::string dim = "dimension " + std::to_string(i);
        all.push_back({dim + " tiny", [i](auto extent, int d) { return d == i ? 3 : extent; }});
        all.push_back({"all but " + dim + " tiny", [i](auto extent, int d) { return d == i ? extent : 1; }});
    }
    return all;
}

}  // namespace

std::vector<CheckPoint> check_points(const Halide::Pipeline &pipeline) {
    const std::vector<Output> outputs = read_outputs(pipeline);
    const std::map<std::string, Expr> scalars = read_scalars(pipeline);
    std::vector<std::int64_t> largest;  // estimated extent of each dimension, over all outputs
    for (const Output &output : outputs) {
        for (std::size_t d = 0; d < output.dims.size(); d++) {
            largest.resize(std::max(largest.size(), d + 1), 1);
            largest[d] = std::max(largest[d], output.dims[d].estimate.extent);
        }
    }
    std::vector<CheckPoint> points;
    std::set<std::map<std::string, std::vector<std::pair<std::int64_t, std::int64_t>>>> seen;
    for (const Size &size : sizes(static_cast<int>(largest.size()))) {
        CheckPoint point{size.text, {}, scalars};
        std::map<std::string, std::vector<std::pair<std::int64_t, std::int64_t>>> key;
        for (const Output &output : outputs) {
            BufferRegion &region = point.outputs[output.buffer];
            for (std::size_t d = 0; d < output.dims.size(); d++) {
                const OutputDim &dim = output.dims[d];
                // Outputs of other sizes scale alike: an output of half the size stays at half.
                const std::int64_t sized = size.sizing(largest[d], static_cast<int>(d));
                const std::int64_t extent = (dim.estimate.extent * sized + largest[d] - 1) / largest[d];
                region.push_back({dim.estimate.min + (dim.fixed_min ? 0 : size.shift),
                                  dim.fixed_extent ? dim.estimate.extent : std::max<std::int64_t>(extent, 1)});
                key[output.buffer].emplace_back(region.back().min, region.back().extent);
            }
        }
        if (seen.insert(key).second) {
            points.push_back(std::move(point));
        }
    }
    return points;
}

}  // namespace nestor
