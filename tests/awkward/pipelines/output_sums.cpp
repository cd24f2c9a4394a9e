// Sums that are the output itself, at sizes that no tile divides.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;

BuiltPipeline output_product_with_bias() {
    PipelineBuilder b;
    ImageParam left = b.image(Float(32), "left", {{0, 61}, {0, 53}});
    ImageParam right = b.image(Float(32), "right", {{0, 67}, {0, 61}});
    ImageParam bias = b.image(Float(32), "bias", {{0, 67}});
    RDom k(0, 61, "k");
    Func out("out");
    out(x, y) = bias(x);
    out(x, y) += left(k, y) * right(x, k);
    b.output(out, {{0, 67}, {0, 53}});
    return b.finish();
}

BuiltPipeline output_product_of_bytes() {
    PipelineBuilder b;
    ImageParam left = b.image(UInt(8), "left", {{0, 40}, {0, 70}});
    ImageParam right = b.image(UInt(8), "right", {{0, 129}, {0, 40}});
    RDom k(0, 40, "k");
    Func out("out");
    out(x, y) = cast<uint8_t>(x);
    out(x, y) += left(k, y) * right(x, k);
    b.output(out, {{0, 129}, {0, 70}});
    return b.finish();
}

BuiltPipeline output_largest_sum() {
    PipelineBuilder b;
    ImageParam left = b.image(Int(32), "left", {{0, 32}, {3, 50}});
    ImageParam right = b.image(Int(32), "right", {{-5, 45}, {0, 32}});
    RDom k(0, 32, "k");
    Func out("out");
    out(x, y) = -1000000;
    out(x, y) = max(out(x, y), left(k, y) + right(x, k));
    b.output(out, {{-5, 45}, {3, 50}});
    return b.finish();
}

BuiltPipeline output_of_several_updates() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 84}, {0, 64}}, {InputSize::Required, {}, {-9, 9}});
    RDom r(0, 5, 0, 5, "r"), s(0, 16, "s");
    Func out("out");
    out(x, y) = x - y;
    out(x, y) += in(x + r.x, y + r.y);
    out(x, y) = out(x, y) * 2 + in(x, y);
    out(x, y) += in(x, y + s) * s;
    b.output(out, {{0, 79}, {0, 47}});
    return b.finish();
}

BuiltPipeline output_of_moments() {
    PipelineBuilder b;
    ImageParam in =
        b.image(Int(16), "in", {{0, 70}, {0, 80}}, {InputSize::Required, {}, {-99, 99}});
    RDom r(0, 21, "r");
    Func out("out");
    out(x, y) = Tuple(cast<int32_t>(0), cast<int32_t>(0));
    const Expr value = cast<int32_t>(in(x, y + r));
    out(x, y) = Tuple(out(x, y)[0] + value, out(x, y)[1] + value * value);
    b.output(out, {{0, 69}, {0, 57}});
    return b.finish();
}

BuiltPipeline output_over_a_triangle() {
    PipelineBuilder b;
    ImageParam left = b.image(Int(32), "left", {{0, 60}, {0, 60}});
    ImageParam right = b.image(Int(32), "right", {{0, 60}, {0, 60}}, {InputSize::Estimate, {}, {}});
    RDom k(0, 60, "k");
    k.where(k <= y);
    Func out("out");
    out(x, y) = 1;
    out(x, y) += left(k, y) * right(x, k);
    b.output(out, {{0, 60}, {0, 60}});
    return b.finish();
}

BuiltPipeline outputs_that_are_sums() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 90}, {0, 70}});
    RDom r(0, 9, 0, 9, "r");
    Func sums("sums"), squares("squares");
    sums(x, y) = 0.0f;
    sums(x, y) += in(x + r.x, y + r.y);
    squares(x, y) = 0.0f;
    squares(x, y) += in(x + r.x, y + r.y) * in(x + r.x, y + r.y);
    b.output(sums, {{0, 77}, {0, 53}});
    b.output(squares, {{0, 77}, {0, 53}});
    return b.finish();
}

BuiltPipeline output_convolution() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 7}, {0, 21}, {0, 19}, {0, 2}});
    ImageParam filter = b.image(Float(32), "filter", {{0, 19}, {0, 3}, {0, 3}, {0, 7}});
    RDom r(0, 7, 0, 3, 0, 3, "r");
    Func out("out");
    out(c, x, y, n) = 0.5f;
    out(c, x, y, n) += filter(c, r.y, r.z, r.x) * in(r.x, x + r.y, y + r.z, n);
    b.output(out, {fixed(0, 19), {0, 19}, {0, 17}, {0, 2}});
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> output_sum_pipelines() {
    return {
        {"output_product_with_bias", "matrix product", output_product_with_bias},
        {"output_product_of_bytes", "matrix product", output_product_of_bytes},
        {"output_largest_sum", "reduction", output_largest_sum},
        {"output_of_several_updates", "reduction", output_of_several_updates},
        {"output_of_moments", "tuple", output_of_moments},
        {"output_over_a_triangle", "predicate", output_over_a_triangle},
        {"outputs_that_are_sums", "multiple outputs", outputs_that_are_sums},
        {"output_convolution", "convolution", output_convolution},
    };
}

}  // namespace nestor::testing
