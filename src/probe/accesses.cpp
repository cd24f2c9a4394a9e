#include "probe/accesses.h"

#include <algorithm>
#include <functional>

#include "probe/types.h"

namespace nestor::probe {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::ImageParam;
using Halide::RDom;
using Halide::Type;
using Halide::Var;

namespace {

constexpr int kSums = 8;       // vectors in registers that take up what is loaded
constexpr int kSmall = 4096;   // bytes that surely stay in the first cache
constexpr int kScalarGap = 5;  // elements between scalars, against vectors made of them
constexpr int kSteps = 4;      // of kSums vectors each

/** What lane i of sum k takes up in step r.x of repeat r.y, in task t. */
using Value = std::function<Expr(const Var& i, const Var& k, const Var& t, const RDom& r)>;

/** Sums in registers, in each of `tasks` tasks. Counts vectors taken up. */
KernelCode summed(const Type& type, int lanes, int steps, int tasks, const Value& value) {
    KernelCode code;
    const Var i("i");
    const Var k("k");
    const Var t("t");
    const RDom r(0, steps, 0, code.repeats, "r");
    Func sums("sums");
    sums(i, k, t) = cast(type, 0);
    sums(i, k, t) += value(i, k, t, r);
    code.output = Func("results");
    code.output(i, k, t) = sums(i, k, t);
    code.output.bound(i, 0, lanes).bound(k, 0, kSums).bound(t, 0, tasks).unroll(k).vectorize(i);
    sums.compute_at(code.output, t).store_in(Halide::MemoryType::Stack).unroll(k).vectorize(i);
    sums.update().reorder(i, k, r.x, r.y, t).unroll(k).vectorize(i);
    if (tasks > 1) {
        code.output.parallel(t);
    }
    code.result = Halide::Buffer<>(type, {lanes, kSums, tasks});
    code.count = static_cast<double>(steps) * kSums * tasks;
    return code;
}

}  // namespace

KernelCode gather_code(ElementType type, int vector_bytes) {
    const Type element = halide_type(type);
    const int lanes = vector_bytes / element.bytes();
    const int elements = kSmall / element.bytes();
    const ImageParam table(element, 1, "table");
    const ImageParam index(Halide::Int(32), 1, "index");
    const Value value = [&](const Var& i, const Var& k, const Var& /*t*/, const RDom& r) {
        const Expr place = index(i + (k + r.x * kSums) * lanes);
        return table(Halide::unsafe_promise_clamped(place, 0, elements - 1));
    };
    KernelCode code = summed(element, lanes, kSteps, 1, value);
    Halide::Buffer<std::int32_t> places(lanes * kSums * kSteps, "index");
    for (int i = 0; i < places.width(); i++) {
        places(i) = static_cast<int>((i * 2654435761LL >> 4) % elements);
    }
    code.inputs = {operands(element, elements, 64, "table"), places};
    code.count *= lanes;
    return code;
}

KernelCode strided_load_code(ElementType type, int vector_bytes, int stride) {
    const Type element = halide_type(type);
    const int lanes = vector_bytes / element.bytes();
    const ImageParam table(element, 1, "table");
    const Value value = [&](const Var& i, const Var& k, const Var& /*t*/, const RDom& r) {
        return table((i + (k + r.x * kSums) * lanes) * stride);
    };
    KernelCode code = summed(element, lanes, kSteps, 1, value);
    code.inputs = {operands(element, lanes * kSums * kSteps * stride, 64, "table")};
    return code;
}

KernelCode interleave_code(ElementType type, int vector_bytes, int channels) {
    KernelCode code;
    const Type element = halide_type(type);
    const int lanes = vector_bytes / element.bytes();
    const ImageParam planes(element, 1, "planes");
    const int vectors = std::max(1, kSmall / (vector_bytes * channels));
    const Var c("c");
    const Var x("x");
    const RDom r(0, code.repeats, "r");
    code.output = Func("pixels");
    code.output(c, x) = Halide::undef(element);
    code.output(c, x) = planes(x + c * (vectors * lanes)) + cast(element, r);
    code.output.bound(c, 0, channels).bound(x, 0, vectors * lanes);
    code.output.update().reorder(c, x, r).unroll(c).vectorize(x, lanes);
    code.output.output_buffer().dim(0).set_stride(1);
    code.output.output_buffer().dim(1).set_stride(channels);
    code.inputs = {operands(element, vectors * lanes * channels, 64, "planes")};
    code.result = Halide::Buffer<>(element, {channels, vectors * lanes});
    code.count = vectors * channels;
    return code;
}

KernelCode store_code(int vector_bytes) {
    KernelCode code;
    const int lanes = vector_bytes / 4;
    const int gap = lanes > 1 ? 1 : kScalarGap;
    const int stores = kSmall / (vector_bytes * gap) / kSums * kSums;
    const Var x("x");
    const RDom r(0, code.repeats, "r");
    code.output = Func("stored");
    code.output(x) = Halide::undef<std::int32_t>();
    code.output(x) = r;
    code.output.bound(x, 0, stores * lanes);
    code.output.update().reorder(x, r);
    if (lanes > 1) {
        code.output.update().vectorize(x, lanes);
    }
    code.output.update().unroll(x, kSums);
    code.output.output_buffer().dim(0).set_stride(gap);
    const halide_dimension_t shape(0, stores * lanes, gap);
    Halide::Runtime::Buffer<std::int32_t> spread(nullptr, 1, &shape);
    spread.allocate();
    code.result = Halide::Buffer<std::int32_t>(std::move(spread));
    code.count = stores;
    return code;
}

Halide::Buffer<> read_memory(std::int64_t bytes) {
    Halide::Buffer<std::int32_t> memory(static_cast<int>(bytes / 4), "memory");
    memory.fill(1);
    return memory;
}

KernelCode read_code(int vector_bytes, std::int64_t working_set, int threads,
                     const Halide::Buffer<>& memory) {
    const int lanes = vector_bytes / 4;
    const int gap = lanes > 1 ? lanes : kScalarGap;
    const int steps = static_cast<int>(working_set / 4 / threads / (gap * kSums));
    const ImageParam table(Halide::Int(32), 1, "memory");
    const Value value = [&](const Var& i, const Var& k, const Var& t, const RDom& r) {
        return table(i + (k + r.x * kSums) * gap + t * (steps * kSums * gap));
    };
    KernelCode code = summed(Halide::Int(32), lanes, steps, threads, value);
    code.inputs = {memory};
    return code;
}

void survey_accesses(Survey& survey, Machine& machine) {
    for (std::size_t i = 0; i < kWidths; i++) {
        const auto width = static_cast<Width>(i);
        const int bytes = bytes_of(width, ElementType::Int32);
        if (machine.load[width].known()) {
            survey.add(read_code(bytes, kSmall, 1, read_memory(kSmall)), machine.load[width]);
            survey.add(store_code(bytes), machine.store[width]);
        }
    }
    for (std::size_t i = 0; i < kElementTypes; i++) {
        const auto type = static_cast<ElementType>(i);
        const auto natural = static_cast<int>(machine.vector_bytes[type].value);
        survey.add(gather_code(type, natural), machine.gather[type]);
        survey.add(gather_code(type, machine.narrow_lanes(type) * bytes_of(type)),
                   machine.narrow_gather[type]);
        for (std::size_t j = 0; j < kStrides; j++) {
            const auto key = static_cast<Stride>(j);
            survey.add(strided_load_code(type, natural, stride_of(key)),
                       machine.strided_load[type][key]);
            survey.add(interleave_code(type, natural, stride_of(key)),
                       machine.interleave[type][key]);
        }
    }
}

}  // namespace nestor::probe
