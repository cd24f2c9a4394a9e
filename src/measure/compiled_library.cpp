#include "measure/compiled_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "measure/runtime_hooks.h"

namespace nestor {

namespace {

/** What the run-time exports; these names are its interface (HalideRuntime.h). */
template <class Function>
Function* find_function(void* handle, const std::string& name) {
    return reinterpret_cast<Function*>(dlsym(handle, name.c_str()));
}

using Dimensions = std::vector<halide_dimension_t>;

/** Gives the dimensions strides without gaps; the first of `order` is the innermost. */
void make_dense(Dimensions& dimensions, const std::vector<int>& order) {
    int stride = 1;
    for (const int d : order) {
        dimensions[static_cast<std::size_t>(d)].stride = stride;
        stride *= std::max(dimensions[static_cast<std::size_t>(d)].extent, 1);
    }
}

std::vector<int> planar_order(std::size_t dimensions) {
    std::vector<int> order(dimensions);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

std::vector<int> order_of(const Dimensions& dimensions) {
    std::vector<int> order = planar_order(dimensions.size());
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return std::abs(dimensions[static_cast<std::size_t>(a)].stride) <
               std::abs(dimensions[static_cast<std::size_t>(b)].stride);
    });
    return order;
}

Result<Dimensions> estimated(const halide_filter_argument_t& info) {
    Dimensions dimensions(static_cast<std::size_t>(info.dimensions));
    for (int d = 0; d < info.dimensions; d++) {
        const std::int64_t* const* estimates = info.buffer_estimates;
        const std::int64_t* min = estimates != nullptr ? estimates[2 * d] : nullptr;
        const std::int64_t* extent = estimates != nullptr ? estimates[2 * d + 1] : nullptr;
        if ((min == nullptr || extent == nullptr) &&
            info.kind == halide_argument_kind_output_buffer) {
            return Error{std::string("output ") + info.name + " has no estimate in dimension " +
                         std::to_string(d)};
        }
        halide_dimension_t& dimension = dimensions[static_cast<std::size_t>(d)];
        dimension.min = min != nullptr ? static_cast<int>(*min) : 0;
        dimension.extent = extent != nullptr ? static_cast<int>(*extent) : 0;
    }
    make_dense(dimensions, planar_order(dimensions.size()));
    return dimensions;
}

halide_scalar_value_t scalar_of(const halide_filter_argument_t& info,
                                const std::map<std::string, double>& scalars) {
    if (const auto given = scalars.find(info.name); given != scalars.end()) {
        return scalar_bits(Halide::Type(info.type), given->second);
    }
    if (info.scalar_estimate != nullptr) {
        return *info.scalar_estimate;
    }
    return info.scalar_def != nullptr ? *info.scalar_def : halide_scalar_value_t{};
}

BufferShape buffer_shape(const halide_filter_argument_t& info, const Dimensions& dimensions) {
    BufferShape shape;
    shape.name = info.name;
    shape.is_output = info.kind == halide_argument_kind_output_buffer;
    shape.type = Halide::Type(info.type);
    std::int64_t last = 0;
    for (const halide_dimension_t& dimension : dimensions) {
        shape.region.push_back({dimension.min, std::max(dimension.extent, 1)});
        shape.strides.push_back(dimension.stride);
        last += std::int64_t{dimension.stride} * (std::max(dimension.extent, 1) - 1);
    }
    shape.bytes = (last + 1) * shape.type.bytes();
    return shape;
}

}  // namespace

Result<CompiledRuntime> CompiledRuntime::load(const std::string& library) {
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (handle == nullptr) {
        return Error{dlerror()};
    }
    auto* set_error =
        find_function<decltype(halide_set_error_handler)>(handle, "halide_set_error_handler");
    if (set_error == nullptr) {
        return Error{library + " is no Halide run-time"};
    }
    set_error(keep_error);
    return CompiledRuntime(handle);
}

void CompiledRuntime::set_threads(int threads) const {
    if (auto* set =
            find_function<decltype(halide_set_num_threads)>(handle_, "halide_set_num_threads")) {
        set(threads);
    }
}

void CompiledRuntime::count_allocations() const {
    auto* set_malloc =
        find_function<decltype(halide_set_custom_malloc)>(handle_, "halide_set_custom_malloc");
    auto* set_free =
        find_function<decltype(halide_set_custom_free)>(handle_, "halide_set_custom_free");
    if (set_malloc != nullptr && set_free != nullptr) {
        set_malloc(counted_malloc);
        set_free(counted_free);
    }
}

std::size_t CompiledRuntime::peak_bytes() {
    return counted_peak();
}

Result<CompiledPipeline> CompiledPipeline::load(const std::string& library,
                                                const std::string& function) {
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        return Error{dlerror()};
    }
    CompiledPipeline pipeline;
    pipeline.entry_ = find_function<int(void**)>(handle, function + "_argv");
    auto* metadata =
        find_function<const halide_filter_metadata_t*()>(handle, function + "_metadata");
    if (pipeline.entry_ == nullptr || metadata == nullptr) {
        return Error{library + " has no pipeline " + function};
    }
    pipeline.metadata_ = metadata();
    return pipeline;
}

Status CompiledPipeline::run(void* const* argv) const {
    const int code = entry_(const_cast<void**>(argv));
    if (code == 0) {
        return Ok{};
    }
    return Error{"Halide error " + std::to_string(code) + ": " + take_error()};
}

Result<CallShape> CompiledPipeline::shape(const std::map<std::string, double>& scalars) const {
    const auto count = static_cast<std::size_t>(metadata_->num_arguments);
    // 1. Estimates. An extent of 0 is a question.
    std::vector<Dimensions> wished(count);
    CallShape shape(count);
    for (std::size_t i = 0; i < count; i++) {
        const halide_filter_argument_t& info = metadata_->arguments[i];
        shape[i].is_buffer = info.kind != halide_argument_kind_input_scalar;
        if (shape[i].is_buffer) {
            Result<Dimensions> dimensions = estimated(info);
            if (!dimensions) {
                return Error{dimensions.error()};
            }
            wished[i] = std::move(dimensions).value();
        } else {
            shape[i].scalar_name = info.name;
            shape[i].scalar_type = Halide::Type(info.type);
            shape[i].scalar = scalar_of(info, scalars);
        }
    }
    // 2. What the pipeline makes of them.
    std::vector<Dimensions> answer = wished;
    std::vector<halide_buffer_t> buffers(count, halide_buffer_t{});
    std::vector<void*> argv(count);
    for (std::size_t i = 0; i < count; i++) {
        buffers[i].type = metadata_->arguments[i].type;
        buffers[i].dimensions = static_cast<int>(answer[i].size());
        buffers[i].dim = answer[i].data();
        argv[i] = shape[i].is_buffer ? static_cast<void*>(&buffers[i])
                                     : static_cast<void*>(&shape[i].scalar);
    }
    if (Status status = run(argv.data()); !status) {
        return Error{status.error()};
    }
    // 3. The estimates, or what is needed; with the strides in the order that the answer has them.
    for (std::size_t i = 0; i < count; i++) {
        if (!shape[i].is_buffer) {
            continue;
        }
        for (std::size_t d = 0; d < wished[i].size(); d++) {
            if (wished[i][d].extent == 0) {
                wished[i][d].min = answer[i][d].min;
                wished[i][d].extent = answer[i][d].extent;
            }
        }
        make_dense(wished[i], order_of(answer[i]));
        shape[i].buffer = buffer_shape(metadata_->arguments[i], wished[i]);
    }
    return shape;
}

}  // namespace nestor
