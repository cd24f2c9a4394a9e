// What is made along one dimension and read along another.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;

Func decayed_down(const Func& f, const Expr& rows, const std::string& name) {
    RDom row(1, rows - 1, "row");
    const Expr up = rows - 1 - row;
    Func scan(name);
    scan(x, y, c) = f(x, y, c);
    scan(x, row, c) += scan(x, row - 1, c) / 2;
    scan(x, up, c) += scan(x, up + 1, c) / 3;
    return scan;
}

// A recursive filter of both dimensions, of which the second is the first of the transposed
// picture; one channel after the other keeps it in a cache.
BuiltPipeline scans_down_and_across() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 150}, {0, 83}, {0, 3}}, kOwnExtents);
    Func source("source"), transposed("transposed"), out("out");
    source(x, y, c) = in(x, y, c);
    const Func down = decayed_down(source, in.height(), "down");
    transposed(x, y, c) = down(y, x, c);
    const Func across = decayed_down(transposed, in.width(), "across");
    out(x, y, c) = across(y, x, c);
    b.output(out, {{0, 150}, {0, 83}, {0, 3}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

// Blurred along the rows, transposed, and blurred again: the blocks of what is transposed meet
// borders on both sides.
BuiltPipeline blur_of_the_transposed() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 170}, {0, 94}, {0, 2}}, kOwnExtents);
    const Func clamped = BoundaryConditions::repeat_edge(in);
    RDom k(-3, 7, "k");
    Func across("across"), transposed("transposed"), out("out");
    across(x, y, c) += cast<uint16_t>(clamped(x + k, y, c));
    transposed(x, y, c) = across(y, x, c);
    Func down("down");
    down(x, y, c) += transposed(clamp(x + k, 0, in.height() - 1), y, c) / 8;
    out(x, y, c) = cast<uint8_t>(down(y, x, c) / 8);
    b.output(out, {{0, 170}, {0, 94}, {0, 2}});
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> transposed_pipelines() {
    return {
        {"scans_down_and_across", "scan", scans_down_and_across},
        {"blur_of_the_transposed", "reduction", blur_of_the_transposed},
    };
}

}  // namespace nestor::testing
