// Unusual sizes, minima, ranks, and constraints on buffers.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;

// Channel fastest: dimension 2 has stride 1, dimension 0 stride 3.
const Layout kInterleaved{{2, 0, 1}, 2, 1};

BuiltPipeline wide_one_dimension() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 200002}});
    Func out("out");
    out(x) = in(x) * 0.25f + in(x + 1) * 0.5f + in(x + 2) * 0.25f;
    b.output(out, {{0, 200000}});
    return b.finish();
}

BuiltPipeline wide_with_update() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 20003}});
    RDom r(0, 4, "r");
    Func out("out");
    out(x) = 0;
    out(x) += in(x + r) * (r + 1);
    b.output(out, {{0, 20000}});
    return b.finish();
}

BuiltPipeline scalar_constant() {
    PipelineBuilder b;
    Func answer("answer");
    answer() = 42;
    b.output(answer, {});
    b.expect().min_legal_sizes = 1;
    return b.finish();
}

// 0-dimensional stages between images: computed once, used everywhere.
BuiltPipeline scalar_stages() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 64}, {0, 48}}, kOwnExtents);
    Param<float> target = b.scalar<float>("target", {0.5f, 2.0f});
    RDom r(in);
    Func peak("peak"), gain("gain"), out("out");
    peak() = maximum(abs(in(r.x, r.y)));
    gain() = target / max(peak(), 0.01f);
    out(x, y) = in(x, y) * gain();
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline extents_of_one() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 1}, {0, 48}, {0, 1}});
    RDom r(0, 1, 0, 1, "r");
    Func total("total"), out("out");
    total(x, y, c) = sum(in(x + r.x, y + r.y, c));
    out(x, y, c) = total(x, y, c) * 2.0f;
    b.output(out, {{0, 1}, {0, 48}, {0, 1}});
    return b.finish();
}

BuiltPipeline single_pixel() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 3}, {0, 3}});
    Func rows("rows"), out("out");
    rows(x, y) = cast<uint16_t>(in(x, y)) + in(x + 1, y) + in(x + 2, y);
    out(x, y) = rows(x, y) + rows(x, y + 1) + rows(x, y + 2);
    b.output(out, {{0, 1}, {0, 1}});
    return b.finish();
}

BuiltPipeline prime_sizes() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 97}, {0, 61}, {0, 7}});
    Func wide("wide"), out("out");
    wide(x, y, c) = in(x, y, c) + in(x + 1, y, c) * 2.0f;
    out(x, y, c) = wide(x, y, c) - wide(x, y + 1, c);
    b.output(out, {{0, 96}, {0, 60}, {0, 7}});
    return b.finish();
}

BuiltPipeline negative_minima() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{-101, 66}, {-51, 42}});
    Func rows("rows"), out("out");
    rows(x, y) = in(x - 1, y) + in(x + 1, y) * x;
    out(x, y) = rows(x, y - 1) - rows(x, y + 1) / 3;
    b.output(out, {{-100, 64}, {-50, 40}});
    return b.finish();
}

BuiltPipeline large_minima() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{1000000, 66}, {777776, 42}});
    Func rows("rows"), out("out");
    rows(x, y) = cast<uint16_t>(in(x, y)) + in(x + 1, y);
    out(x, y) = rows(x, y - 1) + rows(x, y + 1) + cast<uint16_t>(x);
    b.output(out, {{1000000, 64}, {777777, 40}});
    return b.finish();
}

// Integer division of negative coordinates rounds down: tiles straddle the origin.
BuiltPipeline downsample_across_origin() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{-66, 130}, {-34, 70}});
    Func half("half"), out("out");
    half(x, y) = in(2 * x, 2 * y) + in(2 * x + 1, 2 * y + 1);
    out(x, y) = half(x / 2, y / 2) + half((x + 1) / 2, y / 2) * (x % 2);
    b.output(out, {{-61, 120}, {-31, 62}});
    return b.finish();
}

BuiltPipeline four_dimensions() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 20}, {0, 18}, {0, 5}, {0, 6}});
    Func sums("sums"), out("out");
    sums(x, y, c, u) = in(x, y, c, u) + in(x + 1, y, c, u) + in(x, y, c, u + 1);
    out(x, y, c, u) = sums(x, y, c, u) * sums(x, y + 1, c, u);
    b.output(out, {{0, 18}, {0, 16}, {0, 5}, {0, 4}});
    return b.finish();
}

BuiltPipeline five_dimensions() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(16), "in", {{0, 9}, {0, 8}, {0, 3}, {0, 4}, {0, 5}});
    Func doubled("doubled"), out("out");
    doubled(x, y, c, u, v) = in(x, y, c, u, v) / 2;
    out(x, y, c, u, v) = doubled(x + 1, y, c, u, v) - doubled(x, y, c, u, v + 1);
    b.output(out, {{0, 8}, {0, 8}, {0, 3}, {0, 4}, {0, 4}});
    return b.finish();
}

BuiltPipeline light_field_refocus() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{-6, 60}, {-6, 44}, {0, 4}, {0, 4}});
    RDom r(0, 4, 0, 4, "r");
    Func out("out");
    out(x, y) = 0.0f;
    out(x, y) += in(x + 2 * (r.x - 2), y + 2 * (r.y - 2), r.x, r.y);
    b.output(out, {{0, 48}, {0, 32}});
    return b.finish();
}

BuiltPipeline interleaved_to_planar() {
    PipelineBuilder b;
    ImageParam in =
        b.image(UInt(8), "in", {{0, 64}, {0, 48}, {0, 3}}, {InputSize::Required, kInterleaved, {}});
    in.dim(0).set_stride(3);
    in.dim(2).set_stride(1).set_bounds(0, 3);
    Func out("out");
    out(x, y, c) = in(x, y, c) / 2 + in(x, y, 2 - c) / 2;
    b.output(out, {{0, 64}, {0, 48}, fixed(0, 3)});
    return b.finish();
}

BuiltPipeline planar_to_interleaved() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 64}, {0, 48}, {0, 3}});
    Func bright("bright"), out("out");
    bright(x, y, c) = in(x, y, c) | cast<uint8_t>(16);
    out(x, y, c) = bright(x, y, c) + bright(x + 1, y, c);
    out.output_buffer().dim(0).set_stride(3);
    out.output_buffer().dim(2).set_stride(1).set_bounds(0, 3);
    b.output(out, {{0, 63}, {0, 48}, fixed(0, 3)}, kInterleaved);
    return b.finish();
}

// Interleaved throughout, with the channel loop written out as the user would.
BuiltPipeline interleaved_stencil() {
    PipelineBuilder b;
    ImageParam in =
        b.image(UInt(8), "in", {{0, 66}, {0, 50}, {0, 4}}, {InputSize::Required, kInterleaved, {}});
    in.dim(0).set_stride(4);
    in.dim(2).set_stride(1).set_bounds(0, 4);
    Func rows("rows"), out("out");
    rows(x, y, c) = cast<uint16_t>(in(x, y, c)) + in(x + 1, y, c) + in(x + 2, y, c);
    out(x, y, c) = cast<uint8_t>((rows(x, y, c) + rows(x, y + 1, c) + rows(x, y + 2, c)) / 9);
    out.output_buffer().dim(0).set_stride(4);
    out.output_buffer().dim(2).set_stride(1).set_bounds(0, 4);
    b.output(out, {{0, 64}, {0, 48}, fixed(0, 4)}, kInterleaved);
    return b.finish();
}

// Every other element of the input's memory is somebody else's.
BuiltPipeline strided_input() {
    PipelineBuilder b;
    ImageParam in =
        b.image(Int(32), "in", {{0, 66}, {0, 48}}, {InputSize::Required, {{}, 1, 2}, {}});
    in.dim(0).set_stride(2);
    Func out("out");
    out(x, y) = in(x, y) + in(x + 1, y) * 3;
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline constrained_bounds() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 66}, {0, 48}}, kOwnExtents);
    in.dim(0).set_bounds(0, 66);
    in.dim(1).set_min(0);
    in.set_host_alignment(64);
    Func out("out");
    out(x, y) = in(x, y) + in(x + 2, y);
    out.output_buffer().dim(0).set_bounds(0, 64);
    out.output_buffer().dim(1).set_min(0);
    b.output(out, {fixed(0, 64), {0, 48}});
    return b.finish();
}

// The rows' stride is promised to be the extent rounded up to a multiple of 16.
BuiltPipeline stride_from_extent() {
    PipelineBuilder b;
    ImageParam in =
        b.image(UInt(16), "in", {{0, 64}, {0, 48}}, {InputSize::Required, {{}, 2, 1}, {}});
    in.dim(1).set_stride(in.dim(0).extent());
    Func out("out");
    out(x, y) = in(x, y) + in(x, y + 1);
    b.output(out, {{0, 64}, {0, 47}});
    return b.finish();
}

BuiltPipeline bound_outputs() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 65}, {0, 48}, {0, 3}});
    Func stage("stage"), out("out");
    stage(x, y, c) = in(x, y, c) * 0.5f;
    out(x, y, c) = stage(x, y, c) + stage(x + 1, y, (c + 1) % 3);
    out.bound(c, 0, 3).bound(x, 0, 64);
    b.output(out, {fixed(0, 64), {0, 48}, fixed(0, 3)});
    return b.finish();
}

// Widths are promised to be multiples of 16 and to start at a multiple of 16.
BuiltPipeline aligned_output() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 65}, {0, 48}});
    Func out("out");
    out(x, y) = in(x, y) / 2 + in(x + 1, y) / 2;
    out.output_buffer().dim(0).set_min(0).set_extent((out.output_buffer().dim(0).extent() / 16) *
                                                     16);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline input_used_in_part() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 64}, {0, 48}, {0, 4}});
    Param<int> channel = b.scalar<int>("channel", {2, 0, 3});
    Func out("out");
    out(x, y) = in(x, 0, 1) + in(x, y, channel) * in(0, y, 0);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline identity_copy() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 64}, {0, 48}});
    Func out("out");
    out(x, y) = in(x, y);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline constant_image() {
    PipelineBuilder b;
    Func zero("zero"), out("out");
    zero(x, y) = cast<uint8_t>(0);
    out(x, y) = zero(x, y) + cast<uint8_t>(3);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline coordinates_only() {
    PipelineBuilder b;
    Func ramp("ramp"), out("out");
    ramp(x, y) = cast<float>(x) * 0.5f - cast<float>(y);
    out(x, y) = ramp(x, y) * ramp(y, x) + ramp(x + y, 0);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

// One stage is broadcast along one dimension, another along the other.
// What the gradient of a convolution by its weights is: few sums, of products with what is moved by
// the output's own coordinates, and the output has no bounds.
BuiltPipeline window_of_products() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 73}, {0, 45}, {0, 2}}, kOwnExtents);
    const Func clamped = BoundaryConditions::constant_exterior(in, 0);
    RDom r(0, 70, 0, 42, "r");
    Func slope("slope"), products("products"), out("out");
    slope(x, y) = clamped(x, y, 0) - clamped(x + 1, y, 1);
    products(x, y, c) += slope(r.x, r.y) * clamped(r.x + x, r.y + y, c);
    out(x, y, c) = products(x, y, c) / 2;
    b.output(out, {{0, 4}, {0, 3}, {0, 2}});
    return b.finish();
}

BuiltPipeline outer_product() {
    PipelineBuilder b;
    ImageParam left = b.image(Float(32), "left", {{0, 64}});
    ImageParam right = b.image(Float(32), "right", {{0, 48}});
    Func column("column"), row("row"), out("out");
    column(x) = exp(left(x));
    row(y) = log(abs(right(y)) + 1.0f);
    out(x, y) = column(x) * row(y) + column(0);
    b.output(out, {{0, 64}, {0, 48}});
    b.expect().relative_tolerance = 1e-3;
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> size_pipelines() {
    const std::string minima = "non-zero minima";
    const std::string layout = "stride and bound constraints";
    return {
        {"wide_one_dimension", "1-dimensional", wide_one_dimension},
        {"wide_with_update", "1-dimensional", wide_with_update},
        {"scalar_constant", "0-dimensional", scalar_constant},
        {"scalar_stages", "0-dimensional", scalar_stages},
        {"extents_of_one", "extents of one", extents_of_one},
        {"single_pixel", "extents of one", single_pixel},
        {"prime_sizes", "sizes", prime_sizes},
        {"negative_minima", minima, negative_minima},
        {"large_minima", minima, large_minima},
        {"downsample_across_origin", minima, downsample_across_origin},
        {"four_dimensions", "many dimensions", four_dimensions},
        {"five_dimensions", "many dimensions", five_dimensions},
        {"light_field_refocus", "many dimensions", light_field_refocus},
        {"interleaved_to_planar", layout, interleaved_to_planar},
        {"planar_to_interleaved", layout, planar_to_interleaved},
        {"interleaved_stencil", layout, interleaved_stencil},
        {"strided_input", layout, strided_input},
        {"constrained_bounds", layout, constrained_bounds},
        {"stride_from_extent", layout, stride_from_extent},
        {"bound_outputs", layout, bound_outputs},
        {"aligned_output", layout, aligned_output},
        {"input_used_in_part", "sizes", input_used_in_part},
        {"identity_copy", "trivial", identity_copy},
        {"constant_image", "trivial", constant_image},
        {"coordinates_only", "trivial", coordinates_only},
        {"outer_product", "broadcast", outer_product},
        {"window_of_products", "small outputs", window_of_products},
    };
}

}  // namespace nestor::testing
