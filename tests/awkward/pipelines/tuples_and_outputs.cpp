// Tuples, and pipelines with several outputs: of different sizes, ranks and types, consuming each
// other.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;

// At root both elements are computed wherever either is read, which takes more of the input.
BuiltPipeline tuple_pure() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 66}, {0, 50}});
    Func gradient("gradient"), out("out");
    gradient(x, y) = Tuple(in(x + 1, y) - in(x, y), in(x, y + 1) - in(x, y));
    out(x, y) = gradient(x, y)[0] * gradient(x + 1, y)[1] + gradient(x, y)[1];
    b.output(out, {{0, 64}, {0, 48}});
    b.expect().root_is_legal = false;
    return b.finish();
}

BuiltPipeline tuple_output_of_mixed_types() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 64}, {0, 48}});
    Func out("out");
    out(x, y) = Tuple(in(x, y) / 2, cast<float>(in(x, y)) * 0.5f, cast<int64_t>(x) - y);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

// Sum, sum of squares and count in one pass.
BuiltPipeline tuple_moments() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 100}, {0, 30}});
    RDom r(0, 100, "r");
    Func moments("moments"), out("out");
    moments(y) = Tuple(0.0f, 0.0f, 0);
    moments(y) = Tuple(moments(y)[0] + in(r, y), moments(y)[1] + in(r, y) * in(r, y),
                       moments(y)[2] + select(in(r, y) > 0.0f, 1, 0));
    out(y) = moments(y)[1] - moments(y)[0] * moments(y)[0] / 100.0f + moments(y)[2];
    b.output(out, {{0, 30}});
    return b.finish();
}

// Each element's update reads the other element: they cannot be taken apart.
BuiltPipeline tuple_complex_product() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 12}, {0, 40}}, {InputSize::Required, {}, {-2, 2}});
    RDom r(0, 12, "r");
    Func z("z");
    z(y) = Tuple(1, 1);
    const Expr re = z(y)[0], im = z(y)[1];
    z(y) = Tuple(re * in(r, y) - im, re + im * in(r, y));
    b.output(z, {{0, 40}});
    return b.finish();
}

BuiltPipeline tuple_argmin_of_two_dimensions() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(16), "in", {{0, 40}, {0, 30}, {0, 6}});
    RDom r(0, 40, 0, 30, "r");
    Func best("best"), out("out");
    best(c) = argmin(in(r.x, r.y, c));
    out(c) = best(c)[0] + 100 * best(c)[1];
    b.output(best, {{0, 6}});
    b.output(out, {{0, 6}});
    return b.finish();
}

// The second element is never read, yet it is part of the function.
BuiltPipeline tuple_with_dead_element() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{-1, 66}, {0, 48}});
    Func pair("pair"), out("out");
    pair(x, y) = Tuple(in(x, y) * 2.0f, exp(in(x, y)));
    out(x, y) = pair(x - 1, y)[0] + pair(x + 1, y)[0];
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

// `unused` is read by an element that nobody reads. With `pair` inlined and `unused` at root,
// Halide 21 crashes while it infers bounds; with `pair` at root, one more column of the input is
// required than the unscheduled pipeline asks for.
BuiltPipeline tuple_with_dead_producer() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 64}, {0, 48}});
    Func shared("shared"), unused("unused"), pair("pair"), out("out");
    shared(x, y) = in(x, y) * in(x, y);
    unused(x, y) = shared(x, y) + shared(x + 1, y);
    pair(x, y) = Tuple(shared(x, y), unused(x, y));
    out(x, y) = pair(x, y)[0] + x;
    b.output(out, {{0, 64}, {0, 48}});
    b.expect().root_is_legal = false;
    return b.finish();
}

// The same through a function between, and with a reduction, which cannot be inlined.
BuiltPipeline tuple_with_dead_chain() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 64}, {0, 48}}, kOwnExtents);
    Func edge = BoundaryConditions::mirror_image(in);
    Func window("window"), cheap("cheap"), pair("pair"), out("out");
    RDom r(-2, 5, -2, 5, "r");
    window(x, y) = 0;
    window(x, y) += cast<int>(edge(x + r.x, y + r.y)) * (r.x + 3);
    cheap(x, y) = cast<int16_t>(window(x, y) + window(x + 1, y));
    pair(x, y) = Tuple(edge(x, y) + cast<uint8_t>(1), cast<uint8_t>(cheap(x, y)));
    out(x, y) = cast<int>(edge(x, y)) * 3 + pair(x + 1, y)[0];
    b.output(out, {{0, 64}, {0, 48}});
    b.expect().root_is_legal = false;
    return b.finish();
}

// As it is, Halide 21 crashes: the reduction cannot be inlined, the tuple that it is in is.
BuiltPipeline tuple_that_only_a_schedule_saves() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 64}, {0, 48}}, kOwnExtents);
    Func edge = BoundaryConditions::repeat_edge(in);
    Func sum("sum"), pair("pair"), out("out");
    RDom r(0, 3, "r");
    sum(x, y) = 0.0f;
    sum(x, y) += edge(x + r, y);
    pair(x, y) = Tuple(edge(x, y) * 2.0f, sum(x, y) * 0.5f);
    out(x, y) = pair(x, y)[0] + pair(x, y + 1)[0];
    b.output(out, {{0, 64}, {0, 48}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

BuiltPipeline tuple_scan() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 60}, {0, 20}}, kOwnExtents);
    RDom r(1, 59, "r");
    Func track("track");
    track(x, y) = Tuple(in(x, y), x);
    const Expr keep = track(r - 1, y)[0] >= track(r, y)[0];
    track(r, y) = Tuple(select(keep, track(r - 1, y)[0], track(r, y)[0]),
                        select(keep, track(r - 1, y)[1], track(r, y)[1]));
    b.output(track, {fixed(0, 60), {0, 20}});
    return b.finish();
}

BuiltPipeline discrete_fourier_small() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 16}, {0, 24}});
    RDom k(0, 16, "k");
    Func twiddle("twiddle"), spectrum("spectrum"), power("power");
    const Expr angle = cast<float>(x) * (-6.2831853f / 16.0f);
    twiddle(x) = Tuple(cos(angle), sin(angle));
    spectrum(x, y) = Tuple(0.0f, 0.0f);
    spectrum(x, y) = Tuple(spectrum(x, y)[0] + in(k, y) * twiddle((k * x) % 16)[0],
                           spectrum(x, y)[1] + in(k, y) * twiddle((k * x) % 16)[1]);
    power(x, y) = spectrum(x, y)[0] * spectrum(x, y)[0] + spectrum(x, y)[1] * spectrum(x, y)[1];
    b.output(power, {{0, 16}, {0, 24}});
    b.expect().relative_tolerance = 1e-3;
    return b.finish();
}

BuiltPipeline two_outputs_two_sizes() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 130}, {0, 98}});
    Func shared("shared"), full("full"), half("half");
    shared(x, y) = in(x, y) * in(x + 1, y + 1);
    full(x, y) = shared(x, y) - in(x, y);
    half(x, y) = (shared(2 * x, 2 * y) + shared(2 * x + 1, 2 * y + 1)) * 0.5f;
    b.output(full, {{0, 128}, {0, 96}});
    b.output(half, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline outputs_of_different_ranks() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 60}, {0, 40}}, kOwnExtents);
    RDom r(in), row(0, 60, "row");
    Func doubled("doubled"), rows("rows"), total("total");
    doubled(x, y) = in(x, y) * 2;
    rows(y) = sum(doubled(row, y));
    total() = 0;
    total() += doubled(r.x, r.y);
    b.output(doubled, {fixed(0, 60), fixed(0, 40)});
    b.output(rows, {{0, 40}});
    b.output(total, {});
    return b.finish();
}

// The first output is an input of the second.
BuiltPipeline output_consumes_output() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 70}, {0, 52}});
    Func first("first"), second("second");
    first(x, y) = in(x, y) + in(x + 1, y);
    second(x, y) = first(x, y) * 0.5f + first(x, y + 1) + first(x + 2, y);
    b.output(first, {{0, 66}, {0, 50}});
    b.output(second, {{0, 64}, {0, 49}});
    return b.finish();
}

// A chain of outputs, listed consumer first.
BuiltPipeline outputs_in_a_chain() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{-2, 69}, {0, 40}});
    Func one("one"), two("two"), three("three");
    one(x, y) = in(x - 1, y) + in(x + 1, y);
    two(x, y) = one(x - 1, y) - one(x + 1, y);
    three(x, y) = two(x, y) * one(x, y);
    b.output(three, {{1, 62}, {0, 40}});
    b.output(two, {{0, 64}, {0, 40}});
    b.output(one, {{-1, 66}, {0, 40}});
    return b.finish();
}

BuiltPipeline output_with_update_consumed() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 64}, {0, 20}});
    RDom r(0, 20, "r");
    Func sums("sums"), normal("normal");
    sums(x) = 1.0f;
    sums(x) += abs(in(x, r));
    normal(x, y) = in(x, y) / sums(x);
    b.output(sums, {{0, 64}});
    b.output(normal, {{0, 64}, {0, 20}});
    return b.finish();
}

// A tuple output that another output consumes.
BuiltPipeline tuple_output_consumed() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(16), "in", {{0, 66}, {0, 48}});
    Func pair("pair"), out("out");
    pair(x, y) = Tuple(in(x, y) / 3, cast<int32_t>(in(x, y)) - 1000);
    out(x, y) = pair(x, y)[1] + pair(x + 1, y)[0];
    b.output(pair, {{0, 66}, {0, 48}});
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline many_outputs() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 72}, {0, 40}});
    Func base("base");
    base(x, y) = sqrt(abs(in(x, y)));
    for (int i = 0; i < 7; i++) {
        Func out("out" + std::to_string(i));
        out(x, y) = base(x + i, y) * static_cast<float>(i + 1) + base(x, y);
        b.output(out, {{0, 64}, {0, 40}});
    }
    return b.finish();
}

// Of one shape, so that they may be computed together.
BuiltPipeline bands() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 260}, {0, 180}});
    Func low("low"), high("high");
    low(x, y) = in(2 * x, y) + in(2 * x + 1, y);
    high(x, y) = in(2 * x, y) - in(2 * x + 1, y);
    for (int i = 0; i < 4; i++) {
        Func out("band" + std::to_string(i));
        const Func& f = i < 2 ? low : high;
        out(x, y) = f(x, 2 * y) + (i % 2 == 0 ? 1.0f : -1.0f) * f(x, 2 * y + 1);
        b.output(out, {{0, 130}, {0, 90}});
    }
    return b.finish();
}

// Regions that do not overlap: the shared stage's bounding box is much larger than their sum.
BuiltPipeline outputs_far_apart() {
    PipelineBuilder b;
    Func shared("shared"), left("left"), right("right");
    shared(x, y) = x * 3 + y * y;
    left(x, y) = shared(x, y) + shared(x + 1, y);
    right(x, y) = shared(x, y) - shared(x, y + 1);
    b.output(left, {{-300, 40}, {0, 30}});
    b.output(right, {{300, 40}, {10, 30}});
    return b.finish();
}

BuiltPipeline output_transposes_output() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 48}, {0, 64}});
    Func copy("copy"), turned("turned");
    copy(x, y) = in(x, y) + cast<uint8_t>(1);
    turned(x, y) = copy(y, x);
    b.output(copy, {fixed(0, 64), fixed(0, 64)});
    b.output(turned, {{0, 48}, {0, 40}});
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> output_pipelines() {
    const std::string consumes = "outputs that consume each other";
    return {
        {"tuple_pure", "tuple", tuple_pure},
        {"tuple_output_of_mixed_types", "tuple", tuple_output_of_mixed_types},
        {"tuple_moments", "tuple update", tuple_moments},
        {"tuple_complex_product", "tuple update", tuple_complex_product},
        {"tuple_argmin_of_two_dimensions", "argmax", tuple_argmin_of_two_dimensions},
        {"tuple_with_dead_element", "tuple", tuple_with_dead_element},
        {"tuple_with_dead_producer", "tuple", tuple_with_dead_producer},
        {"tuple_with_dead_chain", "tuple", tuple_with_dead_chain},
        {"tuple_that_only_a_schedule_saves", "tuple", tuple_that_only_a_schedule_saves},
        {"tuple_scan", "tuple update", tuple_scan},
        {"discrete_fourier_small", "tuple update", discrete_fourier_small},
        {"two_outputs_two_sizes", "many outputs", two_outputs_two_sizes},
        {"outputs_of_different_ranks", "many outputs", outputs_of_different_ranks},
        {"output_consumes_output", consumes, output_consumes_output},
        {"outputs_in_a_chain", consumes, outputs_in_a_chain},
        {"output_with_update_consumed", consumes, output_with_update_consumed},
        {"tuple_output_consumed", consumes, tuple_output_consumed},
        {"many_outputs", "many outputs", many_outputs},
        {"bands", "many outputs", bands},
        {"outputs_far_apart", "many outputs", outputs_far_apart},
        {"output_transposes_output", consumes, output_transposes_output},
    };
}

}  // namespace nestor::testing
