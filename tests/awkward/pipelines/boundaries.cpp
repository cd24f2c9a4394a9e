// Boundary conditions, written by Halide and by hand, and pipelines that ask for an input's own
// extents.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;
namespace bc = Halide::BoundaryConditions;

Func blur_3x3(const Func& source) {
    Func rows("rows"), blurred("blurred");
    rows(x, y) = source(x - 1, y) + 2 * source(x, y) + source(x + 1, y);
    blurred(x, y) = rows(x, y - 1) + 2 * rows(x, y) + rows(x, y + 1);
    return blurred;
}

BuiltPipeline repeat_edge_blur() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 96}, {0, 70}}, kOwnExtents);
    b.output(blur_3x3(bc::repeat_edge(in)), {{0, 96}, {0, 70}});
    return b.finish();
}

BuiltPipeline constant_exterior_sobel() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 90}, {0, 64}}, kOwnExtents);
    Func wide("wide"), dx("dx"), dy("dy"), magnitude("magnitude");
    wide(x, y) = cast<int16_t>(bc::constant_exterior(in, 17)(x, y));
    dx(x, y) = wide(x + 1, y - 1) + 2 * wide(x + 1, y) + wide(x + 1, y + 1) - wide(x - 1, y - 1) -
               2 * wide(x - 1, y) - wide(x - 1, y + 1);
    dy(x, y) = wide(x - 1, y + 1) + 2 * wide(x, y + 1) + wide(x + 1, y + 1) - wide(x - 1, y - 1) -
               2 * wide(x, y - 1) - wide(x + 1, y - 1);
    magnitude(x, y) = cast<uint8_t>(min(abs(dx(x, y)) + abs(dy(x, y)), 255));
    b.output(magnitude, {{0, 90}, {0, 64}});
    return b.finish();
}

// The output reaches far outside the input on every side: whole tiles lie in the exterior.
BuiltPipeline constant_exterior_far_outside() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 20}, {0, 20}}, kOwnExtents);
    b.output(blur_3x3(bc::constant_exterior(in, -5)), {{-40, 100}, {-40, 100}});
    return b.finish();
}

BuiltPipeline mirror_image_stencil() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 60}, {0, 50}}, kOwnExtents);
    b.output(blur_3x3(bc::mirror_image(in)), {{-8, 76}, {-8, 66}});
    return b.finish();
}

BuiltPipeline mirror_interior_stencil() {
    PipelineBuilder b;
    ImageParam in =
        b.image(Int(16), "in", {{0, 60}, {0, 50}}, {InputSize::Estimate, {}, {-99, 99}});
    b.output(blur_3x3(bc::mirror_interior(in)), {{-8, 76}, {-8, 66}});
    return b.finish();
}

BuiltPipeline repeat_image_wraps() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(16), "in", {{0, 30}, {0, 20}}, kOwnExtents);
    b.output(blur_3x3(bc::repeat_image(in)), {{-10, 80}, {-10, 60}});
    return b.finish();
}

// Bounded in x only: y asks for exactly what it reads.
BuiltPipeline repeat_edge_one_dimension() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 64}, {-1, 50}}, kOwnExtents);
    Func bounded = bc::repeat_edge(in, {{in.dim(0).min(), in.dim(0).extent()}, {Expr(), Expr()}});
    b.output(blur_3x3(bounded), {{0, 64}, {0, 48}});
    return b.finish();
}

// The boundary condition is put on a computed stage, with constant bounds.
BuiltPipeline repeat_edge_of_stage() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 64}, {0, 48}});
    Func squared("squared");
    squared(x, y) = in(x, y) * in(x, y);
    Func bounded = bc::repeat_edge(squared, {{0, 64}, {0, 48}});
    b.output(blur_3x3(bounded), {{0, 64}, {0, 48}});
    return b.finish();
}

// Sharpening: what is blurred in both directions is compared with what it was made of.
BuiltPipeline sharpening_chain() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 96}, {0, 80}}, kOwnExtents);
    Func bounded = bc::repeat_edge(in);
    Func down("down"), across("across"), sharp("sharp");
    down(x, y) = bounded(x, y - 2) + bounded(x, y) + bounded(x, y + 2);
    across(x, y) = down(x - 2, y) + down(x, y) + down(x + 2, y);
    sharp(x, y) = 10.0f * bounded(x, y) - across(x, y);
    Func out("out");
    out(x, y) = sharp(x, y) * bounded(x, y);
    b.output(out, {{0, 96}, {0, 80}});
    return b.finish();
}

// Each stage of a chain has a boundary of its own, so each clamps what the next one asks for.
BuiltPipeline boundary_at_every_stage() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 72}, {0, 40}}, kOwnExtents);
    const Region bounds = {{0, in.width()}, {0, in.height()}};
    Func first = blur_3x3(bc::repeat_edge(in));
    Func second = blur_3x3(bc::mirror_image(first, bounds));
    b.output(blur_3x3(bc::constant_exterior(second, 0.0f, bounds)), {{0, 72}, {0, 40}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

BuiltPipeline clamp_by_hand() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 80}, {0, 60}}, kOwnExtents);
    Func bounded("bounded");
    bounded(x, y) =
        cast<uint16_t>(in(clamp(x, 0, in.width() - 1), clamp(y, in.dim(1).min(), in.dim(1).max())));
    b.output(blur_3x3(bounded), {{0, 80}, {0, 60}});
    return b.finish();
}

// Reads the input back to front; legal for outputs no wider than the input.
BuiltPipeline reversal() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 120}, {0, 30}}, kOwnExtents);
    Func flipped("flipped"), out("out");
    flipped(x, y) = in(in.width() - 1 - x, y) * 3;
    out(x, y) = flipped(x, y) - in(x, y);
    b.output(out, {{0, 120}, {0, 30}});
    return b.finish();
}

BuiltPipeline rotation_by_180() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 50}, {0, 40}, {0, 3}}, kOwnExtents);
    Func turned("turned");
    turned(x, y, c) = in(in.dim(0).max() - x, in.dim(1).max() - y, c);
    b.output(turned, {{0, 50}, {0, 40}, fixed(0, 3)});
    return b.finish();
}

// The input's minima are neither zero nor those of the output.
BuiltPipeline boundary_with_minima() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{-37, 60}, {1000, 50}}, kOwnExtents);
    b.output(blur_3x3(bc::repeat_edge(in)), {{-40, 66}, {997, 56}});
    return b.finish();
}

// Zero padding by select on coordinates, as in a hand-written convolution.
BuiltPipeline select_on_coordinates() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 60}, {0, 44}}, kOwnExtents);
    Func padded("padded"), out("out");
    const Expr inside = x >= 0 && x < in.width() && y >= 0 && y < in.height();
    padded(x, y) =
        select(inside, in(clamp(x, 0, in.width() - 1), clamp(y, 0, in.height() - 1)), likely(0.0f));
    RDom r(-2, 5, -2, 5, "r");
    out(x, y) = sum(padded(x + r.x, y + r.y) * cast<float>(r.x + 2 * r.y));
    b.output(out, {{0, 60}, {0, 44}});
    return b.finish();
}

// Weights that are a function of their own, as a generator with a parameter sigma makes them: they
// are the same in all loops along which the rest slides.
BuiltPipeline sharpening_with_weights() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 256}, {0, 180}}, kOwnExtents);
    Func weights("weights"), bounded = bc::repeat_edge(in), rows("rows"), both("both"),
                             ratio("ratio"), out("out");
    weights(x) = exp(-cast<float>(x * x) / 4.5f);
    const auto weighted = [&](const auto& at) {
        Expr sum = weights(0) * at(0);
        for (int i = 1; i < 4; i++) {
            sum += weights(i) * (at(-i) + at(i));
        }
        return sum;
    };
    rows(x, y) = weighted([&](int i) { return bounded(x, y + i); });
    both(x, y) = weighted([&](int i) { return rows(x + i, y); });
    ratio(x, y) = (2 * bounded(x, y) - both(x, y)) / (abs(bounded(x, y)) + 1.0f);
    out(x, y) = ratio(x, y) * in(x, y);
    b.output(out, {{0, 256}, {0, 180}});
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> boundary_pipelines() {
    const std::string kind = "boundary condition";
    return {
        {"repeat_edge_blur", kind, repeat_edge_blur},
        {"constant_exterior_sobel", kind, constant_exterior_sobel},
        {"constant_exterior_far_outside", kind, constant_exterior_far_outside},
        {"mirror_image_stencil", kind, mirror_image_stencil},
        {"mirror_interior_stencil", kind, mirror_interior_stencil},
        {"repeat_image_wraps", kind, repeat_image_wraps},
        {"repeat_edge_one_dimension", kind, repeat_edge_one_dimension},
        {"repeat_edge_of_stage", kind, repeat_edge_of_stage},
        {"sharpening_chain", kind, sharpening_chain},
        {"boundary_at_every_stage", kind, boundary_at_every_stage},
        {"sharpening_with_weights", kind, sharpening_with_weights},
        {"clamp_by_hand", kind, clamp_by_hand},
        {"select_on_coordinates", kind, select_on_coordinates},
        {"reversal", "input's own extents", reversal},
        {"rotation_by_180", "input's own extents", rotation_by_180},
        {"boundary_with_minima", "non-zero minima", boundary_with_minima},
    };
}

}  // namespace nestor::testing
