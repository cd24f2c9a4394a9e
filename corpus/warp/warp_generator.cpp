// Takes a lens' distortion out of a picture: each pixel comes from where the lens has moved it to,
// weighted between the four pixels there. D. Brown, "Decentering distortion of lenses", 1966.
//
// Yardstick: OpenCV's remap, 22.2 ms beside this schedule's 14.4 ms (Intel Sapphire Rapids, 2
// cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include "Halide.h"

namespace {

using Halide::cast;
using Halide::clamp;
using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::lerp;
using Halide::TailStrategy;
using Halide::Var;
using Halide::BoundaryConditions::repeat_edge;

class Warp : public Generator<Warp> {
  public:
    GeneratorParam<int> width{"width", 2560};
    GeneratorParam<int> height{"height", 1536};

    Input<Buffer<uint8_t, 3>> input{"input"};
    /** How much further from the centre a pixel lies, at one half of the picture's height from it:
     * with the square of the distance, and its fourth power. */
    Input<float> second_order{"second_order", 0.08f, -0.5f, 0.5f};
    Input<float> fourth_order{"fourth_order", -0.02f, -0.5f, 0.5f};
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        clamped = repeat_edge(input);

        // 1. Where a pixel comes from.
        Expr center_x = cast<float>(input.width() - 1) / 2;
        Expr center_y = cast<float>(input.height() - 1) / 2;
        Expr dx = cast<float>(x) - center_x;
        Expr dy = cast<float>(y) - center_y;
        Expr squared = (dx * dx + dy * dy) / (center_y * center_y);
        stretch(x, y) = 1.0f + squared * (second_order + squared * fourth_order);
        Expr source_x = clamp(center_x + dx * stretch(x, y), 0.0f, 2 * center_x);
        Expr source_y = clamp(center_y + dy * stretch(x, y), 0.0f, 2 * center_y);

        column(x, y) = cast<int>(source_x);
        row(x, y) = cast<int>(source_y);
        part_x(x, y) = source_x - cast<float>(column(x, y));
        part_y(x, y) = source_y - cast<float>(row(x, y));

        // 2. Between the four pixels there: down, then across.
        interleaved(c, x, y) = clamped(x, y, c);
        const auto source = [&](const Expr& down) {
            return cast<float>(interleaved(c, column(x, y) + i, row(x, y) + down));
        };
        side(c, i, x, y) = lerp(source(0), source(1), part_y(x, y));
        warped(c, x, y) =
            cast<uint8_t>(lerp(side(c, 0, x, y), side(c, 1, x, y), part_x(x, y)) + 0.5f);
        output(x, y, c) = warped(c, x, y);

        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        second_order.set_estimate(0.08f);
        fourth_order.set_estimate(-0.02f);
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        const int lanes = natural_vector_size<float>();
        Var yo("yo"), xo("xo"), xi("xi");

        // A pixel's channels side by side, and a fourth to make it a word: one access gets the two
        // pixels of a row.
        interleaved.compute_root()
            .align_bounds(c, 4)
            .reorder_storage(c, x, y)
            .reorder(c, x, y)
            .unroll(c)
            .vectorize(x, 4 * lanes)
            .parallel(y, 16);

        // Chunks of a row: first where all of their pixels come from, then the pixels one by one,
        // both sides of each with their channels as a vector, then four pixels at a time what lies
        // between these, and last the planes.
        output.split(y, yo, y, 16, TailStrategy::GuardWithIf)
            .split(x, xo, xi, 8 * lanes, TailStrategy::ShiftInwards)
            .reorder(c, xi, xo, y, yo)
            .bound(c, 0, 3)
            .unroll(c)
            .vectorize(xi, 4 * lanes)
            .parallel(yo);
        for (Func f : {column, row, part_x, part_y}) {
            f.compute_at(output, xo).vectorize(x, lanes);
        }
        side.compute_at(output, xo)
            .align_bounds(c, 4)
            .reorder_storage(c, i, x, y)
            .reorder(c, i, x, y)
            .vectorize(c, 4)
            .vectorize(i)
            .unroll(x, 8);
        warped.compute_at(output, xo)
            .align_bounds(c, 4)
            .reorder(c, x, y)
            .vectorize(c, 4)
            .vectorize(x, 4);
    }

  private:
    Var x{"x"}, y{"y"}, c{"c"}, i{"i"};
    Func clamped, interleaved{"interleaved"}, stretch{"stretch"}, column{"column"}, row{"row"};
    Func part_x{"part_x"}, part_y{"part_y"}, side{"side"}, warped{"warped"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Warp, warp)
