#pragma once
// The arguments of one call of a pipeline: their shapes, memory for them, and what goes into it.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "dag/types.h"
#include "halide/halide.h"
#include "measure/elements.h"

namespace nestor {

struct BufferShape {
    std::string name;
    bool is_output = false;
    Halide::Type type;
    std::vector<Range> region;
    std::vector<std::int64_t> strides;  // in elements
    std::int64_t bytes = 0;             // from the first to the last element

    [[nodiscard]] std::int64_t elements() const;
};

[[nodiscard]] BufferLayout layout_of(const BufferShape& shape);

/** One argument: a buffer, or a scalar with its bits. */
struct CallArgument {
    bool is_buffer = false;
    BufferShape buffer;
    std::string scalar_name;
    Halide::Type scalar_type;
    halide_scalar_value_t scalar;
};

/** All arguments, in the order of caller_arguments(pipeline). */
using CallShape = std::vector<CallArgument>;

/** A number as a scalar of that type. */
[[nodiscard]] halide_scalar_value_t scalar_bits(const Halide::Type& type, double value);

/** Shapes at the estimates, as large as the unscheduled pipeline requires its inputs; `scalars`
 * replace estimates by name. */
[[nodiscard]] Result<CallShape> call_shape(const Halide::Pipeline& pipeline,
                                           const Halide::Target& target,
                                           const std::map<std::string, double>& scalars);

/** Memory for one buffer, aligned to 128 bytes: its own, or mapped so that a child's writes are
 * seen by its parent. Comes zeroed. */
class BufferMemory {
  public:
    enum class Kind { Private, Shared };
    BufferMemory(std::int64_t bytes, Kind kind);

    [[nodiscard]] std::uint8_t* data() const { return memory_.get(); }
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }

  private:
    struct Release {
        std::size_t bytes;
        void operator()(std::uint8_t* memory) const;
    };
    std::int64_t bytes_;
    std::unique_ptr<std::uint8_t, Release> memory_{nullptr, Release{0}};
};

/** Memory of some of a call's buffers, by name. */
using Memories = std::map<std::string, BufferMemory>;
enum class Direction { Inputs, Outputs };
[[nodiscard]] Memories allocate(const CallShape& shape, Direction direction,
                                BufferMemory::Kind kind);

/** Of an argument's random numbers, or of its garbage. */
[[nodiscard]] std::uint64_t stream_of(const std::string& argument, std::uint64_t seed);

/** Fills inputs with numbers that depend on the seed, the argument's name and the coordinates only
 * (integers of 8 and 16 bits: all values; wider ones: 0..255; floats: 0..1); or from `files`, by
 * name: .npy arrays as large as the input or larger. An Error names the file. */
[[nodiscard]] Status fill_inputs(const CallShape& shape, const Memories& inputs, std::uint64_t seed,
                                 const std::map<std::string, std::string>& files);

/** For fill_garbage(). The same for all runs, because a pipeline may leave parts of its output as
 * they are. */
constexpr std::uint64_t kGarbageSeed = 0xbad;

/** Bytes that no result should have, so that what is not written shows. */
void fill_garbage(const Memories& outputs, std::uint64_t seed);

/** What JitProgram::run() takes. The memory must outlive it. */
class CallPointers {
  public:
    CallPointers(const CallShape& shape, const Memories& inputs, const Memories& outputs);

    [[nodiscard]] void* const* argv() const { return pointers_.data(); }

  private:
    std::vector<std::vector<halide_dimension_t>> dimensions_;
    std::vector<halide_buffer_t> buffers_;
    std::vector<halide_scalar_value_t> scalars_;
    std::vector<void*> pointers_;
};

/** for_each_element() of its layout. */
template <class Visit>
void for_each_element(const BufferShape& shape, Visit visit) {
    for_each_element(layout_of(shape), visit);
}

}  // namespace nestor
