// How far each pixel has moved between two frames: one step of the least-squares estimate over
// windows of 7x7 pixels. B. Lucas and T. Kanade, "An iterative image registration technique with
// an application to stereo vision", 1981.
//
// Yardstick: OpenCV's boxFilter and arithmetic, 198 ms beside this schedule's 10.1 ms (Intel
// Sapphire Rapids, 2 cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include <string>
#include <vector>

#include "Halide.h"

namespace {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::mux;
using Halide::TailStrategy;
using Halide::Var;
using Halide::BoundaryConditions::repeat_edge;

class OpticalFlow : public Generator<OpticalFlow> {
  public:
    GeneratorParam<int> width{"width", 2560};
    GeneratorParam<int> height{"height", 1536};
    /** How far the window reaches to each side. */
    GeneratorParam<int> radius{"radius", 3, 1, 16};

    Input<Buffer<uint8_t, 2>> first{"first"};
    Input<Buffer<uint8_t, 2>> second{"second"};
    /** Holds the flow at zero where the window shows nothing that could have moved. */
    Input<float> stiffness{"stiffness", 1000.0f, 1.0f, 100000.0f};
    /** Channel 0: to the right, 1: down. */
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        before(x, y) = cast<float>(repeat_edge(first)(x, y));
        after(x, y) = cast<float>(repeat_edge(second)(x, y));

        // 1. The changes in space, over two pixels, and in time. All numbers up to the window's
        // sums are whole and small enough for a float to hold them exactly.
        change_x(x, y) = before(x + 1, y) - before(x - 1, y);
        change_y(x, y) = before(x, y + 1) - before(x, y - 1);
        change_t(x, y) = after(x, y) - before(x, y);

        // 2. Their products, summed over the window.
        Func xx = window_sum(change_x, change_x, "xx");
        Func xy = window_sum(change_x, change_y, "xy");
        Func yy = window_sum(change_y, change_y, "yy");
        Func xt = window_sum(change_x, change_t, "xt");
        Func yt = window_sum(change_y, change_t, "yt");

        // 3. The movement that explains the changes best.
        Expr a = xx(x, y) + stiffness;
        Expr b = xy(x, y);
        Expr d = yy(x, y) + stiffness;
        Expr scale = 2.0f / (a * d - b * b);
        output(x, y, c) =
            mux(c, {(b * yt(x, y) - d * xt(x, y)) * scale, (b * xt(x, y) - a * yt(x, y)) * scale});

        first.set_estimates({{0, width}, {0, height}});
        second.set_estimates({{0, width}, {0, height}});
        stiffness.set_estimate(1000.0f);
        output.set_estimates({{0, width}, {0, height}, {0, 2}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        const int lanes = natural_vector_size<float>();
        // Strips of rows in parallel. The changes slide down each strip; the sums down the window's
        // columns are computed row by row, all five together since they use the same changes.
        Var yo("yo");
        output.split(y, yo, y, 64, TailStrategy::GuardWithIf)
            .reorder(c, x, y, yo)
            .bound(c, 0, 2)
            .unroll(c)
            .vectorize(x, lanes)
            .parallel(yo);
        for (Func f : down) {
            f.compute_at(output, y).vectorize(x, lanes);
        }
        for (size_t i = 1; i < down.size(); i++) {
            down[i].compute_with(down[i - 1], x);
        }
        for (Func f : {change_x, change_y, change_t}) {
            f.store_at(output, yo).compute_at(output, y).vectorize(x, lanes);
        }
    }

  private:
    Func window_sum(const Func& f, const Func& g, const std::string& name) {
        const int reach = radius;
        Func product("product_" + name);
        product(x, y) = f(x, y) * g(x, y);
        Func sum_down("down_" + name);
        Expr total = 0.0f;
        for (int i = -reach; i <= reach; i++) {
            total += product(x, y + i);
        }
        sum_down(x, y) = total;
        down.push_back(sum_down);

        Func result("sum_" + name);
        total = 0.0f;
        for (int i = -reach; i <= reach; i++) {
            total += sum_down(x + i, y);
        }
        result(x, y) = total;
        return result;
    }

    Var x{"x"}, y{"y"}, c{"c"};
    Func before{"before"}, after{"after"};
    Func change_x{"change_x"}, change_y{"change_y"}, change_t{"change_t"};
    std::vector<Func> down;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(OpticalFlow, optical_flow)
