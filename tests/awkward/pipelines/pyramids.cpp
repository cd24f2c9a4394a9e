// Pyramids, deep chains, wide graphs, and blocks of networks: many stages, or stages at many
// scales.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;
namespace bc = Halide::BoundaryConditions;

Func downsample(const Func& from) {
    Func rows("down_x"), half("down");
    rows(x, y) = (from(2 * x - 1, y) + 2 * from(2 * x, y) + from(2 * x + 1, y)) / 4;
    half(x, y) = (rows(x, 2 * y - 1) + 2 * rows(x, 2 * y) + rows(x, 2 * y + 1)) / 4;
    return half;
}

Func upsample(const Func& from) {
    Func rows("up_x"), full("up");
    rows(x, y) = (from(x / 2, y) * 3 + from(x / 2 + 2 * (x % 2) - 1, y)) / 4;
    full(x, y) = (rows(x, y / 2) * 3 + rows(x, y / 2 + 2 * (y % 2) - 1)) / 4;
    return full;
}

// Differences of neighbouring levels, summed again at full size.
BuiltPipeline laplacian_pyramid() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(16), "in", {{0, 128}, {0, 96}}, kOwnExtents);
    Func level("level0");
    level(x, y) = cast<int32_t>(bc::repeat_edge(in)(x, y));
    std::vector<Func> gaussian = {level};
    for (int i = 1; i < 4; i++) {
        gaussian.push_back(downsample(gaussian.back()));
    }
    Func sum = gaussian.back();
    for (int i = 2; i >= 0; i--) {
        Func next("sum" + std::to_string(i));
        next(x, y) =
            upsample(sum)(x, y) + (gaussian[i](x, y) - upsample(gaussian[i + 1])(x, y)) / 2;
        sum = next;
    }
    b.output(sum, {{0, 128}, {0, 96}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

// Only divisions by two: extents at every level are rounded differently.
BuiltPipeline integer_pyramid() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 130}, {0, 100}}, kOwnExtents);
    Func level("level0");
    level(x, y) = cast<uint16_t>(bc::mirror_image(in)(x, y));
    for (int i = 0; i < 3; i++) {
        Func half("half");
        half(x, y) = (level(2 * x, 2 * y) + level(2 * x + 1, 2 * y + 1)) / 2;
        level = half;
    }
    Func out("out");
    out(x, y) = level(x / 8, y / 8) + level((x + 7) / 8, (y + 7) / 8);
    b.output(out, {{0, 130}, {0, 100}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

BuiltPipeline pyramid_levels_as_outputs() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{-7, 142}, {-7, 110}});
    Func level = in;
    for (const Box& size :
         {Box{{-3, 72}, {-3, 56}}, Box{{-1, 35}, {-1, 27}}, Box{{0, 16}, {0, 12}}}) {
        level = downsample(level);
        b.output(level, size);
    }
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

BuiltPipeline upsample_bilinear() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{-1, 36}, {-1, 28}});
    b.output(upsample(in), {{0, 64}, {0, 48}});
    return b.finish();
}

// Rates of two thirds: neither up nor down by a whole number.
BuiltPipeline resample_two_thirds() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 110}, {0, 80}}, {InputSize::Required, {}, {}});
    Func rows("rows"), out("out");
    rows(x, y) = in(x * 3 / 2, y) + in(x * 3 / 2 + 1, y) * (x % 2);
    out(x, y) = rows(x, y * 3 / 2) - rows(x, y * 3 / 2 + 1);
    b.output(out, {{0, 70}, {0, 50}});
    return b.finish();
}

Func convolve(const Func& from, const Func& weights, int channels, const std::string& name) {
    RDom r(0, channels, 0, 3, 0, 3, name + "_r");
    Func conv(name);
    conv(c, x, y) = 0.0f;
    conv(c, x, y) += weights(c, r.x, r.y, r.z) * from(r.x, x + r.y - 1, y + r.z - 1);
    return conv;
}

BuiltPipeline residual_block() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 8}, {-2, 36}, {-2, 28}});
    ImageParam w1 = b.image(Float(32), "w1", {{0, 8}, {0, 8}, {0, 3}, {0, 3}});
    ImageParam w2 = b.image(Float(32), "w2", {{0, 8}, {0, 8}, {0, 3}, {0, 3}});
    Func first = convolve(in, w1, 8, "first"), relu("relu"), out("out");
    relu(c, x, y) = max(first(c, x, y), 0.0f);
    Func second = convolve(relu, w2, 8, "second");
    out(c, x, y) = max(second(c, x, y) + in(c, x, y), 0.0f);
    b.output(out, {fixed(0, 8), {0, 32}, {0, 24}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

// Down, across and up again, with a connection that skips the middle.
BuiltPipeline skip_connection_across_scales() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 4}, {-6, 80}, {-6, 64}});
    ImageParam w1 = b.image(Float(32), "w1", {{0, 6}, {0, 4}, {0, 3}, {0, 3}});
    ImageParam w2 = b.image(Float(32), "w2", {{0, 6}, {0, 6}, {0, 3}, {0, 3}});
    Func encoded = convolve(in, w1, 4, "encoded"), pooled("pooled"), out("out");
    RDom r(0, 2, 0, 2, "pool_r");
    pooled(c, x, y) = maximum(encoded(c, 2 * x + r.x, 2 * y + r.y));
    Func middle = convolve(pooled, w2, 6, "middle");
    out(c, x, y) = select(c < 6, middle(min(c, 5), x / 2, y / 2), encoded(max(c, 6) - 6, x, y));
    b.output(out, {fixed(0, 12), {0, 48}, {0, 32}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

// Inlining all of it would give 3^12 terms.
BuiltPipeline deep_stencil_chain() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{-12, 152}, {0, 24}});
    Func stage = in;
    for (int i = 0; i < 12; i++) {
        Func next("stage" + std::to_string(i));
        next(x, y) = 0.25f * stage(x - 1, y) + 0.5f * stage(x, y) + 0.25f * stage(x + 1, y);
        stage = next;
    }
    b.output(stage, {{0, 128}, {0, 24}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

BuiltPipeline deep_pointwise_chain() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 64}, {0, 48}});
    Func stage = in;
    for (int i = 0; i < 40; i++) {
        Func next("stage" + std::to_string(i));
        next(x, y) = (stage(x, y) ^ (x + i)) + y;
        stage = next;
    }
    b.output(stage, {{0, 64}, {0, 48}});
    return b.finish();
}

// One producer, many consumers at different offsets, all joined again.
BuiltPipeline wide_graph() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 90}, {0, 60}});
    Func producer("producer"), out("out");
    producer(x, y) = in(x, y) * in(x, y);
    Expr total = 0.0f;
    for (int i = 0; i < 20; i++) {
        Func consumer("consumer" + std::to_string(i));
        consumer(x, y) = producer(x + i, y) - producer(x, y + i % 5) * static_cast<float>(i);
        total += consumer(x, y) + consumer(x + 1, y);
    }
    out(x, y) = total;
    b.output(out, {{0, 64}, {0, 48}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

// Paths of different lengths meet, so that strips of producers lag behind each other.
BuiltPipeline paths_of_different_lengths() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(16), "in", {{-8, 90}, {-8, 70}});
    Func a("a"), d("d"), e("e"), f("f"), out("out");
    a(x, y) = cast<uint32_t>(in(x, y - 1)) + in(x, y + 1);
    d(x, y) = a(x, y - 2) + a(x, y + 2);
    e(x, y) = d(x - 3, y) + d(x + 3, y) + a(x, y);
    f(x, y) = max(e(x, y - 1), e(x, y + 1));
    out(x, y) = f(x, y) + 2 * a(x, y) + cast<uint32_t>(in(x, y));
    b.output(out, {{0, 64}, {0, 48}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

BuiltPipeline unsharp_mask() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 64}, {0, 48}, {0, 3}}, kOwnExtents);
    Func bounded = bc::repeat_edge(in), gray("gray"), rows("rows"), blurred("blurred");
    Func ratio("ratio"), out("out");
    gray(x, y) = 0.3f * bounded(x, y, 0) + 0.6f * bounded(x, y, 1) + 0.1f * bounded(x, y, 2) + 4.0f;
    rows(x, y) = (gray(x, y - 1) + gray(x, y) + gray(x, y + 1)) / 3.0f;
    blurred(x, y) = (rows(x - 1, y) + rows(x, y) + rows(x + 1, y)) / 3.0f;
    ratio(x, y) = (2.0f * gray(x, y) - blurred(x, y)) / gray(x, y);
    out(x, y, c) = ratio(x, y) * in(x, y, c);
    b.output(out, {{0, 64}, {0, 48}, fixed(0, 3)});
    return b.finish();
}

BuiltPipeline harris_corners() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 70}, {0, 54}});
    Func wide("wide"), dx("dx"), dy("dy"), xx("xx"), xy("xy"), yy("yy"), out("out");
    wide(x, y) = cast<int32_t>(in(x, y));
    dx(x, y) = wide(x + 2, y) - wide(x, y) + 2 * (wide(x + 2, y + 1) - wide(x, y + 1)) +
               wide(x + 2, y + 2) - wide(x, y + 2);
    dy(x, y) = wide(x, y + 2) - wide(x, y) + 2 * (wide(x + 1, y + 2) - wide(x + 1, y)) +
               wide(x + 2, y + 2) - wide(x + 2, y);
    RDom r(0, 3, 0, 3, "r");
    xx(x, y) = sum(dx(x + r.x, y + r.y) * dx(x + r.x, y + r.y) / 64);
    xy(x, y) = sum(dx(x + r.x, y + r.y) * dy(x + r.x, y + r.y) / 64);
    yy(x, y) = sum(dy(x + r.x, y + r.y) * dy(x + r.x, y + r.y) / 64);
    const Expr trace = cast<int64_t>(xx(x, y)) + yy(x, y);
    out(x, y) = cast<int64_t>(xx(x, y)) * yy(x, y) - cast<int64_t>(xy(x, y)) * xy(x, y) -
                trace * trace / 25;
    b.output(out, {{0, 66}, {0, 50}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

// The maximum over a disc by doubling windows: a helper dimension of which each offset needs one
// slice only.
BuiltPipeline maximum_filter_by_slices() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{-4, 72}, {-16, 84}});
    std::vector<Func> windows = {in};
    for (int i = 0; i < 3; i++) {
        Func doubled("doubled");
        doubled(x, y) = max(windows.back()(x, y), windows.back()(x, y + (1 << i)));
        windows.push_back(doubled);
    }
    Func slices("slices"), out("out");
    slices(x, y, n) =
        mux(n, {windows[0](x, y), windows[1](x, y), windows[2](x, y), windows[3](x, y)});
    RDom r(-4, 9, "r");
    out(x, y) = maximum(slices(x + r, y, clamp(4 - cast<int>(abs(r)), 0, 3)));
    b.output(out, {{0, 64}, {0, 48}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> pyramid_pipelines() {
    return {
        {"laplacian_pyramid", "pyramid", laplacian_pyramid},
        {"integer_pyramid", "pyramid", integer_pyramid},
        {"pyramid_levels_as_outputs", "pyramid", pyramid_levels_as_outputs},
        {"upsample_bilinear", "pyramid", upsample_bilinear},
        {"resample_two_thirds", "pyramid", resample_two_thirds},
        {"residual_block", "network", residual_block},
        {"skip_connection_across_scales", "network", skip_connection_across_scales},
        {"deep_stencil_chain", "deep chain", deep_stencil_chain},
        {"deep_pointwise_chain", "deep chain", deep_pointwise_chain},
        {"wide_graph", "wide graph", wide_graph},
        {"paths_of_different_lengths", "wide graph", paths_of_different_lengths},
        {"unsharp_mask", "application", unsharp_mask},
        {"harris_corners", "application", harris_corners},
        {"maximum_filter_by_slices", "application", maximum_filter_by_slices},
    };
}

}  // namespace nestor::testing
