// Pictures that may lie in memory in more than one way: planar, interleaved, or with something
// between.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;

const Layout kInterleaved{{2, 0, 1}, 2, 1};  // of x, y, channels
const Layout kPacked{{}, 2, 1};              // of channels, x, y

// Smoothed, from a layout to another one, or to the same.
BuiltPipeline smoothed(const Layout& from, const Layout& to) {
    PipelineBuilder b;
    ImageParam in =
        b.image(UInt(8), "in", {{0, 160}, {0, 96}, fixed(0, 3)}, {InputSize::Estimate, from, {}});
    Func padded("padded"), wide("wide"), rows("rows"), out("out");
    padded = BoundaryConditions::repeat_edge(in);
    wide(x, y, c) = cast<uint16_t>(padded(x, y, c));
    rows(x, y, c) = wide(x - 1, y, c) + 2 * wide(x, y, c) + wide(x + 1, y, c);
    out(x, y, c) =
        cast<uint8_t>((rows(x, y - 1, c) + 2 * rows(x, y, c) + rows(x, y + 1, c) + 8) / 16);
    in.dim(0).set_stride(Expr());
    out.output_buffer().dim(0).set_stride(Expr());
    b.output(out, {{0, 160}, {0, 96}, fixed(0, 3)}, to);
    return b.finish();
}

BuiltPipeline planar_or_not() {
    return smoothed({}, {});
}

BuiltPipeline interleaved_or_not() {
    return smoothed(kInterleaved, kInterleaved);
}

BuiltPipeline interleaved_made_planar() {
    return smoothed(kInterleaved, {});
}

// Every second element of a picture.
BuiltPipeline apart_or_not() {
    return smoothed({{}, 1, 2}, {{}, 1, 2});
}

// The channels of a pixel are side by side; nothing says where the next pixel is.
BuiltPipeline pixels(const Layout& layout) {
    PipelineBuilder b;
    ImageParam in =
        b.image(UInt(8), "in", {fixed(0, 3), {0, 160}, {0, 96}}, {InputSize::Required, layout, {}});
    Func wide("wide"), out("out");
    wide(c, x, y) = cast<uint16_t>(in(c, x, y)) + in(c, x + 1, y);
    out(c, x, y) = cast<uint8_t>((wide(c, x, y) + wide(c, x, y + 1) + 2) / 4);
    b.output(out, {fixed(0, 3), {0, 160}, {0, 96}}, layout);
    return b.finish();
}

BuiltPipeline packed_pixels() {
    return pixels(kPacked);
}

BuiltPipeline padded_pixels() {
    return pixels({});
}

// Two results, of which one is larger in memory than its channels.
BuiltPipeline two_layouts() {
    PipelineBuilder b;
    ImageParam in =
        b.image(Float(32), "in", {{0, 130}, {0, 70}, fixed(0, 4)}, {InputSize::Required, {}, {}});
    Func shared("shared"), first("first"), second("second");
    shared(x, y, c) = in(x, y, c) + in(x + 1, y, c);
    first(x, y, c) = shared(x, y, c) * 2.0f;
    second(c, x, y) = shared(x, y, c) + shared(x, y + 1, c);
    in.dim(0).set_stride(Expr());
    first.output_buffer().dim(0).set_stride(Expr());
    b.output(first, {{0, 128}, {0, 64}, fixed(0, 4)}, kInterleaved);
    b.output(second, {fixed(0, 4), {0, 128}, {0, 64}}, kPacked);
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> layout_pipelines() {
    return {
        {"planar_or_not", "open layout", planar_or_not},
        {"interleaved_or_not", "open layout", interleaved_or_not},
        {"interleaved_made_planar", "open layout", interleaved_made_planar},
        {"apart_or_not", "open layout", apart_or_not},
        {"packed_pixels", "open layout", packed_pixels},
        {"padded_pixels", "open layout", padded_pixels},
        {"two_layouts", "open layout", two_layouts},
    };
}

}  // namespace nestor::testing
