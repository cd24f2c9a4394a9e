// Reductions: inline, over domains with predicates and run-time extents, strided windows, scans.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;

BuiltPipeline sum_box() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 84}, {0, 64}});
    RDom r(0, 5, 0, 5, "r");
    Func out("out");
    out(x, y) = cast<uint8_t>(sum(cast<uint16_t>(in(x + r.x, y + r.y))) / 25);
    b.output(out, {{0, 80}, {0, 60}});
    return b.finish();
}

BuiltPipeline product_and_extrema() {
    PipelineBuilder b;
    ImageParam in =
        b.image(Float(32), "in", {{0, 66}, {0, 40}}, {InputSize::Required, {}, {0.5, 1.5}});
    RDom r(0, 3, "r");
    Func out("out");
    out(x, y) = product(in(x + r, y)) + maximum(in(x + r, y)) - minimum(in(x + r, y));
    b.output(out, {{0, 64}, {0, 40}});
    return b.finish();
}

BuiltPipeline nested_inline_reductions() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 50}, {0, 50}});
    RDom columns(0, 4, "columns"), rows(0, 3, "rows");
    Func out("out");
    out(x, y) = maximum(columns, sum(rows, in(x + columns, y + rows)));
    b.output(out, {{0, 47}, {0, 48}});
    return b.finish();
}

BuiltPipeline big_sum_to_scalar() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 300}, {0, 200}}, {InputSize::Estimate, {}, {}});
    RDom r(in);
    Func total("total");
    total() = 0.0f;
    total() += in(r.x, r.y) * in(r.x, r.y);
    b.output(total, {});
    b.expect().min_legal_sizes = 1;
    return b.finish();
}

BuiltPipeline variance_two_pass() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 256}, {0, 40}}, {InputSize::Required, {}, {}});
    RDom r(0, 256, "r");
    Func mean("mean"), variance("variance"), normal("normal");
    mean(y) = sum(in(r, y)) / 256.0f;
    variance(y) = sum((in(r, y) - mean(y)) * (in(r, y) - mean(y))) / 256.0f;
    normal(x, y) = (in(x, y) - mean(y)) / sqrt(variance(y) + 1.0f);
    b.output(normal, {{0, 256}, {0, 40}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

BuiltPipeline softmax_rows() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 50}, {0, 30}}, {InputSize::Estimate, {}, {}});
    RDom r(0, in.width(), "r");
    Func largest("largest"), exponent("exponent"), norm("norm"), out("out");
    largest(y) = maximum(in(r, y));
    exponent(x, y) = exp(in(x, y) - largest(y));
    norm(y) += exponent(r, y);
    out(x, y) = exponent(x, y) / norm(y);
    b.output(out, {{0, 50}, {0, 30}});
    return b.finish();
}

BuiltPipeline matmul_bias() {
    PipelineBuilder b;
    ImageParam left = b.image(Float(32), "left", {{0, 70}, {0, 60}});
    ImageParam right = b.image(Float(32), "right", {{0, 64}, {0, 70}});
    ImageParam bias = b.image(Float(32), "bias", {{0, 64}});
    RDom k(0, 70, "k");
    Func product("product"), out("out");
    product(x, y) = bias(x);
    product(x, y) += left(k, y) * right(x, k);
    out(x, y) = max(product(x, y), 0.0f);
    b.output(out, {{0, 64}, {0, 60}});
    return b.finish();
}

// The depth of the product is an input's extent, known at run time only.
BuiltPipeline matmul_runtime_depth() {
    PipelineBuilder b;
    const PipelineBuilder::InputOptions own{InputSize::Estimate, {}, {-100, 100}};
    ImageParam left = b.image(Int(16), "left", {{0, 33}, {0, 40}}, own);
    ImageParam right = b.image(Int(16), "right", {{0, 48}, {0, 33}}, own);
    RDom k(0, left.width(), "k");
    Func out("out");
    out(x, y) += cast<int32_t>(left(k, y)) * right(x, k);
    b.output(out, {{0, 48}, {0, 40}});
    return b.finish();
}

BuiltPipeline depthwise_convolution() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 16}, {0, 34}, {0, 34}});
    ImageParam weights = b.image(Float(32), "weights", {{0, 16}, {0, 3}, {0, 3}});
    RDom r(0, 3, 0, 3, "r");
    Func out("out");
    out(c, x, y) = 0.25f;
    out(c, x, y) += in(c, x + r.x, y + r.y) * weights(c, r.x, r.y);
    b.output(out, {fixed(0, 16), {0, 32}, {0, 32}});
    return b.finish();
}

BuiltPipeline convolution_four_dimensions() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 8}, {0, 18}, {0, 18}, {0, 3}});
    ImageParam weights = b.image(Float(32), "weights", {{0, 10}, {0, 3}, {0, 3}, {0, 8}});
    RDom r(0, 8, 0, 3, 0, 3, "r");
    Func out("out");
    out(c, x, y, n) = 0.0f;
    out(c, x, y, n) += in(r.x, x + r.y, y + r.z, n) * weights(c, r.y, r.z, r.x);
    b.output(out, {fixed(0, 10), {0, 16}, {0, 16}, {0, 3}});
    return b.finish();
}

BuiltPipeline max_pool_stride_2() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 120}, {0, 80}, {0, 4}});
    RDom r(0, 2, 0, 2, "r");
    Func out("out");
    out(x, y, c) = maximum(in(2 * x + r.x, 2 * y + r.y, c));
    b.output(out, {{0, 60}, {0, 40}, {0, 4}});
    return b.finish();
}

// Windows that overlap (3 wide, 2 apart) over a stage, not an input.
BuiltPipeline max_pool_overlapping() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 101}, {0, 61}});
    RDom r(0, 3, 0, 3, "r");
    Func activated("activated"), out("out");
    activated(x, y) = max(in(x, y), 0.0f) + 0.5f;
    out(x, y) = -1e30f;
    out(x, y) = max(out(x, y), activated(2 * x + r.x, 2 * y + r.y));
    b.output(out, {{0, 50}, {0, 30}});
    return b.finish();
}

BuiltPipeline average_pool_stride_3() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(16), "in", {{0, 120}, {0, 60}});
    RDom r(0, 3, 0, 3, "r");
    Func total("total"), out("out");
    total(x, y) += cast<int32_t>(in(3 * x + r.x, 3 * y + r.y));
    out(x, y) = cast<int16_t>(total(x, y) / 9);
    b.output(out, {{0, 40}, {0, 20}});
    return b.finish();
}

BuiltPipeline dilated_convolution() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 76}, {0, 52}});
    RDom r(0, 4, 0, 4, "r");
    Func out("out");
    out(x, y) = sum(in(x + 4 * r.x, y + 4 * r.y) * (r.x - r.y));
    b.output(out, {{0, 64}, {0, 40}});
    return b.finish();
}

BuiltPipeline predicate_triangle() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 20}, {0, 20}});
    RDom r(0, 20, 0, 20, "r");
    r.where(r.x <= r.y);
    Func out("out");
    out(x) = 1.0f;
    out(x) += in(r.x, r.y) * cast<float>(x);
    b.output(out, {{0, 64}});
    return b.finish();
}

// How far each element sums depends on its own coordinate.
BuiltPipeline predicate_on_pure_variable() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 64}, {0, 20}}, {InputSize::Estimate, {}, {}});
    RDom r(0, 64, "r");
    r.where(r <= x && r % 3 != 1);
    Func out("out");
    out(x, y) = 0;
    out(x, y) += in(r, y);
    b.output(out, {{0, 64}, {0, 20}});
    return b.finish();
}

BuiltPipeline predicate_on_data() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 60}, {0, 44}}, {InputSize::Estimate, {}, {}});
    RDom r(in);
    r.where(in(r.x, r.y) > 100);
    Func bright("bright");
    bright(x) = 0;
    bright(in(r.x, r.y) / 16) += r.x - r.y;
    b.output(bright, {fixed(0, 16)});
    b.expect().min_legal_sizes = 1;
    return b.finish();
}

// A disc: two-dimensional predicate with a parameter, which may leave no point at all.
BuiltPipeline predicate_disc() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{-4, 56}, {-4, 48}}, {InputSize::Estimate, {}, {}});
    Param<int> radius = b.scalar<int>("radius", {4, 0, 2, -1});
    RDom r(-4, 9, -4, 9, "r");
    r.where(r.x * r.x + r.y * r.y <= radius * abs(radius));
    Func out("out");
    out(x, y) = 0.0f;
    out(x, y) += in(x + r.x, y + r.y);
    b.output(out, {{0, 48}, {0, 40}});
    return b.finish();
}

BuiltPipeline extent_from_parameter() {
    PipelineBuilder b;
    Param<int> radius = b.scalar<int>("radius", {3, 0, 1});
    ImageParam in = b.image(Float(32), "in", {{-3, 70}, {0, 40}}, {InputSize::Estimate, {}, {}});
    RDom r(-radius, 2 * radius + 1, "r");
    Func out("out");
    out(x, y) = 0.0f;
    out(x, y) += in(x + r, y);
    b.output(out, {{0, 64}, {0, 40}});
    return b.finish();
}

BuiltPipeline extents_triangular() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 24}, {0, 24}}, {InputSize::Required, {}, {-9, 9}});
    RDom r(0, 24, 0, 24, "r");
    r.where(r.y < r.x);
    Func lower("lower");
    lower(x, y) = in(x, y);
    lower(r.x, r.y) = lower(r.y, r.x);  // makes it symmetric in place
    b.output(lower, {fixed(0, 24), fixed(0, 24)});
    b.expect().min_legal_sizes = 1;
    return b.finish();
}

BuiltPipeline argmax_of_rows() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 60}, {0, 40}});
    RDom r(0, 60, "r");
    Func best("best"), out("out");
    best(y) = argmax(in(r, y));
    out(y) = best(y)[0] * 1000 + best(y)[1];
    b.output(out, {{0, 40}});
    return b.finish();
}

// Many equal values: the last in the order of the domain wins, whoever visits it when. Halide
// takes the operator for associative (it is), but splitting the domain so that the parts interleave
// needs commutativity too, which ties do not have.
BuiltPipeline argmin_with_ties() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 64}, {0, 20}}, {InputSize::Required, {}, {0, 3}});
    RDom r(0, 64, "r");
    Func best("best"), out("out");
    best(x) = Tuple(1000, -1);
    best(x) = Tuple(min(best(x)[0], in(r, x)), select(best(x)[0] < in(r, x), best(x)[1], r));
    out(x) = best(x)[0] * 100 + best(x)[1];
    b.output(out, {{0, 20}});
    return b.finish();
}

BuiltPipeline argmin_with_ties_of_two_dimensions() {
    PipelineBuilder b;
    ImageParam in =
        b.image(UInt(8), "in", {{0, 33}, {0, 17}, {0, 20}}, {InputSize::Required, {}, {0, 3}});
    RDom r(0, 33, 0, 17, "r");
    Func best("best");
    best(x) = argmin(in(r.x, r.y, x));
    b.output(best, {{0, 20}});
    return b.finish();
}

// Large enough to be taken apart. Halide takes this operator for commutative, too: the last of
// equal values wins, but vectors along the rows would make it the last of some lane.
BuiltPipeline argmax_of_a_picture_with_ties() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 331}, {0, 211}}, {InputSize::Estimate, {}, {0, 3}});
    RDom r(in);
    Func best("best");
    best() = Tuple(cast<uint8_t>(0), 0, 0);
    Expr worse = in(r.x, r.y) < best()[0];
    best() = Tuple(select(worse, best()[0], in(r.x, r.y)), select(worse, best()[1], r.x),
                   select(worse, best()[2], r.y));
    b.output(best, {});
    b.expect().min_legal_sizes = 1;
    return b.finish();
}

// Vectors along rows and tasks of rows, neither of which come out even.
BuiltPipeline extrema_of_a_picture() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(16), "in", {{0, 331}, {0, 211}}, {InputSize::Estimate, {}, {}});
    RDom r(in);
    Func all("all");
    all() = Tuple(0, cast<int16_t>(32767), cast<int16_t>(-32768));
    all() = Tuple(all()[0] + cast<int>(in(r.x, r.y)), min(all()[1], in(r.x, r.y)),
                  max(all()[2], in(r.x, r.y)));
    b.output(all, {});
    b.expect().min_legal_sizes = 1;
    return b.finish();
}

BuiltPipeline sums_of_long_rows() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 1999}, {0, 45}}, {InputSize::Estimate, {}, {}});
    RDom r(0, in.width(), "r");
    Func total("total"), out("out");
    total(y) = 0.0f;
    total(y) += in(r, y) * in(r, y);
    out(y) = sqrt(total(y));
    b.output(out, {{0, 45}});
    return b.finish();
}

BuiltPipeline histogram_of_a_picture() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 331}, {0, 211}}, {InputSize::Estimate, {}, {}});
    RDom r(in);
    Func histogram("histogram"), out("out");
    histogram(x) = 0;
    histogram(cast<int>(in(r.x, r.y))) += 1;
    out(x) = histogram(x) * 2;
    b.output(out, {fixed(0, 256)});
    b.expect().min_legal_sizes = 1;
    return b.finish();
}

// The window is the inner part of the domain, as it was written; channels are next to each other.
BuiltPipeline convolution_of_channels() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 16}, {0, 34}, {0, 22}});
    ImageParam weights = b.image(Float(32), "weights", {{0, 32}, {0, 3}, {0, 3}, {0, 16}});
    RDom r(0, 3, 0, 3, 0, 16, "r");
    Func sums("sums"), out("out");
    sums(c, x, y) = 0.0f;
    sums(c, x, y) += weights(c, r.x, r.y, r.z) * in(r.z, x + r.x, y + r.y);
    out(c, x, y) = max(sums(c, x, y), 0.0f);
    b.output(out, {fixed(0, 32), {0, 32}, {0, 20}});
    return b.finish();
}

BuiltPipeline dot_product_u8() {
    PipelineBuilder b;
    ImageParam left = b.image(UInt(8), "left", {{0, 512}, {0, 24}});
    ImageParam right = b.image(UInt(8), "right", {{0, 512}, {0, 24}});
    RDom r(0, 512, "r");
    Func out("out");
    out(y) += cast<uint32_t>(left(r, y)) * cast<uint32_t>(right(r, y));
    b.output(out, {{0, 24}});
    return b.finish();
}

BuiltPipeline mutual_information_like() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 64}, {0, 48}}, {InputSize::Estimate, {}, {}});
    RDom r(in);
    RDom k(0, 8, "k");
    Func joint("joint"), marginal("marginal"), out("out");
    joint(x, y) = 0;
    joint(in(r.x, r.y) / 32, in(clamp(r.x + 1, 0, 63), r.y) / 32) += 1;
    marginal(x) += joint(x, k);
    out(x, y) = joint(x, y) * 100 - marginal(x) * marginal(y);
    b.output(out, {fixed(0, 8), fixed(0, 8)});
    b.expect().min_legal_sizes = 1;
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> reduction_pipelines() {
    const std::string runtime = "extent known at run time";
    return {
        {"sum_box", "inline reduction", sum_box},
        {"product_and_extrema", "inline reduction", product_and_extrema},
        {"nested_inline_reductions", "inline reduction", nested_inline_reductions},
        {"big_sum_to_scalar", "0-dimensional", big_sum_to_scalar},
        {"variance_two_pass", "reduction of a reduction", variance_two_pass},
        {"softmax_rows", runtime, softmax_rows},
        {"matmul_bias", "matrix product", matmul_bias},
        {"matmul_runtime_depth", runtime, matmul_runtime_depth},
        {"depthwise_convolution", "convolution", depthwise_convolution},
        {"convolution_four_dimensions", "convolution", convolution_four_dimensions},
        {"max_pool_stride_2", "strided window", max_pool_stride_2},
        {"max_pool_overlapping", "strided window", max_pool_overlapping},
        {"average_pool_stride_3", "strided window", average_pool_stride_3},
        {"dilated_convolution", "strided window", dilated_convolution},
        {"predicate_triangle", "predicate", predicate_triangle},
        {"predicate_on_pure_variable", "predicate", predicate_on_pure_variable},
        {"predicate_on_data", "predicate", predicate_on_data},
        {"predicate_disc", "predicate", predicate_disc},
        {"extent_from_parameter", runtime, extent_from_parameter},
        {"extents_triangular", "predicate", extents_triangular},
        {"argmax_of_rows", "argmax", argmax_of_rows},
        {"argmin_with_ties", "argmax", argmin_with_ties},
        {"argmin_with_ties_of_two_dimensions", "argmax", argmin_with_ties_of_two_dimensions},
        {"argmax_of_a_picture_with_ties", "argmax", argmax_of_a_picture_with_ties},
        {"extrema_of_a_picture", runtime, extrema_of_a_picture},
        {"sums_of_long_rows", runtime, sums_of_long_rows},
        {"histogram_of_a_picture", runtime, histogram_of_a_picture},
        {"convolution_of_channels", "convolution", convolution_of_channels},
        {"dot_product_u8", "reduction", dot_product_u8},
        {"mutual_information_like", "histogram", mutual_information_like},
    };
}

}  // namespace nestor::testing
