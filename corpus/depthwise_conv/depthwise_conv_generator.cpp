// A separable convolution layer of a neural network: a 3x3 window for each channel by itself, then
// all channels of a pixel together, a bias, and a rectifier. The channel is the innermost
// dimension: (channel, x, y, picture). A. Howard et al., "MobileNets: efficient convolutional
// neural networks for mobile vision applications", 2017.
//
// Yardstick: ONNX Runtime, 10.3 ms beside this schedule's 6.47 ms (Intel Sapphire Rapids, 2
// cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include "Halide.h"

namespace {

using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::max;
using Halide::RDom;
using Halide::TailStrategy;
using Halide::Var;

class DepthwiseConv : public Generator<DepthwiseConv> {
  public:
    GeneratorParam<int> channels_in{"channels_in", 64, 1, 4096};
    GeneratorParam<int> channels_out{"channels_out", 128, 1, 4096};
    GeneratorParam<int> width{"width", 112};
    GeneratorParam<int> height{"height", 112};
    GeneratorParam<int> pictures{"pictures", 4};

    /** Larger than the output by two in x and y: its border is padded. */
    Input<Buffer<float, 4>> input{"input"};
    /** (channel, x, y). */
    Input<Buffer<float, 3>> depthwise_weights{"depthwise_weights"};
    /** (channel out, channel in). */
    Input<Buffer<float, 2>> pointwise_weights{"pointwise_weights"};
    Input<Buffer<float, 1>> bias{"bias"};
    Output<Buffer<float, 4>> output{"output"};

    void generate() {
        Expr total = 0.0f;
        for (int dy = 0; dy < 3; dy++) {
            for (int dx = 0; dx < 3; dx++) {
                total += depthwise_weights(c, dx, dy) * input(c, x + dx, y + dy, n);
            }
        }
        filtered(c, x, y, n) = total;

        channel = RDom(0, channels_in, "channel");
        mixed(co, x, y, n) = bias(co);
        mixed(co, x, y, n) += pointwise_weights(co, channel) * filtered(channel, x, y, n);
        output(co, x, y, n) = max(mixed(co, x, y, n), 0.0f);

        input.set_estimates({{0, channels_in}, {0, width + 2}, {0, height + 2}, {0, pictures}});
        depthwise_weights.set_estimates({{0, channels_in}, {0, 3}, {0, 3}});
        pointwise_weights.set_estimates({{0, channels_out}, {0, channels_in}});
        bias.set_estimates({{0, channels_out}});
        output.set_estimates({{0, channels_out}, {0, width}, {0, height}, {0, pictures}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        const int lanes = natural_vector_size<float>();
        // A tile's sums stay in registers: with AVX-512, 12 of 32. Three rows of a column, whose
        // windows share most of what they load; wider tiles load less, but keep it longer.
        const int tile_channels = lanes >= 16 ? 4 * lanes : 2 * lanes;
        const int tile_x = 1;
        const int tile_y = 3;

        Var xi("xi"), yi("yi"), ci("ci"), rows("rows");
        output.split(co, co, ci, tile_channels, TailStrategy::ShiftInwards)
            .split(x, x, xi, tile_x, TailStrategy::ShiftInwards)
            .split(y, y, yi, tile_y, TailStrategy::ShiftInwards)
            .reorder(ci, xi, yi, co, x, y, n)
            .vectorize(ci, lanes)
            .unroll(ci)
            .unroll(xi)
            .unroll(yi)
            .fuse(y, n, rows)
            .parallel(rows, 4);
        mixed.compute_at(output, co).vectorize(co, lanes).unroll(co).unroll(x).unroll(y);
        mixed.update()
            .reorder(co, x, y, channel, n)
            .vectorize(co, lanes)
            .unroll(co)
            .unroll(x)
            .unroll(y);

        // All channels of the tile's pixels; neighbouring windows share what they load.
        filtered.compute_at(output, x).reorder(x, y, c).vectorize(c, lanes).unroll(x).unroll(y);
    }

  private:
    Var c{"c"}, co{"co"}, x{"x"}, y{"y"}, n{"n"};
    Func filtered{"filtered"}, mixed{"mixed"};
    RDom channel;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(DepthwiseConv, depthwise_conv)
