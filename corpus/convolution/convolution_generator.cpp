// A convolution layer over batches of pictures, with strides and windows of one pixel, too: windows
// over all channels, a bias, and a rectifier. The channel is the innermost dimension: (channel, x,
// y, picture).
//
// Yardstick: oneDNN 3.2 convolution, 26.6 ms beside this schedule's 27.9 ms, 88% of what
// multiplications and additions reach here (AMD EPYC, Zen 5, 2 cores of a virtual machine,
// 2026-11-23; scripts/kernels, which has strides and 1 x 1, too: docs/kernels.md).

#include "Halide.h"

namespace {

using Halide::Func;
using Halide::Generator;
using Halide::max;
using Halide::RDom;
using Halide::TailStrategy;
using Halide::Var;

class Convolution : public Generator<Convolution> {
  public:
    GeneratorParam<int> channels_in{"channels_in", 128, 1, 4096};
    GeneratorParam<int> channels_out{"channels_out", 128, 1, 4096};
    /** Pixels in x and y that a sum takes. */
    GeneratorParam<int> window{"window", 3, 1, 15};
    /** From one window to the next, in x and y. */
    GeneratorParam<int> stride{"stride", 1, 1, 4};
    /** Of the output. */
    GeneratorParam<int> width{"width", 100};
    GeneratorParam<int> height{"height", 80};
    GeneratorParam<int> pictures{"pictures", 5};

    /** As large as the windows reach: stride * (width - 1) + window, in y alike. */
    Input<Buffer<float, 4>> input{"input"};
    /** (channel out, x, y, channel in). */
    Input<Buffer<float, 4>> weights{"weights"};
    Input<Buffer<float, 1>> bias{"bias"};
    Output<Buffer<float, 4>> output{"output"};

    void generate() {
        tap = RDom(0, window, 0, window, 0, channels_in, "tap");
        sum(co, x, y, n) = bias(co);
        sum(co, x, y, n) += weights(co, tap.x, tap.y, tap.z) *
                            input(tap.z, stride * x + tap.x, stride * y + tap.y, n);
        output(co, x, y, n) = max(sum(co, x, y, n), 0.0f);

        const int input_width = stride * (width - 1) + window;
        const int input_height = stride * (height - 1) + window;
        input.set_estimates({{0, channels_in}, {0, input_width}, {0, input_height}, {0, pictures}});
        weights.set_estimates({{0, channels_out}, {0, window}, {0, window}, {0, channels_in}});
        bias.set_estimates({{0, channels_out}});
        output.set_estimates({{0, channels_out}, {0, width}, {0, height}, {0, pictures}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        // A tile's sums stay in registers: with AVX-512 20 of 32, and each vector of weights is
        // used for 10 pixels; 12 of 16 without.
        const int lanes = natural_vector_size<float>();
        const int tile_channels = 2 * lanes;
        const int tile_x = lanes >= 16 ? 10 : 6;
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
            .reorder(co, x, tap.x, tap.z, tap.y)
            .vectorize(co, lanes)
            .unroll(co)
            .unroll(x)
            .unroll(tap.x);

        // The weights of a tile's channels in the order in which they are used, packed once: they
        // stay in the second cache for a strip of rows.
        Func panel = weights.in();
        const std::vector<Var> order{panel.args()[0], panel.args()[1], panel.args()[3],
                                     panel.args()[2]};
        panel.compute_at(output, block)
            .reorder_storage(order)
            .vectorize(order[0], lanes)
            .unroll(order[0]);
    }

  private:
    Var co{"co"}, x{"x"}, y{"y"}, n{"n"};
    RDom tap;
    Func sum{"sum"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Convolution, convolution)
