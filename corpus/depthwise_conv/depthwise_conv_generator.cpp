// A separable convolution layer of a neural network: a 3x3 window for each channel by itself, then
// all channels of a pixel together, a bias, and a rectifier. The channel is the innermost
// dimension: (channel, x, y, picture). A. Howard et al., "MobileNets: efficient convolutional
// neural networks for mobile vision applications", 2017.

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
        // A tile's sums stay in registers: with AVX-512, 24 of 32.
        const int tile_channels = lanes >= 16 ? 4 * lanes : 2 * lanes;
        const int tile_x = 6;

        Var xi("xi"), ci("ci"), row("row");
        output.split(co, co, ci, tile_channels, TailStrategy::ShiftInwards)
            .split(x, x, xi, tile_x, TailStrategy::ShiftInwards)
            .reorder(ci, xi, co, x, y, n)
            .vectorize(ci, lanes)
            .unroll(ci)
            .unroll(xi)
            .fuse(y, n, row)
            .parallel(row, 4);
        mixed.compute_at(output, co).vectorize(co, lanes).unroll(co).unroll(x);
        mixed.update().reorder(co, x, channel, y, n).vectorize(co, lanes).unroll(co).unroll(x);

        // All channels of the tile's pixels; neighbouring windows share what they load.
        filtered.compute_at(output, x).reorder(x, c).vectorize(c, lanes).unroll(x);
    }

  private:
    Var c{"c"}, co{"co"}, x{"x"}, y{"y"}, n{"n"};
    Func filtered{"filtered"}, mixed{"mixed"};
    RDom channel;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(DepthwiseConv, depthwise_conv)
