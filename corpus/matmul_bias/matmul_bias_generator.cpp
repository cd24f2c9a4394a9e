// The product of two matrices, plus a bias for each column: what a fully connected layer computes.
//
// Yardstick: NumPy's matmul, 22.4 ms beside this schedule's 13 ms (Intel Sapphire Rapids, 2
// cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include "Halide.h"

namespace {

using Halide::Func;
using Halide::Generator;
using Halide::RDom;
using Halide::TailStrategy;
using Halide::Var;

class MatmulBias : public Generator<MatmulBias> {
  public:
    GeneratorParam<int> rows{"rows", 1024, 1, 65536};
    GeneratorParam<int> columns{"columns", 1024, 1, 65536};
    /** Length of the sums: columns of the left matrix, rows of the right one. */
    GeneratorParam<int> depth{"depth", 1024, 1, 65536};

    /** (column, row), as the others: the column is innermost. */
    Input<Buffer<float, 2>> left{"left"};
    Input<Buffer<float, 2>> right{"right"};
    Input<Buffer<float, 1>> bias{"bias"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        k = RDom(0, depth, "k");
        product(j, i) = 0.0f;
        product(j, i) += left(k, i) * right(j, k);
        output(j, i) = product(j, i) + bias(j);

        left.set_estimates({{0, depth}, {0, rows}});
        right.set_estimates({{0, columns}, {0, depth}});
        bias.set_estimates({{0, columns}});
        output.set_estimates({{0, columns}, {0, rows}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        const int lanes = natural_vector_size<float>();
        // A tile's sums stay in registers over the whole depth: 24 of 32 of them with AVX-512, 12
        // of 16 without.
        const int tile_columns = 2 * lanes;
        const int tile_rows = lanes >= 16 ? 12 : 6;

        Var ji("ji"), ii("ii");
        output.split(j, j, ji, tile_columns, TailStrategy::ShiftInwards)
            .split(i, i, ii, tile_rows, TailStrategy::ShiftInwards)
            .reorder(ji, ii, i, j)
            .vectorize(ji, lanes)
            .unroll(ji)
            .unroll(ii)
            .parallel(j);

        product.compute_at(output, i).vectorize(j, lanes).unroll(j).unroll(i);
        product.update().reorder(j, i, k).vectorize(j, lanes).unroll(j).unroll(i);

        // The columns of a tile one row after the other, without the gaps between them: packed
        // once, they stay in the second cache while all rows of the left matrix come by.
        Func panel = right.in();
        panel.compute_at(output, j).vectorize(panel.args()[0], lanes).unroll(panel.args()[0]);
    }

  private:
    Var i{"i"}, j{"j"};
    Func product{"product"};
    RDom k;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(MatmulBias, matmul_bias)
