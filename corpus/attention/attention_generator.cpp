// Attention of a transformer, all heads of one sequence: each position's query against the keys of
// all positions, the softmax of that, and the mean of the values with these weights. A. Vaswani et
// al., "Attention is all you need", 2017, section 3.2.1.
//
// Yardstick: ONNX Runtime, 1.50 ms beside this schedule's 1.56 ms (AMD EPYC, Zen 5, 2 cores of a
// virtual machine, 2026-11-23; scripts/kernels).

#include "Halide.h"

#include <algorithm>
#include <cmath>

namespace {

using Halide::exp;
using Halide::Func;
using Halide::Generator;
using Halide::max;
using Halide::RDom;
using Halide::RVar;
using Halide::TailStrategy;
using Halide::Var;

class Attention : public Generator<Attention> {
  public:
    /** How many numbers a query, a key and a value have. */
    GeneratorParam<int> depth{"depth", 64, 1, 1024};
    GeneratorParam<int> positions{"positions", 512, 1, 65536};
    GeneratorParam<int> heads{"heads", 8, 1, 1024};

    /** (which number, position, head), all of them. */
    Input<Buffer<float, 3>> query{"query"};
    Input<Buffer<float, 3>> key{"key"};
    Input<Buffer<float, 3>> value{"value"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        number = RDom(0, depth, "number");
        position = RDom(0, positions, "position");
        const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(depth)));

        // 1. How well each query i meets each key j.
        product(j, i, h) = 0.0f;
        product(j, i, h) += query(number, i, h) * key(number, j, h);
        score(j, i, h) = product(j, i, h) * scale;

        // 2. The softmax of a query's scores.
        largest(i, h) = score.type().min();
        largest(i, h) = max(largest(i, h), score(position, i, h));
        exponential(j, i, h) = exp(score(j, i, h) - largest(i, h));
        total(i, h) = 0.0f;
        total(i, h) += exponential(position, i, h);
        weight(j, i, h) = exponential(j, i, h) / total(i, h);

        // 3. The values, weighted.
        mean(d, i, h) = 0.0f;
        mean(d, i, h) += weight(position, i, h) * value(d, position, h);
        output(d, i, h) = mean(d, i, h);

        for (auto* input : {&query, &key, &value}) {
            input->set_estimates({{0, depth}, {0, positions}, {0, heads}});
        }
        output.set_estimates({{0, depth}, {0, positions}, {0, heads}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        // A block of queries at a time, whose scores stay in the second cache. Both products have
        // their sums in registers: with AVX-512 16 of 32, 12 of 16 without.
        const int lanes = natural_vector_size<float>();
        const int rows = lanes >= 16 ? 4 : 3;
        const int columns = lanes * std::clamp(depth / lanes, 1, 4);
        Var block("block"), blocks("blocks"), tile("tile"), ji("ji"), ii("ii");
        output.split(i, block, i, 4 * rows, TailStrategy::ShiftInwards)
            .split(i, tile, i, rows)
            .split(d, d, di, columns, TailStrategy::ShiftInwards)
            .reorder(di, i, d, tile, block, h)
            .vectorize(di, lanes)
            .unroll(di)
            .unroll(i)
            .fuse(block, h, blocks)
            .parallel(blocks);
        mean.compute_at(output, d).vectorize(d, lanes).unroll(d).unroll(i);
        mean.update().reorder(d, i, position, h).vectorize(d, lanes).unroll(d).unroll(i);

        score.compute_at(output, blocks)
            .split(j, j, ji, 2 * lanes, TailStrategy::ShiftInwards)
            .split(i, i, ii, 2 * rows)
            .reorder(ji, ii, i, j, h)
            .vectorize(ji, lanes)
            .unroll(ji)
            .unroll(ii);
        product.compute_at(score, i).vectorize(j, lanes).unroll(j).unroll(i);
        product.update().reorder(j, i, number, h).vectorize(j, lanes).unroll(j).unroll(i);
        // The keys are read along the positions: turned once.
        Func keys = key.in();
        Var along = keys.args()[0], which = keys.args()[1];
        keys.compute_root()
            .reorder_storage(which, along, keys.args()[2])
            .reorder(which, along, keys.args()[2])
            .vectorize(which, lanes, TailStrategy::GuardWithIf)
            .parallel(keys.args()[2]);

        for (Func f : {exponential, weight}) {
            f.compute_at(output, blocks).vectorize(j, lanes, TailStrategy::ShiftInwards);
        }
        for (Func f : {largest, total}) {
            RVar some("some"), next("next");
            Var lane("lane");
            f.compute_at(output, blocks).update().split(position, some, next, 2 * lanes);
            Func vectors = f.update().rfactor(next, lane);
            vectors.compute_at(f, i).vectorize(lane);
            vectors.update().reorder(lane, some).vectorize(lane);
            f.update().reorder(next, i).atomic().vectorize(next);
        }
    }

  private:
    Var d{"d"}, di{"di"}, i{"i"}, j{"j"}, h{"h"};
    RDom number, position;
    Func product{"product"}, score{"score"}, largest{"largest"}, exponential{"exponential"};
    Func total{"total"}, weight{"weight"}, mean{"mean"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Attention, attention)
