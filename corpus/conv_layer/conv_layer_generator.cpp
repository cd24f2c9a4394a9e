// A convolution layer of a neural network: 3x3 windows over all channels, a bias, and a rectifier.
// The channel is the innermost dimension: (channel, x, y, picture).
//
// Yardstick: oneDNN 3.2 convolution, 22.7 ms beside this schedule's 23.8 ms (Intel Sapphire
// Rapids, 2 cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include "Halide.h"

namespace {

using Halide::Func;
using Halide::Generator;
using Halide::max;
using Halide::RDom;
using Halide::TailStrategy;
using Halide::Var;

class ConvLayer : public Generator<ConvLayer> {
  public:
    GeneratorParam<int> channels_in{"channels_in", 64, 1, 4096};
    GeneratorParam<int> channels_out{"channels_out", 64, 1, 4096};
    /** Odd. */
    GeneratorParam<int> window{"window", 3, 1, 15};
    /** Of the output. */
    GeneratorParam<int> width{"width", 120};
    GeneratorParam<int> height{"height", 100};
    GeneratorParam<int> pictures{"pictures", 4};

    /** Larger than the output by the window less one, in x and y. */
    Input<Buffer<float, 4>> input{"input"};
    /** (channel out, x, y, channel in). */
    Input<Buffer<float, 4>> weights{"weights"};
    Input<Buffer<float, 1>> bias{"bias"};
    Output<Buffer<float, 4>> output{"output"};

    void generate() {
        tap = RDom(0, channels_in, 0, window, 0, window, "tap");
        sum(co, x, y, n) = bias(co);
        sum(co, x, y, n) +=
            weights(co, tap.y, tap.z, tap.x) * input(tap.x, x + tap.y, y + tap.z, n);
        output(co, x, y, n) = max(sum(co, x, y, n), 0.0f);

        const int border = window - 1;
        input.set_estimates(
            {{0, channels_in}, {0, width + border}, {0, height + border}, {0, pictures}});
        weights.set_estimates({{0, channels_out}, {0, window}, {0, window}, {0, channels_in}});
        bias.set_estimates({{0, channels_out}});
        output.set_estimates({{0, channels_out}, {0, width}, {0, height}, {0, pictures}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        // Tiles of 4 vectors of channels and 5 columns: 20 sums stay in registers, and each number
        // that is loaded is used 4 or 5 times.
        const int lanes = natural_vector_size<float>();
        Var block("block"), tile("tile"), row("row");
        output.split(co, block, co, 4 * lanes, TailStrategy::ShiftInwards)
            .split(x, tile, x, 5, TailStrategy::ShiftInwards)
            .reorder(co, x, tile, block, y, n)
            .vectorize(co, lanes)
            .unroll(x)
            .fuse(y, n, row)
            .parallel(row);
        sum.compute_at(output, tile).vectorize(co, lanes).unroll(co).unroll(x);
        sum.update()
            .reorder(co, x, tap.y, tap.x, tap.z)
            .vectorize(co, lanes)
            .unroll(co)
            .unroll(x)
            .unroll(tap.y);
    }

  private:
    Var co{"co"}, x{"x"}, y{"y"}, n{"n"};
    RDom tap;
    Func sum{"sum"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(ConvLayer, conv_layer)
