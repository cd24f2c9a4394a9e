// Functions that the user has scheduled already, wholly or in part: they must be left as they are,
// and their loops' names must go on existing.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;

const Var xo("xo"), yo("yo"), xi("xi"), yi("yi");

/// Three stages in a row that most of these share: blur in x, blur in y, sharpen.
struct Blur {
    PipelineBuilder builder;
    ImageParam in;
    Func rows{"rows"}, blurred{"blurred"}, out{"out"};

    Blur() : in(builder.image(Int(32), "in", {{-2, 68}, {-2, 52}})) {
        rows(x, y) = in(x - 1, y) + 2 * in(x, y) + in(x + 1, y);
        blurred(x, y) = rows(x, y - 1) + 2 * rows(x, y) + rows(x, y + 1);
        out(x, y) = 32 * in(x, y) - blurred(x, y) - blurred(x + 1, y);
    }

    BuiltPipeline finish() {
        builder.output(out, {{0, 64}, {0, 48}});
        return builder.finish();
    }
};

BuiltPipeline root_and_vectorised() {
    Blur p;
    p.rows.compute_root().vectorize(x, 8);
    return p.finish();
}

BuiltPipeline computed_at_output_loop() {
    Blur p;
    p.blurred.compute_at(p.out, y).vectorize(x, 8);
    return p.finish();
}

BuiltPipeline sliding_with_store_at() {
    Blur p;
    p.blurred.compute_root();
    p.rows.store_root().compute_at(p.blurred, y);
    return p.finish();
}

// Only the output is scheduled: the stages may still be placed at its loops.
BuiltPipeline output_tiled_by_user() {
    Blur p;
    p.out.tile(x, y, xo, yo, xi, yi, 16, 8, TailStrategy::GuardWithIf)
        .vectorize(xi, 8)
        .parallel(yo);
    return p.finish();
}

BuiltPipeline everything_scheduled() {
    Blur p;
    p.out.split(y, yo, yi, 8, TailStrategy::GuardWithIf).parallel(yo);
    p.blurred.compute_at(p.out, yi).vectorize(x, 8);
    p.rows.store_at(p.out, yo).compute_at(p.out, yi).vectorize(x, 8);
    return p.finish();
}

BuiltPipeline folded_storage() {
    Blur p;
    p.blurred.compute_root();
    p.rows.store_root().compute_at(p.blurred, y).fold_storage(y, 4);
    return p.finish();
}

BuiltPipeline computed_with_another() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 66}, {0, 48}});
    Func shared("shared"), dx("dx"), sx("sx"), out("out");
    shared(x, y) = in(x, y) * 3;
    dx(x, y) = shared(x + 1, y) - shared(x, y);
    sx(x, y) = shared(x + 1, y) + shared(x, y);
    out(x, y) = dx(x, y) * sx(x + 1, y);
    dx.compute_root();
    sx.compute_root().compute_with(dx, y);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

// What is cached may depend on parameters only.
BuiltPipeline memoised() {
    PipelineBuilder b;
    Param<int> gain = b.scalar<int>("gain", {3, -2});
    ImageParam in = b.image(UInt(8), "in", {{0, 64}, {0, 48}});
    Func curve("curve"), out("out");
    curve(x) = (x * gain) % 97;
    out(x, y) = curve(cast<int>(in(x, y))) + curve(x) - curve(x + 1);
    curve.compute_root().memoize();
    b.output(out, {{0, 64}, {0, 48}});
    b.expect().custom_allocator = false;
    return b.finish();
}

BuiltPipeline asynchronous() {
    Blur p;
    p.blurred.compute_root();
    p.rows.store_root().compute_at(p.blurred, y).fold_storage(y, 8).async();
    return p.finish();
}

BuiltPipeline specialised_on_size() {
    Blur p;
    p.out.specialize(p.out.output_buffer().width() >= 32)
        .vectorize(x, 8, TailStrategy::ShiftInwards);
    return p.finish();
}

BuiltPipeline specialised_on_parameter() {
    PipelineBuilder b;
    Param<bool> fast = b.scalar<bool>("fast", {true, false});
    Param<int> gain = b.scalar<int>("gain", {1, 5});
    ImageParam in = b.image(Int(32), "in", {{0, 66}, {0, 48}});
    Func stage("stage"), out("out");
    stage(x, y) = in(x, y) * gain;
    out(x, y) = stage(x, y) - stage(x + 1, y);
    stage.compute_root();
    stage.specialize(gain == 1).vectorize(x, 8);
    out.specialize(fast && gain == 1).unroll(x, 2, TailStrategy::GuardWithIf);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline storage_reordered() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 66}, {0, 48}, {0, 3}});
    Func stage("stage"), out("out");
    stage(x, y, c) = in(x, y, c) / 2;
    out(x, y, c) = stage(x, y, c) + stage(x + 1, y, 2 - c);
    stage.compute_root().bound(c, 0, 3).reorder_storage(c, x, y).reorder(c, x, y).unroll(c);
    b.output(out, {{0, 64}, {0, 48}, fixed(0, 3)});
    return b.finish();
}

BuiltPipeline reduction_split_by_user() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 64}, {0, 100}});
    RDom r(0, 100, "r");
    RVar ro("ro"), ri("ri");
    Func total("total"), out("out");
    total(x) += in(x, r) * (r % 7);
    out(x) = total(x) * 2 + total(x + 1);
    total.compute_root().update().split(r, ro, ri, 8, TailStrategy::GuardWithIf).reorder(ri, x, ro);
    b.output(out, {{0, 63}});
    return b.finish();
}

BuiltPipeline reduction_factored_by_user() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 64}, {0, 20}});
    RDom r(0, 64, "r");
    RVar ro("ro"), ri("ri");
    Func total("total"), out("out");
    total(y) += in(r, y);
    out(y) = total(y) * 3;
    total.compute_root().update().split(r, ro, ri, 8);
    Func partial = total.update().rfactor(ri, u);
    partial.compute_root().vectorize(u, 8).update().vectorize(u, 8);
    b.output(out, {{0, 20}});
    return b.finish();
}

// Legal only while what reads the input inside that loop is inlined there.
BuiltPipeline wrapped_input() {
    Blur p;
    p.in.in().compute_at(p.out, y);
    p.builder.expect().root_is_legal = false;
    return p.finish();
}

BuiltPipeline cloned_producer() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 66}, {0, 50}});
    Func shared("shared"), left("left"), right("right"), out("out");
    shared(x, y) = in(x, y) * in(x, y + 1);
    left(x, y) = shared(x, y) + shared(x + 1, y);
    right(x, y) = shared(x, y) - shared(x, y + 1);
    out(x, y) = left(x, y) ^ right(x + 1, y);
    shared.compute_root();
    shared.clone_in(left).compute_at(left, y);
    left.compute_root();
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

// Wrapper for one consumer only; the other still reads the function itself.
BuiltPipeline wrapped_for_one_consumer() {
    Blur p;
    p.blurred.compute_root();
    p.rows.compute_root();
    p.rows.in(p.blurred).compute_at(p.blurred, y).vectorize(x, 4);
    return p.finish();
}

BuiltPipeline bounded_and_unrolled() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 64}, {0, 48}, {0, 3}});
    Func out("out");
    out(x, y, c) = in(x, y, c) + in(x, y, (c + 1) % 3);
    out.bound(c, 0, 3).reorder(c, x, y).unroll(c);
    b.output(out, {{0, 64}, {0, 48}, fixed(0, 3)});
    return b.finish();
}

BuiltPipeline prefetched_input() {
    Blur p;
    p.out.prefetch(p.in, y, y, 2);
    p.builder.expect().deserializes = false;  // an input that only a prefetch names besides loads
    return p.finish();
}

BuiltPipeline storage_hoisted() {
    Blur p;
    p.out.split(y, yo, yi, 4, TailStrategy::GuardWithIf);
    p.blurred.compute_at(p.out, yi).hoist_storage(p.out, yo);
    return p.finish();
}

BuiltPipeline atomic_histogram() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 64}, {0, 48}}, kOwnExtents);
    RDom r(in);
    Func histogram("histogram"), out("out");
    histogram(x) = 0;
    histogram(in(r.x, r.y)) += 1;
    out(x) = histogram(x) * 2 + histogram((x + 1) % 256);
    histogram.compute_root().update().atomic().parallel(r.y);
    b.output(out, {fixed(0, 256)});
    b.expect().min_legal_sizes = 1;
    return b.finish();
}

// A loop name of the user's own; splitting that loop again would make the name vanish, and placing
// `blurred` at root would leave `rows` outside of it.
BuiltPipeline computed_at_renamed_loop() {
    Blur p;
    Var band("band");
    p.out.rename(y, band);
    p.rows.compute_at(p.out, band);
    p.builder.expect().root_is_legal = false;
    return p.finish();
}

BuiltPipeline stored_on_stack() {
    Blur p;
    p.out.split(x, xo, xi, 16, TailStrategy::GuardWithIf);
    p.blurred.compute_at(p.out, xo).store_in(MemoryType::Stack).bound_extent(x, 17);
    return p.finish();
}

BuiltPipeline update_scheduled_only() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 66}, {0, 50}});
    RDom r(0, 3, 0, 3, "r");
    Func conv("conv"), out("out");
    conv(x, y) = 0.0f;
    conv(x, y) += in(x + r.x, y + r.y) * cast<float>(r.x + 1);
    out(x, y) = max(conv(x, y), 0.0f);
    conv.compute_root().update().unroll(r.x).vectorize(x, 8);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline never_partitioned() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 64}, {0, 48}}, kOwnExtents);
    Func bounded = BoundaryConditions::repeat_edge(in);
    Func rows("rows"), out("out");
    rows(x, y) = bounded(x - 1, y) + bounded(x + 1, y);
    out(x, y) = rows(x, y - 1) + rows(x, y + 1);
    out.never_partition(y);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

// Code for a signal processor: can be scheduled, not run here.
BuiltPipeline hexagon_stage() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 256}, {0, 48}});
    Func stage("stage"), out("out");
    stage(x, y) = in(x, y) / 2;
    out(x, y) = stage(x, y) + cast<uint8_t>(1);
    stage.compute_root().hexagon().vectorize(x, 128);
    b.output(out, {{0, 256}, {0, 48}});
    b.expect().run = false;
    b.expect().features = {Target::HVX};
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> scheduled_pipelines() {
    const std::string kind = "scheduled by the user";
    return {
        {"root_and_vectorised", kind, root_and_vectorised},
        {"computed_at_output_loop", kind, computed_at_output_loop},
        {"sliding_with_store_at", kind, sliding_with_store_at},
        {"output_tiled_by_user", kind, output_tiled_by_user},
        {"everything_scheduled", kind, everything_scheduled},
        {"folded_storage", kind, folded_storage},
        {"computed_with_another", kind, computed_with_another},
        {"memoised", kind, memoised},
        {"asynchronous", kind, asynchronous},
        {"specialised_on_size", "specialize", specialised_on_size},
        {"specialised_on_parameter", "specialize", specialised_on_parameter},
        {"storage_reordered", kind, storage_reordered},
        {"reduction_split_by_user", kind, reduction_split_by_user},
        {"reduction_factored_by_user", kind, reduction_factored_by_user},
        {"wrapped_input", kind, wrapped_input},
        {"cloned_producer", kind, cloned_producer},
        {"wrapped_for_one_consumer", kind, wrapped_for_one_consumer},
        {"bounded_and_unrolled", kind, bounded_and_unrolled},
        {"prefetched_input", kind, prefetched_input},
        {"storage_hoisted", kind, storage_hoisted},
        {"atomic_histogram", kind, atomic_histogram},
        {"computed_at_renamed_loop", kind, computed_at_renamed_loop},
        {"stored_on_stack", kind, stored_on_stack},
        {"update_scheduled_only", kind, update_scheduled_only},
        {"never_partitioned", kind, never_partitioned},
        {"hexagon_stage", ".hexagon()", hexagon_stage},
    };
}

}  // namespace nestor::testing
