// Definitions that choose by what is the same for all of their points: parameters and pixels of
// inputs at constant places.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;

// Layers of interleaved pixels, each in the mode that an input says.
BuiltPipeline blended_layers() {
    PipelineBuilder b;
    ImageParam layers = b.image(UInt(8), "layers", {{0, 4}, {0, 70}, {0, 40}, {0, 3}});
    ImageParam modes = b.image(UInt(8), "modes", {{0, 3}}, {InputSize::Estimate, {}, {0, 4}});
    Func below("lowest");
    below(c, x, y) = layers(c, x, y, 0);
    for (int layer = 1; layer < 3; layer++) {
        const Expr source = cast<uint16_t>(layers(c, x, y, layer));
        const Expr alpha = cast<uint16_t>(layers(3, x, y, layer));
        const Expr under = cast<uint16_t>(below(c, x, y));
        Func blend("blend_" + std::to_string(layer));
        blend(c, x, y) = saturating_cast<uint8_t>(
            mux(cast<int>(modes(layer)),
                {(source * alpha + under * (255 - alpha) + 127) / 255, (source * under + 127) / 255,
                 max(source, under), min(source, under) + alpha / 2, source + under}));
        below = blend;
    }
    Func out("out");
    out(c, x, y) = below(c, x, y);
    b.output(out, {{0, 4}, {0, 70}, {0, 40}});
    return b.finish();
}

// A flag and a number, of which only some values mean anything.
BuiltPipeline chosen_by_parameters() {
    PipelineBuilder b;
    Param<bool> sharpen = b.scalar<bool>("sharpen", {true, false});
    Param<int> kind = b.scalar<int>("kind", {2, 7, 0, -1});
    ImageParam in = b.image(Int(32), "in", {{0, 66}, {0, 50}});
    Func smooth("smooth"), sharp("sharp"), out("out");
    smooth(x, y) = (in(x, y) + 2 * in(x + 1, y) + in(x + 2, y)) / 4;
    const Expr across = smooth(x, y) + smooth(x, y + 2);
    sharp(x, y) = select(sharpen, 3 * smooth(x, y + 1) - across / 2, smooth(x, y + 1));
    out(x, y) =
        select(kind == 7, max(sharp(x, y), 3) / 3, kind == 2, sharp(x, y) * sharp(x, y) % 251,
               -1 == kind, max(sharp(x, y), 5), sharp(x, y));
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

// Updates choose, too, and a source is read in one of the cases only.
BuiltPipeline chosen_in_an_update() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(16), "in", {{0, 64}, {0, 48}});
    ImageParam settings = b.image(Int(16), "settings", {{0, 4}, {0, 2}});
    Func sum("sum"), out("out");
    RDom r(0, 5, "r");
    const Expr mode = settings(2, 1);
    sum(x, y) = cast<int>(in(x, y));
    sum(x, y) +=
        select(mode == 1, cast<int>(in(x, y)) * r * r, mode != 0, (cast<int>(in(x, y)) + r) / 3, r);
    out(x, y) = sum(x, y) + sum(x, 47 - y);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> choice_pipelines() {
    return {
        {"blended_layers", "choice", blended_layers},
        {"chosen_by_parameters", "choice", chosen_by_parameters},
        {"chosen_in_an_update", "choice", chosen_in_an_update},
    };
}

}  // namespace nestor::testing
