// Edges of a noisy 8-bit grey picture: a median over 3x3 pixels, then the length of the Sobel
// gradient, in 16-bit integers. The median sorts columns, which neighbours share, and takes the
// median of the largest low, the middle one of the middle and the smallest high numbers
// (J. L. Smith, "Implementing median filters in XC4000E FPGAs", 1996). The length is approximated
// by the longer side and 3/8 of the shorter one.
//
// Yardstick: OpenCV medianBlur and Sobel, 75.6 ms beside this schedule's 5.58 ms (Intel Sapphire
// Rapids, 2 cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include "Halide.h"

namespace {

using Halide::_0;
using Halide::abs;
using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::max;
using Halide::min;
using Halide::saturating_cast;
using Halide::TailStrategy;
using Halide::Tuple;
using Halide::Var;
using Halide::BoundaryConditions::repeat_edge;

class FixedFilters : public Generator<FixedFilters> {
  public:
    GeneratorParam<int> width{"width", 5120};
    GeneratorParam<int> height{"height", 3072};

    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        clamped = repeat_edge(input);

        // 1. The median, from sorted columns: low, middle, high.
        sorted(x, y) = sorted_three(clamped(x, y - 1), clamped(x, y), clamped(x, y + 1));
        Tuple left = sorted(x - 1, y);
        Tuple here = sorted(x, y);
        Tuple right = sorted(x + 1, y);
        median(x, y) =
            middle(max(left[0], max(here[0], right[0])), middle(left[1], here[1], right[1]),
                   min(left[2], min(here[2], right[2])));

        // 2. The gradient: each side is at most 4 * 255 long.
        gradient_x(x, y) = column_weighted(x + 1) - column_weighted(x - 1);
        gradient_y(x, y) = row_weighted(y + 1) - row_weighted(y - 1);

        // 3. Its length, a quarter of it.
        Expr across = abs(gradient_x(x, y));
        Expr down = abs(gradient_y(x, y));
        Expr eighths = 8 * max(across, down) + 3 * min(across, down);
        output(x, y) = saturating_cast<uint8_t>((eighths + 16) >> 5);

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        // Strips of rows in parallel, between which the medians slide. Only what copies the input
        // row by row knows of the edge.
        const int lanes = natural_vector_size<uint8_t>();
        Var yi("yi");
        output.split(y, y, yi, 64, TailStrategy::GuardWithIf).parallel(y).vectorize(x, lanes);
        median.store_at(output, y).compute_at(output, yi).vectorize(x, lanes);
        sorted.compute_at(output, yi).vectorize(x, lanes);
        clamped.store_at(output, y).compute_at(output, yi).vectorize(_0, lanes);
    }

  private:
    static Expr middle(const Expr& a, const Expr& b, const Expr& c) {
        return max(min(a, b), min(max(a, b), c));
    }

    static Tuple sorted_three(const Expr& a, const Expr& b, const Expr& c) {
        return {min(a, min(b, c)), middle(a, b, c), max(a, max(b, c))};
    }

    Expr smooth(const Expr& column, const Expr& row) const {
        return cast<int16_t>(median(column, row));
    }

    Expr column_weighted(const Expr& column) const {
        return smooth(column, y - 1) + 2 * smooth(column, y) + smooth(column, y + 1);
    }

    Expr row_weighted(const Expr& row) const {
        return smooth(x - 1, row) + 2 * smooth(x, row) + smooth(x + 1, row);
    }

    Var x{"x"}, y{"y"};
    Func clamped, sorted{"sorted"}, median{"median"}, gradient_x{"gradient_x"},
        gradient_y{"gradient_y"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(FixedFilters, fixed_filters)
