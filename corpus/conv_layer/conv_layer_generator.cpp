// A convolution layer of a neural network: 3x3 windows over all channels, a bias, and a rectifier.
// The channel is the innermost dimension: (channel, x, y, picture).
//
// Yardstick: oneDNN 3.2 convolution, 19.5 ms beside this schedule's 19.7 ms (Intel Sapphire
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
        // A tile's sums stay in registers: with AVX-512 24 of 32, each number that is loaded being
        // used 4 or 6 times; 12 of 16 without. The weights of a tile's channels stay in the second
        // cache for a strip of rows.
        const int lanes = natural_vector_size<float>();
        const int tile_channels = lanes >= 16 ? 4 * lanes : 2 * lanes;
        const int tile_x = 6;
        const int strip_rows = 10;
        Var block("block"), tile("tile"), yi("yi"), strip("strip");
        output.split(co, block, co, tile_channels, TailStrategy::ShiftInwards)
            .split(x, tile, x, tile_x, TailStrategy::ShiftInwards)
            .split(y, y, yi, strip_rows, TailStrategy::GuardWithIf)
            .reorder(co, x, tile, yi, block, y, n)
            .vectorize(co, lanes)
            .unroll(co)
            .unroll(x)
            .fuse(y, n, strip)
            .parallel(strip);
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
