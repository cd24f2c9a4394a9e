// Products of matrices, plus a bias for each column, in the shapes that libraries have a kernel
// each for: skinny, wide, many small ones, transposed, in double precision.
//
// Yardstick: NumPy's matmul (OpenBLAS), 0.49 ms beside this schedule's 0.18 ms; for 1024 x 1024 x
// 1024 9.9 ms beside 5.0 ms, 90% of what multiplications and additions reach here (AMD EPYC, Zen 5,
// 2 cores of a virtual machine, 2026-11-23; scripts/kernels, which has more cases:
// docs/kernels.md). OpenBLAS has 32-byte vectors for this processor; told to use 64 bytes
// (OPENBLAS_CORETYPE=SkylakeX), it takes 0.34 and 5.4 ms.

#include "Halide.h"

namespace {

using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::RDom;
using Halide::TailStrategy;
using Halide::Type;
using Halide::Var;

class Matmul : public Generator<Matmul> {
  public:
    /** Rows and columns of the product, and the length of its sums. */
    GeneratorParam<int> m{"m", 1000, 1, 65536};
    GeneratorParam<int> n{"n", 1001, 1, 65536};
    GeneratorParam<int> k{"k", 37, 1, 65536};
    /** How many products. */
    GeneratorParam<int> batch{"batch", 1, 1, 65536};
    GeneratorParam<bool> transpose_a{"transpose_a", false};
    GeneratorParam<bool> transpose_b{"transpose_b", false};
    /** Of all numbers: float32 or float64. */
    GeneratorParam<Type> type{"type", Halide::Float(32)};

    /** (column, row, which), as the others: the column is innermost. */
    Input<Buffer<void, 3>> a{"a"};
    Input<Buffer<void, 3>> b{"b"};
    Input<Buffer<void, 1>> bias{"bias"};
    Output<Buffer<void, 3>> c{"c"};

    void configure() {
        a.set_type(type);
        b.set_type(type);
        bias.set_type(type);
        c.set_type(type);
    }

    void generate() {
        step = RDom(0, k, "step");
        Expr left = transpose_a ? a(i, step, p) : a(step, i, p);
        Expr right = transpose_b ? b(step, j, p) : b(j, step, p);
        product(j, i, p) = Halide::cast(type, 0);
        product(j, i, p) += left * right;
        c(j, i, p) = product(j, i, p) + bias(j);

        set_matrix_estimates(a, k, m, batch, transpose_a);
        set_matrix_estimates(b, n, k, batch, transpose_b);
        set_matrix_estimates(c, n, m, batch, false);
        bias.set_estimates({{0, n}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        if (m <= 64 && !transpose_b) {
            schedule_few_rows();
        } else {
            schedule_many_rows();
        }
    }

  private:
    /** The right matrix comes by once, in long runs of its rows, and nothing of it is kept: what
     * stays in the second cache are all sums of a block of columns. */
    void schedule_few_rows() {
        const int lanes = natural_vector_size(type);
        const int columns = 16 * lanes;
        Var ji("ji"), ii("ii"), block("block"), panels("panels");
        RVar chunk("chunk"), next("next");
        c.split(j, block, j, columns, TailStrategy::GuardWithIf)
            .reorder(j, i, block, p)
            .vectorize(j, lanes)
            .fuse(block, p, panels)
            .parallel(panels);
        product.compute_at(c, panels).vectorize(j, lanes, TailStrategy::GuardWithIf);
        // A sum is loaded and stored once for so many steps, whose vectors of the right matrix stay
        // in registers for several rows.
        product.update()
            .split(step, chunk, next, 16)
            .split(j, j, ji, lanes, TailStrategy::GuardWithIf)
            .split(i, i, ii, 8, TailStrategy::GuardWithIf)
            .reorder(ji, next, ii, i, j, chunk, p)
            .vectorize(ji)
            .unroll(next)
            .unroll(ii);
        // The left matrix' numbers for these steps, without the gaps between its rows.
        a.in().compute_at(product, chunk);
    }

    void schedule_many_rows() {
        const int lanes = natural_vector_size(type);
        // A tile's sums stay in registers over the whole depth: at most 24 of 32 of them with
        // AVX-512, 12 of 16 without.
        const int tile_columns = 2 * lanes;
        const int most_rows = natural_vector_size<float>() >= 16 ? 12 : 6;
        const int tiles = (m + most_rows - 1) / most_rows;
        const int tile_rows = (m + tiles - 1) / tiles;

        Var ji("ji"), ii("ii"), panels("panels");
        c.split(j, j, ji, tile_columns, TailStrategy::ShiftInwards)
            .split(i, i, ii, tile_rows, TailStrategy::ShiftInwards)
            .reorder(ji, ii, i, j, p)
            .vectorize(ji, lanes)
            .unroll(ji)
            .unroll(ii)
            .fuse(j, p, panels)
            .parallel(panels);
        product.compute_at(c, i).vectorize(j, lanes).unroll(j).unroll(i);
        product.update().reorder(j, i, step, p).vectorize(j, lanes).unroll(j).unroll(i);

        // The columns of a tile one row after the other, without the gaps between them: packed
        // once, they stay in the second cache while all rows of the left matrix come by.
        Func panel = b.in();
        panel.compute_at(c, panels);
        if (transpose_b) {
            Var along = panel.args()[0], column = panel.args()[1];
            panel.reorder_storage(column, along, panel.args()[2])
                .reorder(column, along)
                .vectorize(column, lanes)
                .unroll(column);
        } else {
            panel.vectorize(panel.args()[0], lanes).unroll(panel.args()[0]);
        }
        // The left matrix is read along its rows: turned once, not in each tile.
        if (transpose_a) {
            Func rows = a.in();
            Var along = rows.args()[1], row = rows.args()[0], which = rows.args()[2];
            Var blocks("blocks"), next("next");
            rows.compute_root()
                .reorder_storage(along, row, which)
                .split(row, blocks, next, 8)
                .reorder(next, along, blocks, which)
                .vectorize(next)
                .unroll(along, 4)
                .parallel(which)
                .parallel(blocks);
        }
    }

    template <typename Matrix>
    static void set_matrix_estimates(Matrix& matrix, int columns, int rows, int count,
                                     bool transposed) {
        matrix.set_estimates(
            {{0, transposed ? rows : columns}, {0, transposed ? columns : rows}, {0, count}});
    }

    Var i{"i"}, j{"j"}, p{"p"};
    Func product{"product"};
    RDom step;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Matmul, matmul)
