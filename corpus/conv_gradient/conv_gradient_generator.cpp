// A step of learning: how the mean squared error of a small convolution changes with its weights
// and its bias, by Halide's own derivatives. T. Li et al., "Differentiable programming for image
// processing and deep learning in Halide", 2018.
//
// Yardstick: OpenCV's filter2D and matchTemplate, 243 ms beside this schedule's 5.96 ms (Intel
// Sapphire Rapids, 2 cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include <vector>

#include "Halide.h"

namespace {

using Halide::Derivative;
using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::RDom;
using Halide::RVar;
using Halide::TailStrategy;
using Halide::Var;

class ConvGradient : public Generator<ConvGradient> {
  public:
    GeneratorParam<int> width{"width", 1024};
    GeneratorParam<int> height{"height", 768};
    /** Of the picture and of the target, each. */
    GeneratorParam<int> channels{"channels", 3, 1, 64};
    /** Odd. */
    GeneratorParam<int> window{"window", 5, 1, 15};

    /** Larger than the target by the window less one, in x and y. */
    Input<Buffer<float, 3>> input{"input"};
    Input<Buffer<float, 3>> wanted{"wanted"};
    /** (x, y, channel in, channel out). */
    Input<Buffer<float, 4>> weights{"weights"};
    Input<Buffer<float, 1>> bias{"bias"};
    Output<Buffer<float, 4>> weights_gradient{"weights_gradient"};
    Output<Buffer<float, 1>> bias_gradient{"bias_gradient"};

    void generate() {
        // 1. What the convolution makes of the picture.
        Func picture("picture"), kernel("kernel"), offset("offset");
        picture(x, y, c) = input(x, y, c);
        kernel(i, j, c, co) = weights(i, j, c, co);
        offset(co) = bias(co);
        tap = RDom(0, window, 0, window, 0, channels, "tap");
        prediction(x, y, co) = offset(co);
        prediction(x, y, co) +=
            kernel(tap.x, tap.y, tap.z, co) * picture(x + tap.x, y + tap.y, tap.z);

        // 2. How far that is from the target.
        RDom all(0, width, 0, height, 0, channels, "all");
        Expr error = prediction(all.x, all.y, all.z) - wanted(all.x, all.y, all.z);
        const float count =
            static_cast<float>(width) * static_cast<float>(height) * static_cast<float>(channels);
        Func loss("loss");
        loss() += error * error / count;

        // 3. How it changes.
        Derivative derivative = propagate_adjoints(loss);
        weights_gradient(i, j, c, co) = derivative(kernel)(i, j, c, co);
        bias_gradient(co) = derivative(offset)(co);
        d_weights = derivative(kernel);
        d_bias = derivative(offset);
        d_prediction = derivative(prediction, 0);

        const int border = window - 1;
        input.set_estimates({{0, width + border}, {0, height + border}, {0, channels}});
        wanted.set_estimates({{0, width}, {0, height}, {0, channels}});
        weights.set_estimates({{0, window}, {0, window}, {0, channels}, {0, channels}});
        bias.set_estimates({{0, channels}});
        weights_gradient.set_estimates({{0, window}, {0, window}, {0, channels}, {0, channels}});
        bias_gradient.set_estimates({{0, channels}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        const int lanes = natural_vector_size<float>();

        // The sums over all pixels, for each strip of rows by itself, and there in vectors. Along a
        // row, those of a window's row and all channels of the result stay in registers.
        const int rows = 24;
        Var part("part"), lane("lane");
        RVar strip("strip"), row("row"), xo("xo"), xr("xr");
        const std::vector<RVar> pixel = d_weights.rvars(0);
        d_weights.compute_root();
        d_weights.update().split(pixel[1], strip, row, rows);
        Func parts = d_weights.update().rfactor(strip, part);
        parts.compute_root()
            .update()
            .split(pixel[0], xo, xr, lanes)
            .reorder(xr, row, i, co, j, c, part)
            .parallel(part);
        Func vectors = parts.update().rfactor(xr, lane);
        vectors.compute_at(parts, part)
            .reorder_storage(lane, i, j, c, co, part)
            .vectorize(lane)
            .update()
            .reorder(lane, i, co, xo, j, c, row, part)
            .vectorize(lane)
            .unroll(i)
            .unroll(co);
        for (Func f : {d_weights, parts, vectors}) {
            f.bound(i, 0, window).bound(j, 0, window).bound(c, 0, channels).bound(co, 0, channels);
        }

        const std::vector<RVar> bias_pixel = d_bias.rvars(0);
        d_bias.compute_root();
        d_bias.update().split(bias_pixel[1], strip, row, rows);
        Func bias_parts = d_bias.update().rfactor(strip, part);
        bias_parts.compute_root()
            .update()
            .split(bias_pixel[0], xo, xr, lanes)
            .reorder(xr, row, co, part)
            .parallel(part);
        Func bias_vectors = bias_parts.update().rfactor(xr, lane);
        bias_vectors.compute_at(bias_parts, part)
            .reorder_storage(lane, co, part)
            .vectorize(lane)
            .update()
            .reorder(lane, co, xo, row, part)
            .vectorize(lane)
            .unroll(co);
        bias_parts.update().compute_with(parts.update(), part);
        for (Func f : {d_bias, bias_parts, bias_vectors}) {
            f.bound(co, 0, channels);
        }

        // The error's slope, for a strip of both, so that it is read from the second cache; in
        // tiles whose sums stay in registers.
        Var xi("xi");
        d_prediction.compute_at(parts, part)
            .split(x, x, xi, 4 * lanes, TailStrategy::ShiftInwards)
            .reorder(xi, co, x, y)
            .bound(co, 0, channels)
            .vectorize(xi, lanes)
            .unroll(xi)
            .unroll(co);
        prediction.compute_at(d_prediction, x).vectorize(x, lanes).unroll(x).unroll(co);
        prediction.update()
            .reorder(x, co, tap.x, tap.y, tap.z, y)
            .vectorize(x, lanes)
            .unroll(x)
            .unroll(co);
    }

  private:
    Var x{"x"}, y{"y"}, c{"c"}, co{"co"}, i{"i"}, j{"j"};
    RDom tap;
    Func prediction{"prediction"}, d_weights, d_bias, d_prediction;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(ConvGradient, conv_gradient)
