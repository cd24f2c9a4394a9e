// Pictures whose channels are all read at one place that only the data tell.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;

// Planes of a picture, moved by a field; three channels, which are padded where a vector is made of
// them. `constrained`: their number is known.
BuiltPipeline moved(bool constrained) {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 160}, {0, 96}, {0, 3}}, kOwnExtents);
    ImageParam flow = b.image(Int(8), "flow", {{0, 160}, {0, 96}, {0, 2}});
    Func source("source"), column("column"), row("row"), colored("colored"), out("out");
    source(c, x, y) = BoundaryConditions::repeat_edge(in)(x, y, c);
    column(x, y) = clamp(x + flow(x, y, 0) / 16, 0, 159);
    row(x, y) = clamp(y + flow(x, y, 1) / 16, 0, 95);
    const Expr near = cast<uint16_t>(source(c, column(x, y), row(x, y)));
    const Expr next = cast<uint16_t>(source(c, column(x, y) + 1, row(x, y)));
    colored(c, x, y) = cast<uint8_t>((near * 3 + next + 2) / 4);
    out(x, y, c) = colored(c, x, y);
    if (constrained) {
        out.output_buffer().dim(2).set_bounds(0, 3);
    }
    b.output(out, {{0, 160}, {0, 96}, {0, 3}});
    return b.finish();
}

BuiltPipeline moved_colors() {
    return moved(false);
}

BuiltPipeline moved_three_colors() {
    return moved(true);
}

// A table of colours, which may not be read further than its three channels.
BuiltPipeline colors_by_table() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 160}, {0, 96}});
    ImageParam table = b.image(Float(32), "table", {{0, 256}, {0, 3}});
    Func bright("bright"), out("out");
    bright(x, c) = table(x, c) * 2.0f + 1.0f;
    out(x, y, c) = bright(in(x, y), c) + bright(255 - in(x, y), c);
    b.output(out, {{0, 160}, {0, 96}, {0, 3}});
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> channel_pipelines() {
    return {
        {"moved_colors", "indirect load", moved_colors},
        {"moved_three_colors", "indirect load", moved_three_colors},
        {"colors_by_table", "look-up table", colors_by_table},
    };
}

}  // namespace nestor::testing
