#include "arguments.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace nestor::compare {

namespace {

using Shape = std::vector<halide_dimension_t>;

/** Gives the dimensions strides without gaps; the first of `order` is the innermost. */
void make_dense(Shape& shape, const std::vector<int>& order) {
    int stride = 1;
    for (const int d : order) {
        shape[d].stride = stride;
        stride *= std::max(shape[d].extent, 1);
    }
}

std::vector<int> planar_order(std::size_t dimensions) {
    std::vector<int> order(dimensions);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

/** The dimensions from the innermost to the outermost. */
std::vector<int> order_of(const AnyBuffer& buffer) {
    std::vector<int> order = planar_order(buffer.dimensions());
    std::sort(order.begin(), order.end(), [&](int a, int b) {
        return std::pair(std::abs(buffer.dim(a).stride()), a) <
               std::pair(std::abs(buffer.dim(b).stride()), b);
    });
    return order;
}

AnyBuffer unallocated(halide_type_t type, Shape shape) {
    return AnyBuffer(type, nullptr, static_cast<int>(shape.size()), shape.data());
}

/** Writes `value` to a scalar of any type. */
void set_scalar(halide_scalar_value_t& scalar, halide_type_t type, const nlohmann::json& value) {
    if (type.code == halide_type_float) {
        const double number = value.get<double>();
        if (type.bits == 64) {
            scalar.u.f64 = number;
        } else if (type.bits == 32) {
            scalar.u.f32 = static_cast<float>(number);
        } else {
            throw std::runtime_error("cannot set a floating-point scalar of 16 bits");
        }
    } else {
        // Little-endian: the low bytes come first, whatever the width.
        scalar.u.u64 = value.is_boolean() ? value.get<bool>()
                       : value.is_number_unsigned()
                           ? value.get<std::uint64_t>()
                           : static_cast<std::uint64_t>(value.get<std::int64_t>());
    }
}

nlohmann::json scalar_as_json(const halide_scalar_value_t& scalar, halide_type_t type) {
    if (type.code == halide_type_float) {
        return type.bits == 64 ? scalar.u.f64 : scalar.u.f32;
    }
    const int unused = 64 - std::max<int>(type.bits, 8);
    if (type.code == halide_type_int) {
        return static_cast<std::int64_t>(scalar.u.u64 << unused) >> unused;
    }
    return scalar.u.u64 << unused >> unused;
}

}  // namespace

Arguments::Arguments(const Version& version, const nlohmann::json& scalars) {
    const halide_filter_metadata_t& metadata = version.metadata();
    for (int i = 0; i < metadata.num_arguments; i++) {
        const halide_filter_argument_t& info = metadata.arguments[i];
        Argument argument;
        argument.info = &info;
        if (info.kind != halide_argument_kind_input_scalar) {
            size_from_estimates(argument);
        } else if (scalars.contains(info.name)) {
            set_scalar(argument.scalar, info.type, scalars[info.name]);
        } else if (info.scalar_estimate != nullptr) {
            argument.scalar = *info.scalar_estimate;
        } else if (info.scalar_def != nullptr) {
            argument.scalar = *info.scalar_def;
        }
        arguments.push_back(argument);
    }
    query_bounds(version);
}

void Arguments::size_from_estimates(Argument& argument) {
    const halide_filter_argument_t& info = *argument.info;
    Shape shape(info.dimensions);
    for (int d = 0; d < info.dimensions; d++) {
        const std::int64_t* min = info.buffer_estimates ? info.buffer_estimates[2 * d] : nullptr;
        const std::int64_t* extent =
            info.buffer_estimates ? info.buffer_estimates[2 * d + 1] : nullptr;
        if ((min == nullptr || extent == nullptr) &&
            info.kind == halide_argument_kind_output_buffer) {
            throw std::runtime_error(std::string("output ") + info.name +
                                     " has no estimate in dimension " + std::to_string(d));
        }
        shape[d].min = min != nullptr ? static_cast<int>(*min) : 0;
        shape[d].extent = extent != nullptr ? static_cast<int>(*extent) : 0;
    }
    make_dense(shape, planar_order(shape.size()));
    argument.buffer = unallocated(info.type, shape);
}

void Arguments::query_bounds(const Version& version) {
    std::vector<Shape> wished;
    for (const Argument& argument : arguments) {
        const halide_dimension_t* dimensions = argument.buffer.raw_buffer()->dim;
        wished.emplace_back(dimensions, dimensions + argument.info->dimensions);
    }
    collect_pointers();
    version.run(argv());
    for (std::size_t i = 0; i < arguments.size(); i++) {
        Argument& argument = arguments[i];
        if (argument.info->kind == halide_argument_kind_input_scalar) {
            continue;
        }
        // The estimates, or what is needed; with the strides in the order that the answer has them.
        Shape shape = wished[i];
        const halide_dimension_t* answer = argument.buffer.raw_buffer()->dim;
        for (std::size_t d = 0; d < shape.size(); d++) {
            if (shape[d].extent == 0) {
                shape[d].min = answer[d].min;
                shape[d].extent = answer[d].extent;
            }
        }
        make_dense(shape, order_of(argument.buffer));
        argument.buffer = unallocated(argument.info->type, shape);
    }
    collect_pointers();
}

void Arguments::load(const nlohmann::json& inputs) {
    for (Argument& argument : arguments) {
        if (argument.info->kind == halide_argument_kind_input_buffer) {
            fill(argument, inputs);
        } else if (argument.info->kind == halide_argument_kind_output_buffer) {
            argument.buffer.allocate();
            // Touched here, so that no version pays for the first access to its pages.
            std::memset(argument.buffer.begin(), 0, argument.buffer.size_in_bytes());
        }
    }
    collect_pointers();
}

void Arguments::fill(Argument& argument, const nlohmann::json& inputs) {
    const std::string name = argument.info->name;
    if (!inputs.contains(name)) {
        throw std::runtime_error("no file for input " + name);
    }
    const auto file = inputs[name].at("file").get<std::string>();
    const auto minima = inputs[name].at("minima").get<std::vector<int>>();
    AnyBuffer array = read_npy(file);
    if (array.type() != argument.buffer.type() || array.dimensions() != argument.info->dimensions ||
        minima.size() != static_cast<std::size_t>(argument.info->dimensions)) {
        throw std::runtime_error(file + " has not the type or the dimensions of input " + name);
    }
    Shape shape(minima.size());
    for (int d = 0; d < array.dimensions(); d++) {
        array.translate(d, minima[d]);
        shape[d].min = minima[d];
        shape[d].extent = array.dim(d).extent();
    }
    make_dense(shape, order_of(argument.buffer));
    argument.buffer = unallocated(argument.info->type, shape);
    argument.buffer.allocate();
    argument.buffer.copy_from(array);
}

void Arguments::collect_pointers() {
    pointers.clear();
    for (Argument& argument : arguments) {
        const bool scalar = argument.info->kind == halide_argument_kind_input_scalar;
        pointers.push_back(scalar ? static_cast<void*>(&argument.scalar)
                                  : static_cast<void*>(argument.buffer.raw_buffer()));
    }
}

nlohmann::json Arguments::describe() const {
    nlohmann::json all = nlohmann::json::array();
    for (const Argument& argument : arguments) {
        const halide_filter_argument_t& info = *argument.info;
        nlohmann::json one = {{"name", info.name}};
        if (info.kind == halide_argument_kind_input_scalar) {
            one["kind"] = "scalar";
            if (info.type.code != halide_type_handle) {
                one["value"] = scalar_as_json(argument.scalar, info.type);
            }
        } else {
            one["kind"] = info.kind == halide_argument_kind_output_buffer ? "output" : "input";
            one["type"] = type_name(info.type);
            one["minima"] = nlohmann::json::array();
            one["extents"] = nlohmann::json::array();
            for (int d = 0; d < info.dimensions; d++) {
                one["minima"].push_back(argument.buffer.dim(d).min());
                one["extents"].push_back(argument.buffer.dim(d).extent());
            }
        }
        all.push_back(one);
    }
    return all;
}

void Arguments::write_outputs(const std::string& directory) const {
    for (const Argument& argument : arguments) {
        if (argument.info->kind == halide_argument_kind_output_buffer) {
            write_npy(directory + "/" + argument.info->name + ".npy", argument.buffer);
        }
    }
}

}  // namespace nestor::compare
