// A fully connected layer in 8-bit integers: the product of two matrices, whose numbers stand for
// scale * (number - zero), in 32-bit sums, then a bias, and the result as such numbers again.
// B. Jacob et al., "Quantization and training of neural networks for efficient integer-arithmetic-
// only inference", 2018.
//
// The weights come as such layers keep them, with four numbers of a column together: this is how
// processors with dot products of bytes want them.
//
// Yardstick: ONNX Runtime, 5.04 ms beside this schedule's 7.47 ms (Intel Sapphire Rapids, 2
// cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include "Halide.h"

namespace {

using Halide::cast;
using Halide::clamp;
using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::RDom;
using Halide::RVar;
using Halide::TailStrategy;
using Halide::Var;

/** Of the input and the weights. */
enum class Factors { UnsignedSigned, UnsignedUnsigned, SignedSigned };

class QuantizedMatmul : public Generator<QuantizedMatmul> {
  public:
    GeneratorParam<int> rows{"rows", 2048, 1, 65536};
    GeneratorParam<int> columns{"columns", 1024, 1, 65536};
    /** Length of the sums: a multiple of four. */
    GeneratorParam<int> depth{"depth", 1024, 4, 65536};

    GeneratorParam<Factors> operands{"operands",
                                     Factors::UnsignedSigned,
                                     {{"unsigned_signed", Factors::UnsignedSigned},
                                      {"unsigned_unsigned", Factors::UnsignedUnsigned},
                                      {"signed_signed", Factors::SignedSigned}}};

    /** (position in the sum, row). */
    Input<Buffer<void, 2>> input{"input"};
    /** (position in the sum modulo 4, column, position in the sum / 4). */
    Input<Buffer<void, 3>> weights{"weights"};
    Input<Buffer<int32_t, 1>> bias{"bias"};
    Input<Buffer<float, 1>> weight_scales{"weight_scales"};
    Input<int8_t> weight_zero{"weight_zero", 3};
    Input<float> input_scale{"input_scale", 0.02f};
    Input<uint8_t> input_zero{"input_zero", 120};
    Input<float> output_scale{"output_scale", 10.0f};
    Input<uint8_t> output_zero{"output_zero", 100};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void configure() {
        const bool signed_input = operands == Factors::SignedSigned;
        const bool unsigned_weights = operands == Factors::UnsignedUnsigned;
        input.set_type(signed_input ? Halide::Int(8) : Halide::UInt(8));
        weights.set_type(unsigned_weights ? Halide::UInt(8) : Halide::Int(8));
    }

    void generate() {
        // The zeros come out of the sum of products: what is left in it are bytes.
        four = RDom(0, 4, 0, depth / 4, "four");
        Expr value = input(4 * four.y + four.x, i);
        Expr weight = weights(four.x, j, four.y);
        products(j, i) += cast<int32_t>(value) * cast<int32_t>(weight);
        row_sum(i) += cast<int32_t>(value);
        column_sum(j) += cast<int32_t>(weight);

        Expr x_zero = cast<int32_t>(input_zero);
        Expr w_zero = cast<int32_t>(weight_zero);
        offset(j) = bias(j) + x_zero * (depth * w_zero - column_sum(j));
        factor(j) = input_scale * weight_scales(j) / output_scale;
        Expr total = products(j, i) + offset(j) - w_zero * row_sum(i);
        Expr rounded = cast<int32_t>(Halide::round(cast<float>(total) * factor(j)));
        output(j, i) = cast<uint8_t>(clamp(rounded + cast<int32_t>(output_zero), 0, 255));

        input.set_estimates({{0, depth}, {0, rows}});
        weights.set_estimates({{0, 4}, {0, columns}, {0, depth / 4}});
        bias.set_estimates({{0, columns}});
        weight_scales.set_estimates({{0, columns}});
        weight_zero.set_estimate(3);
        input_scale.set_estimate(0.02f);
        input_zero.set_estimate(120);
        output_scale.set_estimate(10.0f);
        output_zero.set_estimate(100);
        output.set_estimates({{0, columns}, {0, rows}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        const int lanes = natural_vector_size<int32_t>();
        // A tile's sums stay in registers: 24 of 32 of them with AVX-512, 12 of 16 without.
        const int tile_columns = 2 * lanes;
        const int tile_rows = lanes >= 16 ? 12 : 6;

        Var ji("ji"), ii("ii"), panels("panels");
        output.split(j, j, ji, tile_columns, TailStrategy::ShiftInwards)
            .split(i, i, ii, tile_rows, TailStrategy::ShiftInwards)
            .split(j, panels, j, 2, TailStrategy::GuardWithIf)
            .reorder(ji, ii, j, i, panels)
            .vectorize(ji)
            .unroll(ii)
            .parallel(panels);

        // Vectors of columns, and in each lane a dot product of four bytes.
        products.compute_at(output, j).vectorize(j, lanes).unroll(j).unroll(i);
        products.update()
            .reorder(four.x, j, i, four.y)
            .atomic()
            .vectorize(four.x)
            .vectorize(j, lanes)
            .unroll(j)
            .unroll(i);

        // The columns of two tiles without the gaps between them, packed once: they stay in the
        // second cache while all rows of the input come by.
        Func panel = weights.in(products);
        panel.compute_at(output, panels)
            .vectorize(panel.args()[0])
            .vectorize(panel.args()[1], lanes)
            .unroll(panel.args()[1]);

        column_sum.compute_root().vectorize(j, lanes, TailStrategy::GuardWithIf);
        column_sum.update()
            .reorder(four.x, j, four.y)
            .atomic()
            .vectorize(four.x)
            .vectorize(j, lanes, TailStrategy::GuardWithIf);
        for (Func f : {offset, factor}) {
            f.compute_root().vectorize(j, lanes, TailStrategy::GuardWithIf);
        }
        RVar outer("outer"), inner("inner");
        row_sum.compute_root()
            .update()
            .split(four.y, outer, inner, lanes)
            .fuse(four.x, inner, inner)
            .atomic()
            .vectorize(inner)
            .parallel(i, 64, TailStrategy::GuardWithIf);
    }

  private:
    Var i{"i"}, j{"j"};
    RDom four;
    Func products{"products"}, row_sum{"row_sum"}, column_sum{"column_sum"};
    Func offset{"offset"}, factor{"factor"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(QuantizedMatmul, quantized_matmul)
