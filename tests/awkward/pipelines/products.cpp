// Products, most of narrow integers, at sizes that no tile divides.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;

// Products of narrow integers, with nothing packed, and fewer rows than a register tile has. The
// most negative numbers meet.
BuiltPipeline product_of(Type left, Type right, int depth) {
    PipelineBuilder b;
    ImageParam in = b.image(left, "in", {{0, depth}, {0, 37}});
    ImageParam weights = b.image(right, "weights", {{0, 70}, {0, depth}});
    RDom k(0, depth, "k");
    Func sums("sums"), out("out");
    sums(x, y) = 0;
    sums(x, y) += cast<int32_t>(in(k, y)) * cast<int32_t>(weights(x, k));
    out(x, y) = max(sums(x, y) >> 4, x);
    b.output(out, {{0, 70}, {0, 37}});
    return b.finish();
}

BuiltPipeline product_of_mixed_bytes() {
    return product_of(UInt(8), Int(8), 64);
}

BuiltPipeline product_of_signed_bytes() {
    return product_of(Int(8), Int(8), 64);
}

BuiltPipeline product_of_words() {
    return product_of(Int(16), Int(16), 34);
}

BuiltPipeline product_of_odd_depth() {
    return product_of(UInt(8), Int(8), 63);
}

// Weights with four steps of a channel side by side, in windows; the sums are the output.
BuiltPipeline convolution_of_bytes() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 16}, {0, 33}, {0, 21}});
    ImageParam weights = b.image(Int(8), "weights", {{0, 4}, {0, 24}, {0, 4}, {0, 3}});
    RDom r(0, 4, 0, 4, 0, 3, "r");
    Func out("out");
    out(c, x, y) = x - y;
    out(c, x, y) +=
        cast<int32_t>(in(4 * r.y + r.x, x + r.z, y)) * cast<int32_t>(weights(r.x, c, r.y, r.z));
    b.output(out, {{0, 24}, {0, 31}, {0, 21}});
    return b.finish();
}

// Rows by rows of one matrix, as long as it happens to be: vectors along the steps, in tiles of
// rows.
BuiltPipeline rows_by_rows() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 331}, {0, 29}}, {InputSize::Estimate, {}, {}});
    RDom k(0, in.width(), "k");
    Func sums("sums"), out("out");
    sums(x, y) = 0.0f;
    sums(x, y) += in(k, x) * in(k, y);
    out(x, y) = sums(x, y) / cast<float>(in.width());
    b.output(out, {{0, 29}, {0, 29}});
    return b.finish();
}

// Rows by rows of two matrices, where the sums are the output.
BuiltPipeline rows_by_rows_of_two() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 203}, {0, 31}});
    ImageParam weights = b.image(Float(32), "weights", {{0, 203}, {0, 26}});
    RDom k(0, 203, "k");
    Func out("out");
    out(x, y) = cast<float>(x);
    out(x, y) += in(k, y) * weights(k, x);
    b.output(out, {{0, 26}, {0, 31}});
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> product_pipelines() {
    return {
        {"product_of_mixed_bytes", "product", product_of_mixed_bytes},
        {"product_of_signed_bytes", "product", product_of_signed_bytes},
        {"product_of_words", "product", product_of_words},
        {"product_of_odd_depth", "product", product_of_odd_depth},
        {"convolution_of_bytes", "convolution", convolution_of_bytes},
        {"rows_by_rows", "product", rows_by_rows},
        {"rows_by_rows_of_two", "product", rows_by_rows_of_two},
    };
}

}  // namespace nestor::testing
