// Harris corner detection: how strongly the picture changes in two directions at once, at every
// pixel. C. Harris and M. Stephens, "A combined corner and edge detector", 1988.
//
// Compiled with -DHARRIS_SCHEDULE='"harris.schedule.h"', it takes its schedule from a file that
// `-e schedule` wrote earlier instead of asking a scheduler.
//
// Yardstick: OpenCV cornerHarris, 55.4 ms beside this schedule's 3.52 ms (Intel Sapphire Rapids,
// 2 cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include "Halide.h"
#ifdef HARRIS_SCHEDULE
#include HARRIS_SCHEDULE
#endif

namespace {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::TailStrategy;
using Halide::Var;
using Halide::BoundaryConditions::repeat_edge;

class Harris : public Generator<Harris> {
  public:
    GeneratorParam<int> width{"width", 2560};
    GeneratorParam<int> height{"height", 1536};

    Input<Buffer<uint8_t, 3>> input{"input"};
    /** Weight of the squared trace: larger values suppress more edges. */
    Input<float> sensitivity{"sensitivity", 0.04f, 0.0f, 0.25f};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Func clamped = repeat_edge(input);

        // 1. Brightness, in 0..1.
        gray(x, y) =
            (0.299f * cast<float>(clamped(x, y, 0)) + 0.587f * cast<float>(clamped(x, y, 1)) +
             0.114f * cast<float>(clamped(x, y, 2))) /
            255.0f;

        // 2. Its derivatives (Sobel).
        gradient_x(x, y) = column_weighted(gray, x + 1) - column_weighted(gray, x - 1);
        gradient_y(x, y) = row_weighted(gray, y + 1) - row_weighted(gray, y - 1);

        // 3. The structure tensor, summed over a window of 3x3.
        Func xx("xx");
        Func xy("xy");
        Func yy("yy");
        xx(x, y) = gradient_x(x, y) * gradient_x(x, y);
        xy(x, y) = gradient_x(x, y) * gradient_y(x, y);
        yy(x, y) = gradient_y(x, y) * gradient_y(x, y);
        sum_xx(x, y) = window_sum(xx);
        sum_xy(x, y) = window_sum(xy);
        sum_yy(x, y) = window_sum(yy);

        // 4. Large where both of its eigenvalues are.
        Expr determinant = sum_xx(x, y) * sum_yy(x, y) - sum_xy(x, y) * sum_xy(x, y);
        Expr trace = sum_xx(x, y) + sum_yy(x, y);
        output(x, y) = determinant - sensitivity * trace * trace;

        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        sensitivity.set_estimate(0.04f);
        output.set_estimates({{0, width}, {0, height}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
#ifdef HARRIS_SCHEDULE
        apply_schedule_harris(get_pipeline(), get_target());
#else
        // Strips of rows in parallel; brightness and gradients slide down each. Four rows of the
        // output at a time, because they share most of the gradients that they load. Only loops
        // over columns treat edges apart: rows at the top and bottom are not worth code of their
        // own.
        const int lanes = natural_vector_size<float>();
        Var strip("strip"), yi("yi");
        output.split(y, strip, y, 128, TailStrategy::GuardWithIf)
            .parallel(strip)
            .vectorize(x, lanes)
            .split(y, y, yi, 4, TailStrategy::GuardWithIf)
            .reorder(yi, x, y, strip)
            .unroll(yi)
            .never_partition(strip, y);
        // Six rows are needed at once; Halide by itself would keep the whole strip.
        for (Func rows : {gray, gradient_x, gradient_y}) {
            rows.store_at(output, strip)
                .compute_at(output, y)
                .fold_storage(y, 8)
                .vectorize(x, lanes)
                .never_partition(y);
        }
#endif
    }

  private:
    Expr column_weighted(const Func& f, Expr column) {
        return f(column, y - 1) + 2.0f * f(column, y) + f(column, y + 1);
    }

    Expr row_weighted(const Func& f, Expr row) {
        return f(x - 1, row) + 2.0f * f(x, row) + f(x + 1, row);
    }

    Expr window_sum(const Func& f) {
        Expr total = 0.0f;
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                total += f(x + dx, y + dy);
            }
        }
        return total;
    }

    Var x{"x"}, y{"y"};
    Func gray{"gray"}, gradient_x{"gradient_x"}, gradient_y{"gradient_y"};
    Func sum_xx{"sum_xx"}, sum_xy{"sum_xy"}, sum_yy{"sum_yy"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Harris, harris)
