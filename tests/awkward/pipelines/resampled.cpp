// Rows that are read at uneven distances.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;

Expr place_of(const Expr& at, float rate) {
    return cast<int>(floor(cast<float>(at) * rate));
}

// Down, then across, as sums over three taps each; channels lie one after the other.
BuiltPipeline resampled_planes() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 190}, {0, 121}, {0, 3}}, kOwnExtents);
    const Func clamped = BoundaryConditions::repeat_edge(in);
    RDom k(0, 3, "k");
    Func down("down"), across("across"), out("out");
    down(x, y, c) += (k + 1) * clamped(x, place_of(y, 1.6f) + k, c);
    across(x, y, c) += (3 - k) * down(place_of(x, 1.6f) + k, y, c);
    out(x, y, c) = across(x, y, c) / 36;
    b.output(out, {{0, 118}, {0, 75}, {0, 3}});
    return b.finish();
}

// The other way round, with the channels of a pixel next to each other, in bytes, and something
// between the sums and the output.
BuiltPipeline resampled_pixels() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 3}, {0, 90}, {0, 61}}, kOwnExtents);
    const Func clamped = BoundaryConditions::repeat_edge(in);
    RDom k(0, 2, "k");
    Func source("source"), across("across"), down("down"), rounded("rounded"), out("out");
    source(c, x, y) = cast<uint16_t>(clamped(c, x, y));
    across(c, x, y) += source(c, place_of(x, 0.6f) + k, y);
    down(c, x, y) += across(c, x, place_of(y, 0.6f) + k);
    rounded(c, x, y) = cast<uint8_t>(down(c, x, y) / 4);
    out(c, x, y) = rounded(c, x, y);
    b.output(out, {{0, 3}, {0, 150}, {0, 101}});
    return b.finish();
}

// Nothing but definitions without updates.
BuiltPipeline resampled_between_neighbours() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(16), "in", {{0, 140}, {0, 80}}, kOwnExtents);
    const Func clamped = BoundaryConditions::mirror_image(in);
    Func across("across"), filtered("filtered"), out("out");
    const Expr left = place_of(x, 0.7f);
    across(x, y) = cast<uint16_t>((clamped(left, y) / 2 + clamped(left + 1, y) / 2));
    filtered(x, y) = across(x - 1, y) / 4 + across(x, y + 1) / 2 + across(x + 1, y) / 4;
    out(x, y) = filtered(x, y);
    b.output(out, {{0, 199}, {0, 80}});
    return b.finish();
}

// By a factor that the caller chooses, with places that are rounded as written, weights in tables
// and borders that only a clamp of the place keeps.
BuiltPipeline resampled_by_a_parameter() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 60}, {0, 41}});
    const Param<float> factor = b.scalar<float>("factor", {2.0f, 0.5f});
    const Expr inverse = strict_float(1.0f / factor);
    const auto first = [&](const Expr& at, int dim) {
        const Expr place = cast<int>(strict_float(ceil((at + 0.5f) * inverse - 1.5f)));
        return clamp(place, in.dim(dim).min(), in.dim(dim).max() - 1);
    };
    RDom k(0, 2, "k");
    Func weights("weights"), across("across"), down("down"), out("out");
    weights(x, c) = abs((first(x, 0) + c) - ((x + 0.5f) * inverse - 0.5f));
    across(x, y) += weights(x, k) * in(first(x, 0) + k, y);
    down(x, y) += across(x, first(y, 1) + k);
    out(x, y) = clamp(down(x, y), 0.0f, 100.0f);
    b.output(out, {{0, 120}, {0, 82}});
    return b.finish();
}

// Two channels next to each other, by 37 / 40, with 24 taps for each phase: vectors are along the
// taps.
BuiltPipeline resampled_stereo() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(16), "in", {fixed(0, 2), {-12, 1147}});
    ImageParam taps = b.image(Int(16), "taps", {fixed(0, 24), fixed(0, 40)});
    RDom k(0, 24, "k");
    Func filtered("filtered"), out("out");
    const Expr place = x * 37;
    filtered(c, x) = 1 << 14;
    filtered(c, x) +=
        (cast<int>(taps(k, place % 40)) >> 4) * (cast<int>(in(c, place / 40 + k - 12)) >> 4);
    out(c, x) = filtered(c, x) >> 8;
    b.output(out, {fixed(0, 2), {0, 1200}});
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> resampled_pipelines() {
    return {
        {"resampled_planes", "reduction", resampled_planes},
        {"resampled_pixels", "reduction", resampled_pixels},
        {"resampled_between_neighbours", "strided access", resampled_between_neighbours},
        {"resampled_by_a_parameter", "reduction", resampled_by_a_parameter},
        {"resampled_stereo", "reduction", resampled_stereo},
    };
}

}  // namespace nestor::testing
