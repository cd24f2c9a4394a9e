// A residual block of a neural network: two 3x3 convolutions over all channels, each with a bias,
// a rectifier between them, then the block's own input added, and a rectifier. Pictures keep their
// size: around them, all is zero. The channel is the innermost dimension: (channel, x, y, picture).
// K. He et al., "Deep residual learning for image recognition", 2016.
//
// Yardstick: ONNX Runtime, 10.4 ms beside this schedule's 9.27 ms (Intel Sapphire Rapids, 2
// cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include <string>
#include <vector>

#include "Halide.h"

namespace {

using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::max;
using Halide::RDom;
using Halide::TailStrategy;
using Halide::Var;
using Halide::BoundaryConditions::constant_exterior;

class ResidualBlock : public Generator<ResidualBlock> {
  public:
    GeneratorParam<int> channels{"channels", 64, 1, 4096};
    GeneratorParam<int> width{"width", 56};
    GeneratorParam<int> height{"height", 56};
    GeneratorParam<int> pictures{"pictures", 4};

    Input<Buffer<float, 4>> input{"input"};
    /** (channel out, x, y, channel in). */
    Input<Buffer<float, 4>> first_weights{"first_weights"};
    Input<Buffer<float, 1>> first_bias{"first_bias"};
    Input<Buffer<float, 4>> second_weights{"second_weights"};
    Input<Buffer<float, 1>> second_bias{"second_bias"};
    Output<Buffer<float, 4>> output{"output"};

    void generate() {
        tap = RDom(0, channels, 0, 3, 0, 3, "tap");

        padded = zero_outside(input, "padded");
        convolve(first, padded, first_weights, first_bias);
        active(c, x, y, n) = max(first(c, x, y, n), 0.0f);

        hidden = zero_outside(active, "hidden");
        convolve(second, hidden, second_weights, second_bias);
        output(c, x, y, n) = max(second(c, x, y, n) + input(c, x, y, n), 0.0f);

        for (auto* weights : {&first_weights, &second_weights}) {
            weights->set_estimates({{0, channels}, {0, 3}, {0, 3}, {0, channels}});
        }
        first_bias.set_estimates({{0, channels}});
        second_bias.set_estimates({{0, channels}});
        input.set_estimates({{0, channels}, {0, width}, {0, height}, {0, pictures}});
        output.set_estimates({{0, channels}, {0, width}, {0, height}, {0, pictures}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        schedule_layer(active, first, padded, first_weights.in());
        schedule_layer(output, second, hidden, second_weights.in());
        active.compute_root();
    }

  private:
    Func zero_outside(const Func& f, const std::string& name) {
        Func result(name);
        result(c, x, y, n) = constant_exterior(f, 0.0f,
                                               {{Expr(), Expr()},
                                                {input.dim(1).min(), input.dim(1).extent()},
                                                {input.dim(2).min(), input.dim(2).extent()},
                                                {Expr(), Expr()}})(c, x, y, n);
        return result;
    }

    template <typename Weights, typename Bias>
    void convolve(Func& sum, const Func& f, const Weights& weights, const Bias& bias) {
        sum(c, x, y, n) = bias(c);
        sum(c, x, y, n) +=
            weights(c, tap.y, tap.z, tap.x) * f(tap.x, x + tap.y - 1, y + tap.z - 1, n);
    }

    void schedule_layer(Func result, Func sum, Func padding, Func weights) {
        const int lanes = natural_vector_size<float>();
        // A tile's sums stay in registers: with AVX-512, 28 of 32. Narrow tiles with many pixels,
        // because the weights come out of the second cache, and the pixels out of the first.
        const int tile_channels = 2 * lanes;
        const int tile_x = lanes >= 16 ? 14 : 6;
        const int strip_rows = 8;

        Var ci("ci"), xi("xi"), yi("yi"), strip("strip");
        result.split(c, c, ci, tile_channels, TailStrategy::ShiftInwards)
            .split(x, x, xi, tile_x, TailStrategy::ShiftInwards)
            .split(y, y, yi, strip_rows, TailStrategy::GuardWithIf)
            .reorder(ci, xi, x, yi, c, y, n)
            .vectorize(ci, lanes)
            .unroll(ci)
            .unroll(xi)
            .fuse(y, n, strip)
            .parallel(strip);
        sum.compute_at(result, x).vectorize(c, lanes).unroll(c).unroll(x);
        sum.update()
            .reorder(c, x, tap.x, tap.y, tap.z, y, n)
            .vectorize(c, lanes)
            .unroll(c)
            .unroll(x)
            .unroll(tap.x, 2);

        // A strip's pixels with the zeros around them, so that the sums need not ask for the edge.
        padding.compute_at(result, strip).vectorize(c, lanes);

        // In the order in which they are used.
        const std::vector<Var> from = weights.args();
        weights.compute_root()
            .reorder_storage(from[0], from[3], from[1], from[2])
            .vectorize(from[0], lanes);
    }

    Var c{"c"}, x{"x"}, y{"y"}, n{"n"};
    RDom tap;
    Func padded, first{"first"}, active{"active"}, hidden, second{"second"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(ResidualBlock, residual_block)
