// A convolution layer in 8-bit integers, of either sign: windows over all channels in 32-bit sums,
// a bias, and the result as 8-bit integers again, by a scale for each channel. B. Jacob et al.,
// "Quantization and training of neural networks for efficient integer-arithmetic-only inference",
// 2018; the weights are symmetric (their zero is 0), and the bias has the input's zero in it.
//
// The weights come as such layers keep them, with four numbers of a channel together: this is how
// processors with dot products of bytes want them.
//
// Yardstick: oneDNN 3.2 convolution, 6.71 ms beside this schedule's 7.02 ms, 95% of what dot
// products of bytes reach here; where both are signed 6.66 beside 16.8 ms: oneDNN makes its input
// unsigned and corrects the sums, which no schedule can. Both unsigned: ONNX Runtime, 21.0 beside
// 16.7 ms (AMD EPYC, Zen 5, 2 cores of a virtual machine, 2026-11-23; scripts/kernels).

#include "Halide.h"

namespace {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::RDom;
using Halide::RVar;
using Halide::saturating_cast;
using Halide::TailStrategy;
using Halide::Var;

/** Of the input and the weights. */
enum class Operands { UnsignedSigned, UnsignedUnsigned, SignedSigned };

class QuantizedConv : public Generator<QuantizedConv> {
  public:
    /** A multiple of four. */
    GeneratorParam<int> channels_in{"channels_in", 128, 4, 4096};
    GeneratorParam<int> channels_out{"channels_out", 128, 1, 4096};
    /** Pixels in x and y that a sum takes. */
    GeneratorParam<int> window{"window", 3, 1, 15};
    /** Of the output. */
    GeneratorParam<int> width{"width", 100};
    GeneratorParam<int> height{"height", 80};
    GeneratorParam<int> pictures{"pictures", 5};
    GeneratorParam<Operands> operands{"operands",
                                      Operands::UnsignedSigned,
                                      {{"unsigned_signed", Operands::UnsignedSigned},
                                       {"unsigned_unsigned", Operands::UnsignedUnsigned},
                                       {"signed_signed", Operands::SignedSigned}}};

    /** (channel, x, y, picture); larger than the output by the window less one, in x and y. */
    Input<Buffer<void, 4>> input{"input"};
    /** (channel in modulo 4, channel out, channel in / 4, x, y). */
    Input<Buffer<void, 5>> weights{"weights"};
    Input<Buffer<int32_t, 1>> bias{"bias"};
    Input<Buffer<float, 1>> scales{"scales"};
    Input<int32_t> output_zero{"output_zero", 3};
    Output<Buffer<void, 4>> output{"output"};

    void configure() {
        const bool signed_input = operands == Operands::SignedSigned;
        const bool unsigned_weights = operands == Operands::UnsignedUnsigned;
        input.set_type(signed_input ? Halide::Int(8) : Halide::UInt(8));
        weights.set_type(unsigned_weights ? Halide::UInt(8) : Halide::Int(8));
        output.set_type(signed_input ? Halide::Int(8) : Halide::UInt(8));
    }

    void generate() {
        tap = RDom(0, 4, 0, channels_in / 4, 0, window, 0, window, "tap");
        Expr value = input(4 * tap.y + tap.x, x + tap.z, y + tap.w, n);
        Expr weight = weights(tap.x, co, tap.y, tap.z, tap.w);
        sum(co, x, y, n) = bias(co);
        sum(co, x, y, n) += cast<int32_t>(value) * cast<int32_t>(weight);
        Expr rounded = cast<int32_t>(Halide::round(cast<float>(sum(co, x, y, n)) * scales(co)));
        output(co, x, y, n) = saturating_cast(output.type(), rounded + output_zero);

        const int border = window - 1;
        input.set_estimates(
            {{0, channels_in}, {0, width + border}, {0, height + border}, {0, pictures}});
        weights.set_estimates(
            {{0, 4}, {0, channels_out}, {0, channels_in / 4}, {0, window}, {0, window}});
        bias.set_estimates({{0, channels_out}});
        scales.set_estimates({{0, channels_out}});
        output_zero.set_estimate(3);
        output.set_estimates({{0, channels_out}, {0, width}, {0, height}, {0, pictures}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        // A tile's sums stay in registers: with AVX-512 24 of 32, each number that is loaded being
        // used 4 or 6 times; 12 of 16 without.
        const int lanes = natural_vector_size<int32_t>();
        const int tile_channels = lanes >= 16 ? 4 * lanes : 2 * lanes;
        const int tile_x = 6;
        const int strip_rows = 10;
        Var block("block"), tile("tile"), yi("yi"), strip("strip");
        output.split(co, block, co, tile_channels, TailStrategy::ShiftInwards)
            .split(x, tile, x, tile_x, TailStrategy::ShiftInwards)
            .split(y, y, yi, strip_rows, TailStrategy::GuardWithIf)
            .reorder(co, x, tile, yi, block, y, n)
            .vectorize(co)
            .unroll(x)
            .fuse(y, n, strip)
            .parallel(strip);
        sum.compute_at(output, tile).vectorize(co, lanes).unroll(co).unroll(x);
        // Processors multiply and add four bytes at once if the weights alone are signed, else two.
        RVar group("group"), next("next");
        sum.update()
            .split(tap.x, group, next, operands == Operands::UnsignedSigned ? 4 : 2)
            .reorder(next, co, x, group, tap.y, tap.z, tap.w)
            .atomic()
            .vectorize(next)
            .unroll(group)
            .vectorize(co, lanes)
            .unroll(co)
            .unroll(x);

        // The weights of a tile's channels without the gaps between them, packed once: they stay in
        // the second cache for a strip of rows.
        Func panel = weights.in();
        panel.compute_at(output, block)
            .vectorize(panel.args()[0])
            .vectorize(panel.args()[1], lanes)
            .unroll(panel.args()[1]);
    }

  private:
    Var co{"co"}, x{"x"}, y{"y"}, n{"n"};
    RDom tap;
    Func sum{"sum"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(QuantizedConv, quantized_conv)
