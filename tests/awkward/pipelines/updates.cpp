// Update definitions: several of them, in place, on slices, scans, scatters, odd first definitions.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;

BuiltPipeline histogram_u8() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 120}, {0, 90}}, kOwnExtents);
    RDom r(in);
    Func histogram("histogram");
    histogram(x) = cast<uint32_t>(0);
    histogram(in(r.x, r.y)) += cast<uint32_t>(1);
    b.output(histogram, {fixed(0, 256)});
    b.expect().min_legal_sizes = 1;
    return b.finish();
}

BuiltPipeline histogram_equalisation() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 120}, {0, 90}}, kOwnExtents);
    RDom r(in);
    RDom bin(1, 255, "bin");
    Func histogram("histogram"), cumulative("cumulative"), out("out");
    histogram(x) = 0;
    histogram(in(r.x, r.y)) += 1;
    cumulative(x) = histogram(0);
    cumulative(bin) = cumulative(bin - 1) + histogram(bin);
    out(x, y) = cast<uint8_t>(cumulative(in(x, y)) * 255 / (in.width() * in.height()));
    b.output(out, {{0, 120}, {0, 90}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

BuiltPipeline running_sum() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 100}, {0, 30}}, kOwnExtents);
    RDom r(1, in.width() - 1, "r");
    Func scan("scan");
    scan(x, y) = in(x, y);
    scan(r, y) += scan(r - 1, y);
    b.output(scan, {fixed(0, 100), {0, 30}});  // the scan always writes the whole width
    return b.finish();
}

// Forwards, then backwards over its own result; each row alone is serial.
BuiltPipeline recursive_filter() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 90}, {0, 50}}, kOwnExtents);
    RDom r(1, 89, "r");
    Func filter("filter"), out("out");
    filter(x, y) = in(x, y);
    filter(r, y) = 0.25f * filter(r, y) + 0.75f * filter(r - 1, y);
    filter(89 - r, y) = 0.25f * filter(89 - r, y) + 0.75f * filter(90 - r, y);
    out(x, y) = in(x, y) - filter(x, y);
    b.output(out, {{0, 90}, {0, 50}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

// Columns, then rows of the transposed result, as in a recursive blur of a whole image.
BuiltPipeline recursive_filter_transposed() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 64}, {0, 64}}, kOwnExtents);
    RDom r(1, 63, "r");
    Func columns("columns"), turned("turned"), rows("rows"), out("out");
    columns(x, y) = in(x, y);
    columns(x, r) = 0.5f * (columns(x, r) + columns(x, r - 1));
    turned(x, y) = columns(y, x);
    rows(x, y) = turned(x, y);
    rows(x, r) = 0.5f * (rows(x, r) + rows(x, r - 1));
    out(x, y) = rows(y, x);
    b.output(out, {{0, 64}, {0, 64}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

BuiltPipeline integral_image() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 70}, {0, 60}}, kOwnExtents);
    RDom rx(1, in.width() - 1, "rx"), ry(1, in.height() - 1, "ry");
    Func integral("integral"), box("box");
    integral(x, y) = cast<uint32_t>(in(x, y));
    integral(rx, y) += integral(rx - 1, y);
    integral(x, ry) += integral(x, ry - 1);
    const Expr right = min(x + 4, in.width() - 1), low = min(y + 4, in.height() - 1);
    box(x, y) = integral(right, low) - integral(x, low) - integral(right, y) + integral(x, y);
    b.output(box, {{0, 66}, {0, 56}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

BuiltPipeline fibonacci() {
    PipelineBuilder b;
    RDom r(2, 60, "r");
    Func f("f");
    f(x) = cast<uint64_t>(1);
    f(r) = f(r - 1) + f(r - 2);
    b.output(f, {fixed(0, 62)});
    b.expect().min_legal_sizes = 1;
    return b.finish();
}

BuiltPipeline several_updates() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 64}, {0, 48}}, kOwnExtents);
    RDom r(0, 8, "r");
    Func f("f"), out("out");
    f(x, y) = in(x, y);
    f(x, y) += 3 * x - y;
    f(x, y) = f(x, y) * 2 + in(clamp(x + 1, 0, 63), y);
    f(x, y) += in(r, y);
    f(x, y) = max(f(x, y), in(x, r) - 500);
    out(x, y) = f(x, y) - f(x + 1, y);
    b.output(out, {{0, 63}, {0, 48}});
    return b.finish();
}

// Rows and columns of a frame are written by updates of their own.
BuiltPipeline updates_of_slices() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 64}, {0, 48}}, kOwnExtents);
    RDom r(1, 62, "r");
    Func f("f");
    f(x, y) = in(x, y);
    f(0, y) = f(1, y) * 2.0f;
    f(x, 0) = f(x, 1) + 1.0f;
    f(63, y) = 7.0f;
    f(x, r % 48) += in(r, 2) * 0.5f;
    b.output(f, {fixed(0, 64), fixed(0, 48)});
    b.expect().min_legal_sizes = 1;
    return b.finish();
}

// One row is updated from a reduction; the other pure variable does not occur in the update.
BuiltPipeline update_without_pure_variable() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 40}, {0, 40}}, kOwnExtents);
    RDom r(0, 40, "r");
    Func f("f"), out("out");
    f(x, y) = x + y;
    f(r, 5) = in(r, 3);
    f(7, r) += in(r, r);
    out(x, y) = f(x, y) + f(y, x);
    b.output(out, {{0, 40}, {0, 40}});
    return b.finish();
}

// Life: each step reads its neighbours, in a stage of its own so that nothing is in place.
BuiltPipeline life_in_steps() {
    PipelineBuilder b;
    ImageParam in = b.image(Bool(), "in", {{-3, 46}, {-3, 36}});
    Func state = in;
    for (int step = 0; step < 3; step++) {
        Func next("step");
        RDom r(-1, 3, -1, 3, "r");
        const Expr around = sum(cast<int32_t>(state(x + r.x, y + r.y)));
        next(x, y) = around == 3 || (state(x, y) && around == 4);
        state = next;
    }
    b.output(state, {{0, 40}, {0, 30}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

// Pairs are compared in place, by coordinates that are not the loop's own.
BuiltPipeline compare_pairs() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(16), "in", {{0, 64}, {0, 20}}, kOwnExtents);
    RDom r(0, 32, "r");
    Func f("f"), out("out");
    f(x, y) = Tuple(in(x, y), x);
    const Expr swap = f(2 * r, y)[0] > f(2 * r + 1, y)[0];
    f(2 * r, y) = Tuple(select(swap, f(2 * r + 1, y)[0], f(2 * r, y)[0]),
                        select(swap, f(2 * r + 1, y)[1], f(2 * r, y)[1]));
    out(x, y) = f(x, y)[0] + f(x, y)[1];
    b.output(out, {{0, 64}, {0, 20}});
    return b.finish();
}

// Each element reads the next one before that is overwritten: only the written order is right.
BuiltPipeline shift_in_place() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 64}, {0, 20}}, kOwnExtents);
    RDom r(0, 63, "r");
    Func f("f"), out("out");
    f(x, y) = in(x, y);
    f(r, y) = f(r + 1, y) - f(r, y);
    out(x, y) = f(x, y) * 2;
    b.output(out, {{0, 64}, {0, 20}});
    return b.finish();
}

// No pure definition is written; the first one adds to an implicit zero.
BuiltPipeline first_definition_adds() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 64}, {0, 30}});
    RDom r(0, 30, "r");
    Func f("f"), out("out");
    f(x) += in(x, r);
    out(x) = f(x) + f(x + 1);
    b.output(out, {{0, 63}});
    return b.finish();
}

// The first definition already has a reduction variable on its left side.
BuiltPipeline first_definition_over_rvar() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 50}, {0, 20}}, kOwnExtents);
    RDom r(0, 50, "r");
    Func f("f"), out("out");
    f(r, y) += in(r, y) * 2;
    out(x, y) = f(x, y) - 1;
    b.output(out, {{0, 50}, {0, 20}});
    return b.finish();
}

// The caller's buffer is the initial value.
BuiltPipeline in_place_increment() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 64}, {0, 48}}, {InputSize::Required, {}, {}});
    Func f("f");
    f(x, y) = undef<float>();
    f(x, y) += in(x, y);
    b.output(f, {{0, 64}, {0, 48}});
    b.expect().keeps_output = true;
    return b.finish();
}

// Scatters into what the caller's buffer holds already; several points may meet.
BuiltPipeline in_place_scatter() {
    PipelineBuilder b;
    ImageParam values = b.image(Int(32), "values", {{0, 500}}, kOwnExtents);
    ImageParam where = b.image(UInt(8), "where", {{0, 500}}, {InputSize::Estimate, {}, {0, 99}});
    RDom r(values);
    Func f("f");
    f(x) = undef<int>();
    f(clamp(cast<int>(where(r)), 0, 99)) += values(r);
    b.output(f, {fixed(0, 100)});
    b.expect().keeps_output = true;
    b.expect().min_legal_sizes = 1;
    return b.finish();
}

// Last writer wins: the order of the loop shows in the result.
BuiltPipeline scatter_overwrites() {
    PipelineBuilder b;
    ImageParam values = b.image(Int(32), "values", {{0, 300}}, kOwnExtents);
    ImageParam where = b.image(Int(32), "where", {{0, 300}}, {InputSize::Estimate, {}, {0, 63}});
    RDom r(values);
    Func f("f"), out("out");
    f(x) = -1;
    f(clamp(where(r), 0, 63)) = values(r);
    out(x) = f(x % 64) + x;
    b.output(out, {{0, 200}});
    return b.finish();
}

BuiltPipeline scatter_maximum() {
    PipelineBuilder b;
    ImageParam values = b.image(UInt(16), "values", {{0, 60}, {0, 40}}, kOwnExtents);
    RDom r(values);
    Func f("f");
    f(x, y) = cast<uint16_t>(0);
    const Expr column = clamp(cast<int>(values(r.x, r.y) % 16), 0, 15);
    f(column, r.y) = max(f(column, r.y), values(r.x, r.y));
    b.output(f, {fixed(0, 16), fixed(0, 40)});
    b.expect().min_legal_sizes = 1;
    return b.finish();
}

// Both updates of one consumer read the same producer, at different places.
BuiltPipeline producer_of_two_updates() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{-2, 70}, {-2, 54}});
    RDom r(0, 3, "r");
    Func producer("producer"), f("f");
    producer(x, y) = sqrt(abs(in(x, y)) + 1.0f);
    f(x, y) = producer(x, y);
    f(x, y) += producer(x + r, y - 2);
    f(x, y) += producer(x - 2, y + r) * 0.5f;
    b.output(f, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline update_of_channels() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 48}, {0, 40}, {0, 3}});
    Func f("f"), out("out");
    f(x, y, c) = 0.0f;
    f(x, y, 0) = in(x, y, 0) * 0.5f;
    f(x, y, 1) = f(x, y, 0) + in(x, y, 1);
    f(x, y, 2) = f(x, y, 1) + in(x, y, 2);
    out(x, y, c) = f(x, y, 2 - c);
    b.output(out, {{0, 48}, {0, 40}, fixed(0, 3)});
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> update_pipelines() {
    return {
        {"histogram_u8", "histogram", histogram_u8},
        {"histogram_equalisation", "histogram", histogram_equalisation},
        {"running_sum", "scan", running_sum},
        {"recursive_filter", "scan", recursive_filter},
        {"recursive_filter_transposed", "scan", recursive_filter_transposed},
        {"integral_image", "scan", integral_image},
        {"fibonacci", "scan", fibonacci},
        {"several_updates", "several updates", several_updates},
        {"updates_of_slices", "update of a slice", updates_of_slices},
        {"update_without_pure_variable", "update of a slice", update_without_pure_variable},
        {"update_of_channels", "update of a slice", update_of_channels},
        {"life_in_steps", "deep chain", life_in_steps},
        {"compare_pairs", "in place", compare_pairs},
        {"shift_in_place", "in place", shift_in_place},
        {"first_definition_adds", "no pure definition", first_definition_adds},
        {"first_definition_over_rvar", "no pure definition", first_definition_over_rvar},
        {"in_place_increment", "undefined initial value", in_place_increment},
        {"in_place_scatter", "undefined initial value", in_place_scatter},
        {"scatter_overwrites", "scatter", scatter_overwrites},
        {"scatter_maximum", "scatter", scatter_maximum},
        {"producer_of_two_updates", "several updates", producer_of_two_updates},
    };
}

}  // namespace nestor::testing
