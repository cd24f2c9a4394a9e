// Stages written in C: Halide sees their signature and asks them for bounds, nothing else. What
// such a stage reads cannot be inlined, so most of these do not even compile unscheduled.
#include <algorithm>
#include <cstdint>

#include "support/pipelines.h"
#include "variables.h"

namespace {

using Int32Image = Halide::Runtime::Buffer<int32_t>;

/// Asks for the region of `out`, widened by `margin` on both sides of each dimension.
void request(halide_buffer_t* in, const halide_buffer_t* out, int margin) {
    for (int d = 0; d < in->dimensions; d++) {
        in->dim[d].min = out->dim[d].min - margin;
        in->dim[d].extent = out->dim[d].extent + 2 * margin;
    }
}

}  // namespace

// The extern stages. Each answers bounds queries (buffers without memory) and then computes.

/// out(x, y) = x * 3 + y * y
extern "C" int nestor_test_ramp(halide_buffer_t* out_buffer) {
    if (out_buffer->is_bounds_query()) {
        return 0;
    }
    Int32Image out(*out_buffer);
    out.for_each_element([&](int x, int y) { out(x, y) = x * 3 + y * y; });
    return 0;
}

/// out(x, y) = largest of the 3 by 3 neighbours of in
extern "C" int nestor_test_dilate(halide_buffer_t* in_buffer, halide_buffer_t* out_buffer) {
    if (in_buffer->is_bounds_query()) {
        request(in_buffer, out_buffer, 1);
    }
    if (in_buffer->is_bounds_query() || out_buffer->is_bounds_query()) {
        return 0;
    }
    Int32Image in(*in_buffer), out(*out_buffer);
    out.for_each_element([&](int x, int y) {
        int32_t largest = in(x, y);
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                largest = std::max(largest, in(x + dx, y + dy));
            }
        }
        out(x, y) = largest;
    });
    return 0;
}

/// out(x, y) = in(x, y) * gain
extern "C" int nestor_test_scale(halide_buffer_t* in_buffer, int32_t gain,
                                 halide_buffer_t* out_buffer) {
    if (in_buffer->is_bounds_query()) {
        request(in_buffer, out_buffer, 0);
    }
    if (in_buffer->is_bounds_query() || out_buffer->is_bounds_query()) {
        return 0;
    }
    Int32Image in(*in_buffer), out(*out_buffer);
    out.for_each_element([&](int x, int y) { out(x, y) = in(x, y) * gain; });
    return 0;
}

/// sum(x, y) = a + b, difference(x, y) = a - b
extern "C" int nestor_test_butterfly(halide_buffer_t* a_buffer, halide_buffer_t* b_buffer,
                                     halide_buffer_t* sum_buffer,
                                     halide_buffer_t* difference_buffer) {
    const bool query = a_buffer->is_bounds_query() || b_buffer->is_bounds_query();
    if (a_buffer->is_bounds_query()) {
        request(a_buffer, sum_buffer, 0);
    }
    if (b_buffer->is_bounds_query()) {
        request(b_buffer, sum_buffer, 0);
    }
    if (query || sum_buffer->is_bounds_query()) {
        return 0;
    }
    Int32Image a(*a_buffer), b(*b_buffer), sum(*sum_buffer), difference(*difference_buffer);
    sum.for_each_element([&](int x, int y) {
        sum(x, y) = a(x, y) + b(x, y);
        difference(x, y) = a(x, y) - b(x, y);
    });
    return 0;
}

/// total() = sum of all of in, which must be 8 by 8 at the origin
extern "C" int nestor_test_total(halide_buffer_t* in_buffer, halide_buffer_t* out_buffer) {
    if (in_buffer->is_bounds_query()) {
        for (int d = 0; d < 2; d++) {
            in_buffer->dim[d].min = 0;
            in_buffer->dim[d].extent = 8;
        }
    }
    if (in_buffer->is_bounds_query() || out_buffer->is_bounds_query()) {
        return 0;
    }
    Int32Image in(*in_buffer), out(*out_buffer);
    out() = 0;
    for (int y = 0; y < 8; y++) {
        for (int x = 0; x < 8; x++) {
            out() += in(x, y);
        }
    }
    return 0;
}

/// A scalar function, called from expressions.
extern "C" int32_t nestor_test_wobble(int32_t value) {
    return (value * 7 + 3) % 101;
}

namespace nestor::testing {

namespace {

using namespace Halide;

BuiltPipeline extern_source() {
    PipelineBuilder b;
    Func ramp("ramp"), out("out");
    ramp.define_extern("nestor_test_ramp", {}, Int(32), {x, y});
    out(x, y) = ramp(x, y) + ramp(x + 1, y) * 2;
    b.output(out, {{0, 64}, {0, 48}});
    b.jit_extern("nestor_test_ramp", JITExtern(nestor_test_ramp));
    return b.finish();
}

BuiltPipeline extern_between_stages() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{-1, 67}, {-1, 51}});
    Func before("before"), dilated("dilated"), after("after");
    before(x, y) = in(x, y) * 2;
    dilated.define_extern("nestor_test_dilate", {before}, Int(32), {x, y});
    after(x, y) = dilated(x, y) - dilated(x + 1, y + 1);
    b.output(after, {{0, 64}, {0, 48}});
    b.jit_extern("nestor_test_dilate", JITExtern(nestor_test_dilate));
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

// The input goes to the extern stage as it is; Halide does not ask that stage how much it reads.
BuiltPipeline extern_reads_input() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{-8, 90}, {-8, 70}}, kOwnExtents);
    Func dilated("dilated"), out("out");
    dilated.define_extern("nestor_test_dilate", {in}, Int(32), {x, y});
    out(x, y) = dilated(x, y) + in(x, y);
    b.output(out, {{0, 64}, {0, 48}});
    b.jit_extern("nestor_test_dilate", JITExtern(nestor_test_dilate));
    return b.finish();
}

BuiltPipeline extern_reads_embedded_buffer() {
    PipelineBuilder b;
    Buffer<int32_t> table(80, 60);
    table.for_each_element([&](int i, int j) { table(i, j) = (i * 13 + j * 7) % 51; });
    Func scaled("scaled"), out("out");
    Param<int> gain = b.scalar<int>("gain", {3, -1});
    scaled.define_extern("nestor_test_scale", {table, gain}, Int(32), {x, y});
    out(x, y) = scaled(x, y) + scaled(x + 2, y);
    b.output(out, {{0, 64}, {0, 48}});
    b.jit_extern("nestor_test_scale", JITExtern(nestor_test_scale));
    return b.finish();
}

BuiltPipeline extern_of_several_outputs() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 68}, {0, 48}});
    Func left("left"), right("right"), pair("pair"), out("out");
    left(x, y) = in(x, y) + 1;
    right(x, y) = in(x + 1, y) * 3;
    pair.define_extern("nestor_test_butterfly", {left, right}, {Int(32), Int(32)}, {x, y});
    out(x, y) = pair(x, y)[0] * 2 + pair(x + 1, y)[1];
    b.output(out, {{0, 64}, {0, 48}});
    b.jit_extern("nestor_test_butterfly", JITExtern(nestor_test_butterfly));
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

BuiltPipeline extern_as_output() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 64}, {0, 48}});
    Param<int> gain = b.scalar<int>("gain", {4, 0});
    Func before("before"), out("out");
    before(x, y) = in(x, y) - 5;
    out.define_extern("nestor_test_scale", {before, gain}, Int(32), {x, y});
    b.output(out, {{0, 64}, {0, 48}});
    b.jit_extern("nestor_test_scale", JITExtern(nestor_test_scale));
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

BuiltPipeline extern_chain() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{-2, 70}, {-2, 54}});
    Func first("first"), second("second"), before("before"), out("out");
    before(x, y) = in(x, y) + x;
    first.define_extern("nestor_test_dilate", {before}, Int(32), {x, y});
    second.define_extern("nestor_test_dilate", {first}, Int(32), {x, y});
    out(x, y) = second(x, y) - before(x, y);
    b.output(out, {{0, 64}, {0, 48}});
    b.jit_extern("nestor_test_dilate", JITExtern(nestor_test_dilate));
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

// An extern stage of no dimensions, whose consumer is an image.
BuiltPipeline extern_scalar_stage() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 64}, {0, 48}}, kOwnExtents);
    Func block("block"), total("total"), out("out");
    block(x, y) = in(clamp(x * 8, 0, 63), clamp(y * 6, 0, 47));
    total.define_extern("nestor_test_total", {block}, Int(32), std::vector<Var>{});
    out(x, y) = in(x, y) * 64 - total();
    b.output(out, {{0, 64}, {0, 48}});
    b.jit_extern("nestor_test_total", JITExtern(nestor_test_total));
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

// The user placed the extern stage inside a loop of its consumer.
BuiltPipeline extern_computed_at_loop() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{-1, 67}, {-1, 51}});
    Func before("before"), dilated("dilated"), after("after");
    before(x, y) = in(x, y) * 2;
    dilated.define_extern("nestor_test_dilate", {before}, Int(32), {x, y});
    after(x, y) = dilated(x, y) - dilated(x + 1, y);
    dilated.compute_at(after, y);
    b.output(after, {{0, 64}, {0, 48}});
    b.jit_extern("nestor_test_dilate", JITExtern(nestor_test_dilate));
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

BuiltPipeline extern_scalar_call() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 66}, {0, 48}});
    Func wobbled("wobbled"), out("out");
    wobbled(x, y) =
        Internal::Call::make(Int(32), "nestor_test_wobble", {in(x, y)}, Internal::Call::PureExtern);
    out(x, y) = wobbled(x, y) + wobbled(x + 1, y);
    b.output(out, {{0, 64}, {0, 48}});
    b.jit_extern("nestor_test_wobble", JITExtern(nestor_test_wobble));
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> extern_pipelines() {
    const std::string kind = "extern stage";
    return {
        {"extern_source", kind, extern_source},
        {"extern_between_stages", kind, extern_between_stages},
        {"extern_reads_input", kind, extern_reads_input},
        {"extern_reads_embedded_buffer", kind, extern_reads_embedded_buffer},
        {"extern_of_several_outputs", kind, extern_of_several_outputs},
        {"extern_as_output", kind, extern_as_output},
        {"extern_chain", kind, extern_chain},
        {"extern_scalar_stage", kind, extern_scalar_stage},
        {"extern_computed_at_loop", kind, extern_computed_at_loop},
        {"extern_scalar_call", "extern call", extern_scalar_call},
    };
}

}  // namespace nestor::testing
