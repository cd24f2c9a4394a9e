// A convolution layer of a neural network: 3x3 windows over all channels, a bias, and a rectifier.
// The channel is the innermost dimension: (channel, x, y, picture).

#include "Halide.h"

namespace {

using Halide::Func;
using Halide::Generator;
using Halide::max;
using Halide::RDom;
using Halide::Var;

class ConvLayer : public Generator<ConvLayer> {
  public:
    GeneratorParam<int> channels_in{"channels_in", 64, 1, 4096};
    GeneratorParam<int> channels_out{"channels_out", 64, 1, 4096};
    /** Odd. */
    GeneratorParam<int> window{"window", 3, 1, 15};

    /** Larger than the output by the window less one, in x and y. */
    Input<Buffer<float, 4>> input{"input"};
    /** (channel out, x, y, channel in). */
    Input<Buffer<float, 4>> weights{"weights"};
    Input<Buffer<float, 1>> bias{"bias"};
    Output<Buffer<float, 4>> output{"output"};

    void generate() {
        RDom tap(0, channels_in, 0, window, 0, window, "tap");
        Func sum("sum");
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

  private:
    static constexpr int width = 120;
    static constexpr int height = 100;
    static constexpr int pictures = 4;

    Var co{"co"}, x{"x"}, y{"y"}, n{"n"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(ConvLayer, conv_layer)
