// Pictures and weights in blocks: what repeats within each, and what is the same for all of it.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;

// Both dimensions of each block of 8 x 8 pixels multiplied by a matrix, and divided by another one.
BuiltPipeline block_transform() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 160}, {0, 96}});
    ImageParam basis = b.image(Float(32), "basis", {fixed(0, 8), fixed(0, 8)});
    ImageParam quant = b.image(UInt(8), "quant", {fixed(0, 8), fixed(0, 8)});
    Func rows("rows"), columns("columns"), out("out");
    RDom r(0, 8, "r"), q(0, 8, "q");
    rows(x, y) += basis(x % 8, r) * cast<float>(in((x / 8) * 8 + r, y));
    columns(x, y) += basis(y % 8, q) * rows(x, (y / 8) * 8 + q);
    out(x, y) = columns(x, y) / (cast<float>(quant(x % 8, y % 8)) + 1.0f);
    b.output(out, {{0, 160}, {0, 96}});
    return b.finish();
}

// The mean of each block of 8 x 8 pixels, for all of them, beside what is left.
BuiltPipeline means_of_blocks() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 160}, {0, 96}});
    Func mean("mean"), spread("spread"), out("out");
    RDom r(0, 8, 0, 8, "r");
    mean(x, y) += cast<int>(in(8 * x + r.x, 8 * y + r.y));
    spread(x, y) = mean(x / 8, y / 8) / 64;
    out(x, y) = cast<int16_t>(in(x, y)) - cast<int16_t>(spread(x, y)) * (x % 8);
    b.output(out, {{0, 160}, {0, 96}});
    return b.finish();
}

// A product whose weights lie in tiles of 16 columns.
BuiltPipeline tiled_weights() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {fixed(0, 24), {0, 40}});
    ImageParam weights = b.image(Float(32), "weights", {fixed(0, 16), fixed(0, 24), fixed(0, 4)});
    Func sums("sums"), out("out");
    RDom k(0, 24, "k");
    sums(c, y) += weights(c % 16, k, c / 16) * in(k, y);
    out(c, y) = max(sums(c, y), 0.0f);
    b.output(out, {fixed(0, 64), {0, 40}});
    return b.finish();
}

// Rows of constant size that are read from their ends: the last vectors reach before the memory's
// beginning.
BuiltPipeline rows_of_constant_size_backwards() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {fixed(-220, 441), {0, 24}});
    Func highest("highest"), backwards("backwards"), sums("sums"), total("total"), out("out");
    RDom k(-3, 4, "k"), all(0, 211, "all");
    highest(x, y) = in(x, y);
    highest(x, y) = max(highest(x, y), in(x + k, y));
    backwards(x, y) = highest(-x, y);
    sums(x, y) = backwards(x, y) * in(x, y);
    total(y) = 0.0f;
    total(y) = max(total(y), sums(all, y));
    out(x, y) = sums(x, y) + total(y);
    b.output(out, {fixed(0, 211), {0, 24}});
    return b.finish();
}

// Sums of columns of sums of rows, each read at several points.
BuiltPipeline sums_read_at_several_points() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{-2, 223}, {-5, 109}});
    RDom r(0, 5, "r");
    Func rows("rows"), sums("sums"), out("out");
    rows(x, y) = 1;
    rows(x, y) += cast<int>(in(x + r, y)) * cast<int>(in(x + r, y));
    sums(x, y) = x;
    sums(x, y) += rows(x, y + r);
    out(x, y) = sums(x, y) - min(sums(x - 1, y - 3), sums(x - 2, y - 5));
    b.output(out, {{0, 217}, {0, 100}});
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> block_pipelines() {
    return {
        {"block_transform", "blocks", block_transform},
        {"means_of_blocks", "blocks", means_of_blocks},
        {"tiled_weights", "blocks", tiled_weights},
        {"rows_of_constant_size_backwards", "blocks", rows_of_constant_size_backwards},
        {"sums_read_at_several_points", "reduction", sums_read_at_several_points},
    };
}

}  // namespace nestor::testing
