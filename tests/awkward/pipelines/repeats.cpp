// Definitions that do something else at every second or third point, and rates of less than one.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;
namespace bc = Halide::BoundaryConditions;

// One colour a pixel in a pattern of two by two; the others from the neighbours.
BuiltPipeline mosaic() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(16), "in", {{0, 70}, {0, 51}}, kOwnExtents);
    Func raw("raw"), cross("cross"), rows("rows"), red("red"), green("green"), blue("blue");
    raw(x, y) = cast<int>(bc::mirror_interior(in)(x, y));
    cross(x, y) = (raw(x - 1, y) + raw(x + 1, y) + raw(x, y - 1) + raw(x, y + 1)) / 4;
    green(x, y) = select((x + y) % 2 == 0, cross(x, y), raw(x, y));
    rows(x, y) = select(x % 2 == 0, raw(x, y), (raw(x - 1, y) + raw(x + 1, y)) / 2);
    red(x, y) = select(y % 2 == 0, rows(x, y), (rows(x, y - 1) + rows(x, y + 1)) / 2);
    blue(x, y) = select(x % 2 == 1, select(y % 2 == 1, raw(x, y), raw(x, y - 1)), green(x, y) / 2);
    Func out("out");
    out(x, y, c) = cast<uint16_t>(
        clamp(mux(c, {red(x, y), green(x, y), blue(x, y)}) + green(x, y) / 8, 0, 65535));
    out.output_buffer().dim(2).set_bounds(0, 3);
    b.output(out, {{0, 70}, {0, 51}, {0, 3}});
    return b.finish();
}

// Eight pixels a byte, unpacked and smoothed: no border anywhere.
BuiltPipeline packed_bits() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 20}, {0, 40}});
    Func bits("bits"), smooth("smooth"), out("out");
    bits(x, y) = (in(x / 8, y) >> cast<uint8_t>(x % 8)) & 1;
    smooth(x, y) = bits(x, y) + 2 * bits(x + 1, y) + bits(x + 2, y);
    out(x, y) = smooth(x, y) + 3 * smooth(x, y + 1);
    b.output(out, {{0, 150}, {0, 39}});
    return b.finish();
}

// Three for one, and then one for two, from an odd place on.
BuiltPipeline thirds_and_halves() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 40}, {0, 30}}, kOwnExtents);
    Func source("source"), across("across"), down("down"), out("out");
    source(x, y) = bc::repeat_edge(in)(x, y) * 0.5f;
    across(x, y) =
        select(x % 3 == 0, source(x / 3, y), x % 3 == 1,
               source(x / 3, y) * 0.75f + source(x / 3 + 1, y) * 0.25f, source(x / 3 + 1, y));
    down(x, y) = select((y + 1) % 2 == 0, across(x, y / 2), across(x, (y + 1) / 2) + 1.0f);
    out(x, y) = down(2 * x + 1, y) + down(x, y + 2) - across(x, y / 2);
    b.output(out, {{-3, 61}, {5, 41}});
    return b.finish();
}

// Rows of two kinds that slide down what reads three of them, and a chain behind it that reads
// every second.
BuiltPipeline staggered_rows() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(16), "in", {{0, 96}, {0, 80}}, kOwnExtents);
    Func rows("rows"), sum("sum"), half("half"), out("out");
    rows(x, y) = select(y % 2 == 0, bc::repeat_edge(in)(x, y), bc::repeat_edge(in)(x + 1, y) / 2);
    sum(x, y) = rows(x, y - 1) + rows(x, y) + rows(x, y + 1);
    half(x, y) = sum(2 * x, 2 * y) + sum(2 * x + 1, 2 * y + 1);
    out(x, y) = half(x / 2, y / 2) + sum(x, y) * (x % 2);
    b.output(out, {{0, 96}, {0, 80}});
    return b.finish();
}

// A transposed convolution with a border at constants: which taps a pixel sums depends on whether
// it is even. Beyond the border nothing may be read at smaller sizes.
BuiltPipeline transposed_convolution() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 8}, {0, 30}, {0, 26}});
    ImageParam weights = b.image(Float(32), "weights", {{0, 16}, {0, 8}, {0, 4}, {0, 4}});
    Func padded("padded"), sum("sum"), out("out");
    padded(c, x, y) =
        bc::constant_exterior(in, 0.0f, {{Expr(), Expr()}, {0, 30}, {0, 26}})(c, x, y);
    const RDom r(0, 8, 0, 2, 0, 2);
    sum(c, x, y) = 0.0f;
    sum(c, x, y) += padded(r.x, (x + 1) / 2 - r.y, (y + 1) / 2 - r.z) *
                    weights(c, r.x, (x + 1) % 2 + 2 * r.y, (y + 1) % 2 + 2 * r.z);
    out(c, x, y) = max(sum(c, x, y), 0.0f);
    b.output(out, {{0, 16}, {0, 60}, {0, 52}});
    return b.finish();
}

// Sums of tiles that overlap, in memory of their own, with a border at constants.
BuiltPipeline products_of_padded_tiles() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 16}, {0, 64}, {0, 64}});
    ImageParam weights = b.image(Float(32), "weights", {{0, 32}, {0, 16}, {0, 2}});
    Func padded("padded"), edges("edges"), sum("sum"), product("product"), back("back"), out("out");
    padded(c, x, y) =
        bc::constant_exterior(in, 0.0f, {{Expr(), Expr()}, {0, 64}, {0, 64}})(c, x, y);
    Var u("u");
    edges(c, x, y, u) = mux(u, {padded(c, 2 * x - 1, y) - padded(c, 2 * x + 1, y),
                                padded(c, 2 * x, y) + padded(c, 2 * x + 2, y + 1)});
    const RDom r(0, 16);
    sum(c, x, y, u) = 0.0f;
    sum(c, x, y, u) += weights(c, r, u) * edges(r, x, y, u);
    product(c, x, y, u) = sum(c, x, y, u);
    back(c, x, y, u) = mux(
        u, {product(c, x, y, 0) + product(c, x, y, 1), product(c, x, y, 0) - product(c, x, y, 1)});
    out(c, x, y) = back(c, x / 2, y, x % 2);
    b.output(out, {{0, 32}, {0, 64}, {0, 64}});
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> repeat_pipelines() {
    return {
        {"mosaic", "repeat", mosaic},
        {"packed_bits", "repeat", packed_bits},
        {"thirds_and_halves", "repeat", thirds_and_halves},
        {"staggered_rows", "repeat", staggered_rows},
        {"transposed_convolution", "repeat", transposed_convolution},
        {"products_of_padded_tiles", "repeat", products_of_padded_tiles},
    };
}

}  // namespace nestor::testing
