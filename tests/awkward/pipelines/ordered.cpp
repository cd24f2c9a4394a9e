// Where the order of steps counts: long scans, and which of equal values wins.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;

// Strips of columns from top to bottom, of which the last is narrower than the others. What reads
// the scan needs rows from above and from below.
BuiltPipeline largest_so_far() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(16), "in", {{0, 301}, {0, 83}}, kOwnExtents);
    RDom r(1, in.height() - 1, "r");
    Func so_far("so_far"), out("out");
    so_far(x, y) = in(x, y);
    so_far(x, r) = max(so_far(x, r - 1), so_far(x, r));
    const Expr above = max(y - 5, 0), below = min(y + 5, in.height() - 1);
    out(x, y) = so_far(x, below) - so_far(x, above);
    b.output(out, {{0, 301}, {0, 83}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

// Along the third dimension, then down each plane of the result.
BuiltPipeline scans_of_a_volume() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 150}, {0, 30}, {0, 9}}, kOwnExtents);
    RDom depth(1, in.dim(2).extent() - 1, "depth"), row(1, in.height() - 1, "row");
    Func deep("deep"), down("down"), out("out");
    deep(x, y, c) = in(x, y, c);
    deep(x, y, depth) += deep(x, y, depth - 1);
    down(x, y, c) = deep(x, y, c);
    down(x, row, c) += 3 * down(x, row - 1, c);
    out(x, y, c) = down(x, y, c) - in(x, y, c);
    b.output(out, {{0, 150}, {0, 30}, {0, 9}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

// Of one scan, in both directions.
BuiltPipeline outputs_of_one_scan() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 280}, {0, 61}}, kOwnExtents);
    RDom r(1, in.height() - 1, "r");
    const Expr up = in.height() - 1 - r;
    Func filter("filter"), smooth("smooth"), rough("rough");
    filter(x, y) = in(x, y);
    filter(x, r) = 0.5f * (filter(x, r) + filter(x, r - 1));
    filter(x, up) = 0.5f * (filter(x, up) + filter(x, up + 1));
    smooth(x, y) = filter(x, y);
    rough(x, y) = in(x, y) - filter(x, y);
    b.output(smooth, {{0, 280}, {0, 61}});
    b.output(rough, {{0, 280}, {0, 61}});
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

// Rows so long that each element of a vector takes a run of neighbours. Of these rows the largest
// values are in many places; neither the runs nor their blocks come out even.
BuiltPipeline argmax_of_long_rows_with_ties() {
    PipelineBuilder b;
    ImageParam in =
        b.image(Float(32), "in", {{0, 1301}, {0, 71}}, {InputSize::Estimate, {}, {0, 3}});
    RDom r(in);
    Func best("best"), column("column"), row("row");
    best() = Tuple(-1.0f, -1, -1);
    Expr value = floor(in(r.x, r.y));
    Expr worse = value < best()[0];
    best() =
        Tuple(max(best()[0], value), select(worse, best()[1], r.x), select(worse, best()[2], r.y));
    column() = best()[1];
    row() = best()[2];
    b.output(column, {});
    b.output(row, {});
    b.expect().min_legal_sizes = 1;
    return b.finish();
}

// A single dimension, of constant extent, of which tasks and runs are parts; the first wins.
BuiltPipeline argmin_of_a_line_with_ties() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(16), "in", {{0, 1 << 17}}, {InputSize::Required, {}, {1, 40}});
    RDom r(0, 1 << 17, "r");
    Func best("best");
    best() = argmin(in(r));
    b.output(best, {});
    b.expect().min_legal_sizes = 1;
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> ordered_pipelines() {
    return {
        {"largest_so_far", "scan", largest_so_far},
        {"scans_of_a_volume", "scan", scans_of_a_volume},
        {"outputs_of_one_scan", "scan", outputs_of_one_scan},
        {"argmax_of_long_rows_with_ties", "argmax", argmax_of_long_rows_with_ties},
        {"argmin_of_a_line_with_ties", "argmax", argmin_of_a_line_with_ties},
    };
}

}  // namespace nestor::testing
