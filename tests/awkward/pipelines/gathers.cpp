// Loads whose place depends on data, or on more than one variable, or not at unit stride.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;

BuiltPipeline lut_clamped() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(16), "in", {{0, 64}, {0, 48}});
    ImageParam lut = b.image(Float(32), "lut", {{0, 100}}, kOwnExtents);
    Func out("out");
    out(x, y) = lut(clamp(cast<int>(in(x, y)), 0, 99));
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

// The type of the index is its bound.
BuiltPipeline lut_by_uint8() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 64}, {0, 48}});
    ImageParam lut = b.image(UInt(16), "lut", {{0, 256}});
    Func out("out");
    out(x, y) = lut(in(x, y)) + lut(255 - in(x + 1, y));
    b.output(out, {{0, 63}, {0, 48}});
    return b.finish();
}

// The table is computed by the pipeline, with its own loop.
BuiltPipeline lut_computed() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 64}, {0, 48}});
    Param<float> gamma = b.scalar<float>("gamma", {0.5f, 2.0f});
    Func curve("curve"), out("out");
    curve(x) = cast<uint8_t>(clamp(pow(cast<float>(x) / 255.0f, gamma) * 255.0f, 0.0f, 255.0f));
    out(x, y) = cast<uint16_t>(curve(in(x, y))) * 2;
    b.output(out, {{0, 64}, {0, 48}});
    b.expect().relative_tolerance = 1e-2;
    return b.finish();
}

BuiltPipeline lut_embedded_buffer() {
    PipelineBuilder b;
    Buffer<int32_t> table(64, 4);
    table.for_each_element([&](int i, int j) { table(i, j) = (i * 37 + j * 11) % 101 - 50; });
    ImageParam in = b.image(UInt(8), "in", {{0, 64}, {0, 48}});
    Func out("out");
    out(x, y) = table(in(x, y) % 64, y % 4) + table(in(x, y) / 4, clamp(x, 0, 3));
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline indirect_twice() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 200}}, kOwnExtents);
    ImageParam next = b.image(Int(32), "next", {{0, 200}}, {InputSize::Estimate, {}, {0, 199}});
    Func hop("hop"), out("out");
    hop(x) = clamp(next(x), 0, 199);
    out(x) = in(hop(hop(hop(x))))-in(x);
    b.output(out, {{0, 200}});
    return b.finish();
}

BuiltPipeline rows_permuted() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 64}, {0, 40}}, kOwnExtents);
    ImageParam row = b.image(UInt(8), "row", {{0, 40}}, {InputSize::Required, {}, {0, 39}});
    Func bright("bright"), out("out");
    bright(x, y) = in(x, y) * in(x, y);
    out(x, y) = bright(x, clamp(cast<int>(row(y)), 0, 39));
    b.output(out, {{0, 64}, {0, 40}});
    return b.finish();
}

// Displacements in sixteenths of a pixel: a warp with bilinear weights in integers.
BuiltPipeline warp_bilinear() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 64}, {0, 48}}, kOwnExtents);
    ImageParam flow = b.image(Int(8), "flow", {{0, 64}, {0, 48}, {0, 2}});
    Func source("source"), out("out");
    source(x, y) = cast<int32_t>(in(clamp(x, 0, in.width() - 1), clamp(y, 0, in.height() - 1)));
    const Expr fx = x * 16 + flow(x, y, 0), fy = y * 16 + flow(x, y, 1);
    const Expr ix = fx / 16, iy = fy / 16, wx = fx % 16, wy = fy % 16;
    const Expr top = source(ix, iy) * (16 - wx) + source(ix + 1, iy) * wx;
    const Expr bottom = source(ix, iy + 1) * (16 - wx) + source(ix + 1, iy + 1) * wx;
    out(x, y) = cast<uint8_t>((top * (16 - wy) + bottom * wy + 128) / 256);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

// A small three-dimensional grid, built by scattering and read by gathering.
BuiltPipeline bilateral_grid_small() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 64}, {0, 48}}, kOwnExtents);
    RDom r(0, 8, 0, 8, "r");
    Func grid("grid"), blurred("blurred"), out("out");
    const Expr value = in(clamp(x * 8 + r.x, 0, 63), clamp(y * 8 + r.y, 0, 47));
    grid(x, y, z, c) = 0;
    grid(x, y, cast<int>(value / 32), c) += select(c == 0, cast<int>(value), 1);
    blurred(x, y, z, c) = grid(x - 1, y, z, c) + 2 * grid(x, y, z, c) + grid(x + 1, y, z, c);
    const Expr slice = cast<int>(in(clamp(x, 0, 63), clamp(y, 0, 47)) / 32);
    out(x, y) = blurred(x / 8, y / 8, slice, 0) / max(blurred(x / 8, y / 8, slice, 1), 1);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline transposed() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(16), "in", {{0, 50}, {0, 70}});
    Func prepared("prepared"), out("out");
    prepared(x, y) = in(x, y) * cast<uint16_t>(3) + cast<uint16_t>(x);
    out(x, y) = prepared(y, x);
    b.output(out, {{0, 70}, {0, 50}});
    return b.finish();
}

BuiltPipeline strided_access() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 200}});
    Func g("g"), out("out");
    g(x) = in(x) * 5 - 1;
    out(x) = g(2 * x) + g(x / 3) + g(x % 4) + g(3 * x + 1);
    b.output(out, {{0, 64}});
    return b.finish();
}

BuiltPipeline diagonal_access() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 120}, {-50, 160}});
    Func g("g"), out("out");
    g(x, y) = in(x, y) + 1.0f;
    out(x, y) = g(x + y, y - x) * g(x + y, 0);
    b.output(out, {{0, 50}, {0, 40}});
    return b.finish();
}

BuiltPipeline division_by_parameter() {
    PipelineBuilder b;
    Param<int> factor = b.scalar<int>("factor", {4, 1, 7});
    ImageParam in = b.image(Int(32), "in", {{0, 200}, {0, 40}}, kOwnExtents);
    Func g("g"), out("out");
    g(x, y) = in(clamp(x, 0, 199), y) + x;
    out(x, y) = g(x / factor, y) * (x % factor) + g(x * factor, y);
    b.output(out, {{0, 48}, {0, 40}});
    return b.finish();
}

BuiltPipeline offset_from_parameters() {
    PipelineBuilder b;
    Param<int> dx = b.scalar<int>("dx", {3, -20, 0});
    Param<uint8_t> dy = b.scalar<uint8_t>("dy", {1, 0, 9});
    ImageParam in = b.image(Int(32), "in", {{3, 80}, {0, 52}});
    Func g("g"), out("out");
    g(x, y) = in(x, y) * 2;
    out(x, y) = g(x + dx, y) - g(x + dx + 1, y + dy);
    b.output(out, {{0, 64}, {0, 40}});
    return b.finish();
}

BuiltPipeline deinterleave_bayer() {
    PipelineBuilder b;
    ImageParam raw = b.image(UInt(16), "raw", {{0, 80}, {0, 64}});
    Func planes("planes"), green("green"), out("out");
    planes(x, y, c) = raw(2 * x + c % 2, 2 * y + c / 2);
    green(x, y) = (planes(x, y, 1) / 2 + planes(x, y, 2) / 2);
    out(x, y, c) = mux(c, {planes(x, y, 0), green(x, y), planes(x, y, 3)});
    b.output(out, {{0, 40}, {0, 32}, fixed(0, 3)});
    return b.finish();
}

// Full resolution from quarter-resolution planes: the parity of the coordinates selects.
BuiltPipeline interleave_by_parity() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(16), "in", {{0, 34}, {0, 26}, {0, 4}});
    Func a("a"), d("d"), out("out");
    a(x, y) = in(x, y, 0) - in(x + 1, y, 1) / 2;
    d(x, y) = in(x, y, 2) / 2 + in(x, y + 1, 3) / 2;
    out(x, y) = select((x % 2 == 0) == (y % 2 == 0), a(x / 2, y / 2), d(x / 2, y / 2));
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline channels_by_select() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 64}, {0, 48}, {0, 3}});
    Func luma("luma"), blue("blue"), red("red"), out("out");
    const Expr r = cast<int>(in(x, y, 0)), g = cast<int>(in(x, y, 1)), v = cast<int>(in(x, y, 2));
    luma(x, y) = (r * 77 + g * 150 + v * 29) / 256;
    blue(x, y) = v - luma(x, y) + 128;
    red(x, y) = r - luma(x, y) + 128;
    out(x, y, c) =
        cast<uint8_t>(clamp(select(c == 0, luma(x, y), c == 1, blue(x, y), red(x, y)), 0, 255));
    b.output(out, {{0, 64}, {0, 48}, fixed(0, 3)});
    return b.finish();
}

// Rows of different lengths: start and length of each come from data.
BuiltPipeline sparse_matrix_vector() {
    PipelineBuilder b;
    ImageParam values = b.image(Float(32), "values", {{0, 600}}, kOwnExtents);
    ImageParam column = b.image(UInt(8), "column", {{0, 600}}, {InputSize::Estimate, {}, {0, 49}});
    ImageParam length = b.image(UInt(8), "length", {{0, 60}}, {InputSize::Required, {}, {0, 10}});
    ImageParam vector = b.image(Float(32), "vector", {{0, 50}}, kOwnExtents);
    RDom r(0, 10, "r");
    r.where(r < cast<int>(length(x)));
    Func out("out");
    const Expr at = clamp(x * 10 + r, 0, 599);
    out(x) = 0.0f;
    out(x) += values(at) * vector(clamp(cast<int>(column(at)), 0, 49));
    b.output(out, {{0, 60}});
    return b.finish();
}

BuiltPipeline gather_of_gathered_stage() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 64}, {0, 48}}, kOwnExtents);
    Func edges("edges"), strength("strength"), out("out");
    edges(x, y) =
        abs(in(clamp(x + 1, 0, 63), clamp(y, 0, 47)) - in(clamp(x, 0, 63), clamp(y, 0, 47)));
    strength(x, y) = clamp(cast<int>(floor(edges(x, y))), 0, 3);
    out(x, y) = edges(x + strength(x, y), y - strength(x, y));
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

// Halide numbers its random sources within the process, so two builds of a pipeline draw different
// numbers: what is compared must not depend on them. n * (n + 1) is even, which no simplifier
// knows.
BuiltPipeline random_numbers() {
    PipelineBuilder b;
    Param<int> seed = b.scalar<int>("seed", {12, 99});
    ImageParam in = b.image(UInt(8), "in", {{0, 64}, {0, 48}});
    Func noise("noise"), chance("chance"), out("out");
    noise(x, y) = cast<uint32_t>(random_int(seed));
    chance(x, y) = random_float(seed);
    const Expr even = noise(x, y) * (noise(x, y) + 1) + noise(x + 1, y) * (noise(x + 1, y) + 1);
    const Expr never = chance(x, y) * chance(x + 1, y) > 1.5f;
    out(x, y) = in(x, y) + cast<uint8_t>(even % 2) + cast<uint8_t>(select(never, 1, 0));
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

// Halide 21 loses a bound of `product` where it works out what is required of the input, if
// everything else is inlined: only its code generator would notice.
BuiltPipeline gather_through_contraction() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 39}}, kOwnExtents);
    Func edge = BoundaryConditions::mirror_image(in);
    Func twice("twice"), product("product"), up("up"), out("out");
    RDom r(0, 39, "r");
    twice(x, y) = cast<int>(edge(x)) * 2;
    product(x, y) = 0;
    product(x, y) += (twice(r, y) % 101) * (twice(x, r) % 101);
    up(x, y) = cast<uint8_t>(product(x / 2, y) % 255);
    out(x, y) = cast<uint8_t>(twice(x, clamp(cast<int>(up(x, y)), 0, 57)) % 255);
    b.output(out, {{0, 39}, {0, 58}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

// Vectors of every second or third element of one memory, in an index: Halide takes them for equal
// (halide/confused_loads). Found by the fuzzer, seed 1606.
BuiltPipeline index_from_strided_loads() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 100}, {0, 48}});
    Func first("first"), curve("curve"), remainder("remainder"), difference("difference"),
        out("out");
    curve(x) = cast<uint16_t>((x * x + 7 * x) % 1000);
    first(x, y) = cast<int>(in(x, y)) + 1;
    remainder(x, y) = first(2 * x, y) % first(2 * x + 1, y);
    difference(x, y) = first(3 * x, y) - first(3 * x + 2, y) + 256;
    out(x, y) = curve(clamp(remainder(x, y), 0, 255)) + curve(clamp(difference(x, y), 0, 511)) +
                curve(select(in(2 * x, y) < in(2 * x + 1, y), 3, 4));
    b.output(out, {{0, 33}, {0, 48}});
    return b.finish();
}

// The same with channels that lie side by side.
BuiltPipeline index_from_interleaved_channels() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 64}, {0, 48}, {0, 3}},
                            {InputSize::Required, Layout{{2, 0, 1}, 2, 1}, {}});
    in.dim(0).set_stride(3);
    in.dim(2).set_stride(1);
    Func curve("curve"), out("out");
    curve(x) = cast<uint16_t>(x * x % 777);
    out(x, y) = curve(cast<int>(in(x, y, 0)) - in(x, y, 2) + 256);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> gather_pipelines() {
    return {
        {"lut_clamped", "look-up table", lut_clamped},
        {"lut_by_uint8", "look-up table", lut_by_uint8},
        {"lut_computed", "look-up table", lut_computed},
        {"lut_embedded_buffer", "embedded buffer", lut_embedded_buffer},
        {"indirect_twice", "indirect load", indirect_twice},
        {"rows_permuted", "indirect load", rows_permuted},
        {"warp_bilinear", "indirect load", warp_bilinear},
        {"bilateral_grid_small", "indirect load", bilateral_grid_small},
        {"transposed", "strided access", transposed},
        {"strided_access", "strided access", strided_access},
        {"diagonal_access", "strided access", diagonal_access},
        {"division_by_parameter", "scalar parameter", division_by_parameter},
        {"offset_from_parameters", "scalar parameter", offset_from_parameters},
        {"deinterleave_bayer", "strided access", deinterleave_bayer},
        {"interleave_by_parity", "select of channels", interleave_by_parity},
        {"channels_by_select", "select of channels", channels_by_select},
        {"sparse_matrix_vector", "indirect load", sparse_matrix_vector},
        {"gather_of_gathered_stage", "indirect load", gather_of_gathered_stage},
        {"gather_through_contraction", "indirect load", gather_through_contraction},
        {"index_from_strided_loads", "indirect load", index_from_strided_loads},
        {"index_from_interleaved_channels", "indirect load", index_from_interleaved_channels},
        {"random_numbers", "random numbers", random_numbers},
    };
}

}  // namespace nestor::testing
