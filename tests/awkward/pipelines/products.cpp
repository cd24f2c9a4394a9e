// Products of narrow integers, at sizes that no tile divides.
#include "support/pipelines.h"

namespace nestor::testing {

namespace {

using namespace Halide;

const Var x("x"), y("y"), c("c");

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

}  // namespace

std::vector<TestPipeline> product_pipelines() {
    return {
        {"product_of_mixed_bytes", "product", product_of_mixed_bytes},
        {"product_of_signed_bytes", "product", product_of_signed_bytes},
        {"product_of_words", "product", product_of_words},
        {"product_of_odd_depth", "product", product_of_odd_depth},
        {"convolution_of_bytes", "convolution", convolution_of_bytes},
    };
}

}  // namespace nestor::testing
