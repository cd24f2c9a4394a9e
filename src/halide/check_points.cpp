// The sizes at which verify() tries a schedule.

#include <algorithm>
#include <cstdlib>
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

std::optional<std::int64_t> constant(const Expr& e) {
    Interpreter constants;
    const Value value = constants.evaluate(e);
    const auto* integer = as_integer(value);
    return integer != nullptr ? std::optional(*integer) : std::nullopt;
}

/** Func::set_estimate() and Func::bound() of one argument. */
void read_schedule(const std::vector<ir::Bound>& bounds, const std::string& arg, bool fixes,
                   OutputDim& dim) {
    for (const ir::Bound& bound : bounds) {
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

void read_parameter(const Halide::Parameter& parameter, int index, OutputDim& dim) {
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

std::vector<Output> read_outputs(const Halide::Pipeline& pipeline) {
    std::vector<Output> outputs;
    for (const Halide::Func& f : pipeline.outputs()) {
        const ir::Function function = f.function();
        for (const Halide::Parameter& buffer : function.output_buffers()) {
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

using Scalars = std::map<std::string, Expr>;

/** Values of the integer and boolean parameters that have an estimate, `step` away from it (the
 * others stay at their estimates); booleans are flipped. */
Scalars read_scalars(const Halide::Pipeline& pipeline, int step) {
    Scalars scalars;
    for (const Halide::Argument& argument : arguments(pipeline)) {
        const Expr& estimate = argument.argument_estimates.scalar_estimate;
        if (argument.is_buffer() || !estimate.defined()) {
            continue;
        }
        const auto value = constant(estimate);
        if (step == 0 || !value || argument.type.is_handle()) {
            scalars[argument.name] = estimate;
        } else if (argument.type.is_bool()) {
            scalars[argument.name] = ir::make_const(argument.type, *value == 0 ? 1 : 0);
        } else {
            scalars[argument.name] = ir::make_const(argument.type, *value + step);
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
    int scalar_step = 0;
};

std::vector<Size> sizes(int dimensions) {
    const Sizing same = [](std::int64_t extent, int) { return extent; };
    std::vector<Size> all = {
        {"the estimates", same},
        {"the estimates, larger parameters", same, 0, 1},
        {"the estimates, smaller parameters", same, 0, -1},
        {"half", [](std::int64_t extent, int) { return extent / 2; }},
        {"a crop", [](std::int64_t extent, int) { return extent / 3 + 1; }, 13},
    };
    for (const std::int64_t more : {1, -1, 2, -3, 5, 7, -9, 16}) {
        all.push_back({"the estimates " + std::string(more > 0 ? "+ " : "- ") +
                           std::to_string(std::abs(more)),
                       [more](std::int64_t extent, int) { return extent + more; }});
    }
    for (const std::int64_t tiny : {1, 2, 3, 4, 5, 7, 8, 9, 15, 17, 31, 33, 65}) {
        all.push_back({std::to_string(tiny) + " in all dimensions",
                       [tiny](std::int64_t, int) { return tiny; }});
    }
    static constexpr std::int64_t primes[] = {19, 5, 3, 2};
    all.push_back({"primes", [](std::int64_t, int dim) { return primes[std::min(dim, 3)]; }});
    all.push_back(
        {"primes reversed", [](std::int64_t, int dim) { return primes[3 - std::min(dim, 3)]; }});
    for (int i = 0; dimensions > 1 && i < dimensions; i++) {
        const std::string dim = "dimension " + std::to_string(i);
        all.push_back(
            {dim + " tiny", [i](std::int64_t extent, int d) { return d == i ? 3 : extent; }});
        all.push_back({"all but " + dim + " tiny",
                       [i](std::int64_t extent, int d) { return d == i ? extent : 1; }});
    }
    return all;
}

/** What identifies a point, whatever its name. */
using PointKey = std::pair<int, std::vector<std::pair<std::int64_t, std::int64_t>>>;

}  // namespace

std::vector<CheckPoint> check_points(const Halide::Pipeline& pipeline) {
    const std::vector<Output> outputs = read_outputs(pipeline);
    std::vector<std::int64_t> largest;  // estimated extent of each dimension, over all outputs
    for (const Output& output : outputs) {
        for (std::size_t d = 0; d < output.dims.size(); d++) {
            largest.resize(std::max(largest.size(), d + 1), 1);
            largest[d] = std::max(largest[d], output.dims[d].estimate.extent);
        }
    }
    std::map<int, Scalars> scalars;
    for (const int step : {0, 1, -1}) {
        scalars[step] = read_scalars(pipeline, step);
    }
    std::vector<CheckPoint> points;
    std::set<PointKey> seen;
    for (const Size& size : sizes(static_cast<int>(largest.size()))) {
        CheckPoint point{size.text, {}, scalars[size.scalar_step]};
        PointKey key{scalars[0].empty() ? 0 : size.scalar_step, {}};
        for (const Output& output : outputs) {
            BufferRegion& region = point.outputs[output.buffer];
            for (std::size_t d = 0; d < output.dims.size(); d++) {
                const OutputDim& dim = output.dims[d];
                // Outputs of other sizes scale alike: an output of half the size stays at half.
                const std::int64_t sized = size.sizing(largest[d], static_cast<int>(d));
                const std::int64_t extent =
                    (dim.estimate.extent * sized + largest[d] - 1) / largest[d];
                region.push_back(
                    {dim.estimate.min + (dim.fixed_min ? 0 : size.shift),
                     dim.fixed_extent ? dim.estimate.extent : std::max<std::int64_t>(extent, 1)});
                key.second.emplace_back(region.back().min, region.back().extent);
            }
        }
        if (seen.insert(std::move(key)).second) {
            points.push_back(std::move(point));
        }
    }
    return points;
}

}  // namespace nestor
