// Depth from two cameras side by side: for each pixel of the left picture, how far to the left the
// block around it reappears in the right one (its disparity), by the smallest sum of absolute
// differences. Where the search from right to left disagrees, the pixel is taken to be hidden from
// one of the cameras. K. Konolige, "Small vision systems: hardware and implementation", 1997.
//
// Yardstick: OpenCV StereoBM, 36.9 ms beside this schedule's 17.1 ms (Intel Sapphire Rapids, 2
// cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include "Halide.h"

namespace {

using Halide::absd;
using Halide::cast;
using Halide::clamp;
using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::RDom;
using Halide::select;
using Halide::TailStrategy;
using Halide::Tuple;
using Halide::Var;
using Halide::BoundaryConditions::repeat_edge;

class StereoMatching : public Generator<StereoMatching> {
  public:
    GeneratorParam<int> width{"width", 1280};
    GeneratorParam<int> height{"height", 768};
    /** How many are tried, from 0 on. */
    GeneratorParam<int> disparities{"disparities", 64, 2, 128};

    Input<Buffer<uint8_t, 2>> left{"left"};
    Input<Buffer<uint8_t, 2>> right{"right"};
    /** 255 where the two directions disagree. */
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        // 1. The pictures' horizontal derivatives: the cameras need not agree on brightness.
        left_slopes(x, y) = slope(repeat_edge(left));
        right_slopes(x, y) = slope(repeat_edge(right));

        // 2. What matching costs: the difference at each disparity, summed over a block.
        difference(x, y, d) = absd(left_slopes(x, y), right_slopes(x - d, y));
        column_cost(x, y, d) = block_sum([&](int i) { return difference(x, y + i, d); });
        cost(x, y, d) = block_sum([&](int i) { return column_cost(x + i, y, d); });

        // 3. The disparities of the least cost, seen from the left and from the right.
        tried = RDom(0, disparities, "tried");
        find_least(left_match, cost(x, y, tried));
        find_least(right_match, cost(x + tried, y, tried));

        // 4. They must agree but for one step.
        Expr found = left_match(x, y)[1];
        Expr opposite = clamp(cast<int>(found), 0, disparities - 1);
        Expr agree = absd(found, right_match(x - opposite, y)[1]) <= 1;
        output(x, y) = select(agree, found, cast<uint8_t>(255));

        left.set_estimates({{0, width}, {0, height}});
        right.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        // Tiles of eight rows, and for these the column sums of all disparities, which stay in the
        // second cache. Row by row, the costs of all disparities; the search over them runs
        // innermost, so that what is best stays in registers.
        const int lanes = natural_vector_size<uint16_t>();
        const int rows = 8;
        const int columns = 640;
        Var strip("strip"), tile("tile");
        output.split(y, strip, y, rows, TailStrategy::GuardWithIf)
            .split(x, tile, x, columns, TailStrategy::GuardWithIf)
            .reorder(x, y, tile, strip)
            .parallel(strip)
            .vectorize(x, lanes, TailStrategy::GuardWithIf);
        for (Func match : {left_match, right_match}) {
            match.compute_at(output, y).vectorize(x, lanes);
            match.update()
                .reorder(tried, x, y)
                .unroll(tried, 4)
                .vectorize(x, lanes, TailStrategy::RoundUp);
        }
        cost.compute_at(output, y).vectorize(x, lanes, TailStrategy::RoundUp);
        // Unrolled, so that the rows share what they load.
        column_cost.compute_at(output, tile)
            .vectorize(x, lanes, TailStrategy::RoundUp)
            .bound_extent(y, rows)
            .reorder(y, x, d)
            .unroll(y);
        difference.compute_at(column_cost, x).vectorize(x, lanes).unroll(y);
        // Stored whole: the search reaches far beyond the edges, where reading takes long.
        for (Func slopes : {left_slopes, right_slopes}) {
            slopes.compute_root()
                .split(y, strip, y, 16, TailStrategy::GuardWithIf)
                .parallel(strip)
                .vectorize(x, lanes);
        }
    }

  private:
    /** Of the blocks, whose side is twice this and one. */
    static constexpr int radius = 4;
    /** Steeper slopes count as this, so that a strong edge does not outweigh the rest. */
    static constexpr int steepest = 31;

    /** Sobel's, between 0 and twice the steepest. */
    Expr slope(const Func& f) {
        const auto change = [&](const Expr& row) {
            return cast<int16_t>(f(x + 1, row)) - cast<int16_t>(f(x - 1, row));
        };
        Expr total = change(y - 1) + cast<int16_t>(2) * change(y) + change(y + 1);
        return cast<uint8_t>(clamp(total, -steepest, steepest) + steepest);
    }

    template <typename Terms>
    static Expr block_sum(const Terms& term) {
        Expr total = cast<uint16_t>(0);
        for (int i = -radius; i <= radius; i++) {
            total += cast<uint16_t>(term(i));
        }
        return total;
    }

    /** The cost and the disparity; the smaller disparity if the cost is the same. */
    void find_least(Func& match, const Expr& tried_cost) {
        match(x, y) = Tuple(cast<uint16_t>(65535), cast<uint8_t>(0));
        Expr better = tried_cost < match(x, y)[0];
        match(x, y) = Tuple(select(better, tried_cost, match(x, y)[0]),
                            select(better, cast<uint8_t>(tried), match(x, y)[1]));
    }

    Var x{"x"}, y{"y"}, d{"d"};
    RDom tried;
    Func left_slopes{"left_slopes"}, right_slopes{"right_slopes"}, difference{"difference"};
    Func column_cost{"column_cost"}, cost{"cost"};
    Func left_match{"left_match"}, right_match{"right_match"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(StereoMatching, stereo_matching)
