#include "measure/call.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/hash.h"
#include "halide/careful_call.h"
#include "halide/interpreter.h"
#include "halide/lower.h"
#include "halide/parts.h"
#include "measure/npy.h"

namespace nestor {

namespace {

constexpr std::size_t kAlignment = 128;

// Halide's vectors may read a little over the end of what they need.
constexpr std::int64_t kSlack = 256;

halide_scalar_value_t scalar_of(const Halide::Type& type, const Value& value) {
    if (const auto* integer = as_integer(value)) {
        halide_scalar_value_t bits = scalar_bits(type, static_cast<double>(*integer));
        if (!type.is_float()) {
            bits.u.i64 = *integer;  // which may have more digits than a double
        }
        return bits;
    }
    const auto* real = std::get_if<double>(&value);
    return scalar_bits(type, real != nullptr ? *real : 0);
}

BufferShape buffer_shape(const Halide::Argument& argument, const CallBuffer& buffer) {
    BufferShape shape;
    shape.name = argument.name;
    shape.is_output = argument.is_output();
    shape.type = argument.type;
    shape.region = buffer.region;
    shape.strides = buffer.strides;
    std::int64_t last = 0;
    for (std::size_t d = 0; d < shape.region.size(); d++) {
        // An input that is not needed at this size.
        shape.region[d].extent = std::max<std::int64_t>(shape.region[d].extent, 1);
        last += shape.strides[d] * (shape.region[d].extent - 1);
    }
    shape.bytes = (last + 1) * shape.type.bytes();
    return shape;
}

Status fill_from_file(const BufferShape& shape, std::uint8_t* memory, const std::string& path) {
    try {
        const AnyBuffer array = read_npy(path);
        const std::string problem = path + " is no input for " + shape.name + ": ";
        if (array.type() != static_cast<halide_type_t>(shape.type)) {
            return Error{problem + "its elements are of another type"};
        }
        if (array.dimensions() != static_cast<int>(shape.region.size())) {
            return Error{problem + "it has " + std::to_string(array.dimensions()) +
                         " dimensions instead of " + std::to_string(shape.region.size())};
        }
        for (int d = 0; d < array.dimensions(); d++) {
            if (array.dim(d).extent() < shape.region[d].extent) {
                return Error{problem + "dimension " + std::to_string(d) + " has " +
                             std::to_string(array.dim(d).extent()) + " elements of " +
                             std::to_string(shape.region[d].extent)};
            }
        }
        const auto* source = static_cast<const std::uint8_t*>(array.data());
        const std::int64_t size = shape.type.bytes();
        for_each_element(shape, [&](std::int64_t position, std::int64_t offset) {
            std::int64_t from = 0;
            for (std::size_t d = 0; d < shape.region.size(); d++) {
                const std::int64_t extent = shape.region[d].extent;
                from += position % extent * array.dim(static_cast<int>(d)).stride();
                position /= extent;
            }
            std::memcpy(memory + offset, source + from * size, static_cast<std::size_t>(size));
        });
        return Ok{};
    } catch (const std::exception& error) {
        return Error{error.what()};
    }
}

}  // namespace

halide_scalar_value_t scalar_bits(const Halide::Type& type, double value) {
    halide_scalar_value_t bits{};
    if (type.is_float() && type.bits() == 32) {
        bits.u.f32 = static_cast<float>(value);
    } else if (type.is_float() && type.bits() == 64) {
        bits.u.f64 = value;
    } else if (type.is_float()) {
        bits.u.u16 = type.is_bfloat() ? Halide::bfloat16_t(value).to_bits()
                                      : Halide::float16_t(value).to_bits();
    } else {
        bits.u.i64 = static_cast<std::int64_t>(value);
    }
    return bits;
}

std::int64_t BufferShape::elements() const {
    return layout_of(*this).elements();
}

BufferLayout layout_of(const BufferShape& shape) {
    BufferLayout layout{shape.name, shape.type, {}};
    for (std::size_t d = 0; d < shape.region.size(); d++) {
        layout.dimensions.emplace_back(static_cast<int>(shape.region[d].min),
                                       static_cast<int>(shape.region[d].extent),
                                       static_cast<int>(shape.strides[d]));
    }
    return layout;
}

std::uint64_t stream_of(const std::string& argument, std::uint64_t seed) {
    return hash_bytes(argument, seed);
}

Result<CallShape> call_shape(const Halide::Pipeline& pipeline, const Halide::Target& target,
                             const std::map<std::string, double>& scalars) {
    const std::vector<Halide::Argument> arguments = caller_arguments(pipeline);
    std::map<std::string, Halide::Expr> given;
    for (const Halide::Argument& argument : arguments) {
        const auto found = scalars.find(argument.name);
        if (found != scalars.end() && !argument.is_buffer()) {
            given[argument.name] = Halide::cast(argument.type, Halide::Expr(found->second));
        }
    }
    for (const auto& [name, value] : scalars) {
        if (!given.contains(name)) {
            return Error{"the pipeline has no scalar parameter " + name};
        }
    }
    const Result<ResolvedCall> call = estimated_call(pipeline, target, given);
    if (!call) {
        return Error{call.error()};
    }
    std::map<std::string, Halide::Parameter> parameters;
    for (const Halide::Parameter& parameter : read_parts(pipeline).scalars) {
        parameters.emplace(parameter.name(), parameter);
    }
    CallShape shape;
    for (const Halide::Argument& argument : arguments) {
        CallArgument one;
        one.is_buffer = argument.is_buffer();
        if (one.is_buffer) {
            const auto buffer = call.value().buffers.find(argument.name);
            if (buffer == call.value().buffers.end()) {
                return Error{"the size of " + argument.name + " cannot be found"};
            }
            one.buffer = buffer_shape(argument, buffer->second);
        } else {
            one.scalar_name = argument.name;
            one.scalar_type = argument.type;
            const auto value = call.value().scalars.find(argument.name);
            const auto parameter = parameters.find(argument.name);
            if (value != call.value().scalars.end()) {
                one.scalar = scalar_of(argument.type, value->second);
            } else if (parameter != parameters.end()) {  // sizes do not depend on it
                const auto wish = given.find(argument.name);
                one.scalar =
                    scalar_of(argument.type,
                              scalar_value(parameter->second,
                                           wish != given.end() ? wish->second : Halide::Expr()));
            }
        }
        shape.push_back(std::move(one));
    }
    return shape;
}

void BufferMemory::Release::operator()(std::uint8_t* memory) const {
    munmap(memory, bytes);
}

BufferMemory::BufferMemory(std::int64_t bytes, Kind kind) : bytes_(bytes) {
    const auto whole = static_cast<std::size_t>(bytes + kSlack);
    const int sharing = kind == Kind::Shared ? MAP_SHARED : MAP_PRIVATE;
    void* memory = mmap(nullptr, whole, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::bad_alloc();
    }
    static_assert(kAlignment <= 4096, "pages are aligned enough");
    memory_ =
        std::unique_ptr<std::uint8_t, Release>(static_cast<std::uint8_t*>(memory), Release{whole});
}

Memories allocate(const CallShape& shape, Direction direction, BufferMemory::Kind kind) {
    Memories memories;
    for (const CallArgument& argument : shape) {
        if (argument.is_buffer && argument.buffer.is_output == (direction == Direction::Outputs)) {
            memories.emplace(argument.buffer.name, BufferMemory(argument.buffer.bytes, kind));
        }
    }
    return memories;
}

Status fill_inputs(const CallShape& shape, const Memories& inputs, std::uint64_t seed,
                   const std::map<std::string, std::string>& files) {
    for (const CallArgument& argument : shape) {
        const auto memory = inputs.find(argument.buffer.name);
        if (!argument.is_buffer || memory == inputs.end()) {
            continue;
        }
        const BufferShape& buffer = argument.buffer;
        std::uint8_t* data = memory->second.data();
        if (const auto file = files.find(buffer.name); file != files.end()) {
            if (Status status = fill_from_file(buffer, data, file->second); !status) {
                return status;
            }
            continue;
        }
        fill_random(layout_of(buffer), stream_of(buffer.name, seed), data);
    }
    return Ok{};
}

void fill_garbage(const Memories& outputs, std::uint64_t seed) {
    for (const auto& [name, memory] : outputs) {
        fill_garbage(stream_of(name, seed), memory.data(), memory.bytes());
    }
}

CallPointers::CallPointers(const CallShape& shape, const Memories& inputs,
                           const Memories& outputs) {
    const std::size_t count = shape.size();
    dimensions_.resize(count);
    buffers_.resize(count);
    scalars_.resize(count);
    for (std::size_t i = 0; i < count; i++) {
        if (!shape[i].is_buffer) {
            scalars_[i] = shape[i].scalar;
            pointers_.push_back(&scalars_[i]);
            continue;
        }
        const BufferShape& buffer = shape[i].buffer;
        dimensions_[i] = layout_of(buffer).dimensions;
        const Memories& memories = buffer.is_output ? outputs : inputs;
        halide_buffer_t& raw = buffers_[i];
        raw = {};
        raw.host = memories.at(buffer.name).data();
        raw.type = buffer.type;
        raw.dimensions = static_cast<int>(buffer.region.size());
        raw.dim = dimensions_[i].data();
        pointers_.push_back(&raw);
    }
}

}  // namespace nestor
