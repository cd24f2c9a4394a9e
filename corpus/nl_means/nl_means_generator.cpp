// Non-local means: removes noise by averaging the pixels of a neighbourhood, each weighted by how
// much the patch around it looks like the patch around the pixel in question. A. Buades, B. Coll
// and J.-M. Morel, "A non-local algorithm for image denoising", 2005. For each offset the squared
// differences are summed over patches as a separable box filter, so that neighbours share them.
//
// Yardstick: OpenCV fastNlMeansDenoising, 449 ms beside this schedule's 61.4 ms (Intel Sapphire
// Rapids, 2 cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include "Halide.h"

namespace {

using Halide::_0;
using Halide::Expr;
using Halide::fast_exp;
using Halide::Func;
using Halide::Generator;
using Halide::RDom;
using Halide::select;
using Halide::TailStrategy;
using Halide::Var;
using Halide::BoundaryConditions::repeat_edge;

class NlMeans : public Generator<NlMeans> {
  public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 1024};
    /** Sides of the patches and of the neighbourhood, odd. */
    GeneratorParam<int> patch{"patch", 7, 1, 31};
    GeneratorParam<int> search{"search", 7, 1, 31};

    Input<Buffer<float, 3>> input{"input"};
    /** The noise's standard deviation, about. */
    Input<float> sigma{"sigma", 0.1f, 0.001f, 1.0f};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        clamped = repeat_edge(input);

        // 1. The squared difference to the pixel at the offset (dx, dy), over all colours.
        Expr squares = 0.0f;
        for (int channel = 0; channel < 3; channel++) {
            Expr difference = clamped(x, y, channel) - clamped(x + dx, y + dy, channel);
            squares += difference * difference;
        }
        distance(x, y, dx, dy) = squares;

        // 2. Summed over the patch.
        distance_y(x, y, dx, dy) = patch_sum([&](int i) { return distance(x, y + i, dx, dy); });
        distance_x(x, y, dx, dy) = patch_sum([&](int i) { return distance_y(x + i, y, dx, dy); });

        // 3. The weight of that pixel.
        const float terms = static_cast<float>(3 * patch * patch);
        weight(x, y, dx, dy) =
            fast_exp(distance_x(x, y, dx, dy) * (-1.0f / (sigma * sigma * terms)));

        // 4. Weighted colours (c = 0, 1, 2) and the sum of the weights (c = 3).
        RDom offset(-(search / 2), search, -(search / 2), search, "offset");
        Expr color = clamped(x + offset.x, y + offset.y, Halide::min(c, 2));
        total(x, y, c) = 0.0f;
        total(x, y, c) += weight(x, y, offset.x, offset.y) * select(c == 3, 1.0f, color);
        output(x, y, c) = total(x, y, c) / total(x, y, 3);

        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        sigma.set_estimate(0.1f);
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
        offsets = offset;
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        // Tiles in parallel, whose pixels are copied out of the input first, so that nothing else
        // knows of the edge. For each row of offsets the distances slide down the tile, two rows at
        // a time, which share the rows that they sum; its offsets go into sums that stay in
        // registers.
        const int lanes = natural_vector_size<float>();
        Var tx("tx"), ty("ty"), xi("xi"), yi("yi"), yo("yo");
        output.bound(c, 0, 3)
            .tile(x, y, tx, ty, xi, yi, 64, 32)
            .reorder(c, xi, yi, tx, ty)
            .parallel(ty)
            .unroll(c)
            .vectorize(xi, lanes);
        clamped.compute_at(output, tx).vectorize(_0, lanes);
        total.compute_at(output, tx).bound(c, 0, 4).vectorize(x, lanes);
        total.update()
            .split(y, yo, yi, 2, TailStrategy::RoundUp)
            .reorder(c, offsets.x, x, yi, yo, offsets.y)
            .unroll(c)
            .unroll(offsets.x)
            .vectorize(x, lanes, TailStrategy::RoundUp);
        distance_y.compute_at(total, yo).reorder(y, x, dx).vectorize(x, lanes).unroll(y);
        distance.store_at(total, offsets.y).compute_at(total, yo).vectorize(x, lanes);
    }

  private:
    template <typename Term>
    Expr patch_sum(const Term& term) const {
        const int half = patch / 2;
        Expr sum = 0.0f;
        for (int i = -half; i <= half; i++) {
            sum += term(i);
        }
        return sum;
    }

    Var x{"x"}, y{"y"}, c{"c"}, dx{"dx"}, dy{"dy"};
    Func distance{"distance"}, distance_y{"distance_y"}, distance_x{"distance_x"};
    Func clamped, weight{"weight"}, total{"total"};
    RDom offsets;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(NlMeans, nl_means)
