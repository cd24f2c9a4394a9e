// A chain of 32 small stencils: as many steps of diffusion on a 10-bit grey picture, each a
// weighted mean of 21 pixels in 16-bit integers. Only the input has an edge that is repeated; each
// step reaches two pixels further beyond it.
//
// Yardstick: OpenCV filter2D, 32 times, 847 ms beside this schedule's 35.7 ms (Intel Sapphire
// Rapids, 2 cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include <string>
#include <vector>

#include "Halide.h"

namespace {

using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::min;
using Halide::TailStrategy;
using Halide::Var;
using Halide::BoundaryConditions::repeat_edge;

class StencilChain : public Generator<StencilChain> {
  public:
    GeneratorParam<int> width{"width", 2560};
    GeneratorParam<int> height{"height", 1536};
    GeneratorParam<int> steps{"steps", 32, 1, 256};

    /** 10-bit numbers are what 64 of still fit in 16 bits: any larger one is taken for 1023. */
    Input<Buffer<uint16_t, 2>> input{"input"};
    Output<Buffer<uint16_t, 2>> output{"output"};

    void generate() {
        Func clamped = repeat_edge(input);
        limited(x, y) = min(clamped(x, y), 1023);
        Func last = limited;
        for (int i = 1; i <= steps; i++) {
            stages.push_back(diffused(last, i == steps ? "last" : "step_" + std::to_string(i)));
            last = stages.back();
        }
        output(x, y) = last(x, y);

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        // Every second step as a whole, in strips of rows down which the step before it slides,
        // four rows at a time, which share what they load. Longer chains would write less to
        // memory, but each step more is computed again at both ends of a strip, and competes for
        // the cache. Strips are shifted inwards at the bottom and not cut off: with a condition in
        // the loop, steps would not slide, but be computed again with all that they need.
        const int lanes = natural_vector_size<uint16_t>();
        const int group = 2;
        const int strip_rows = 48;
        Var xi("xi"), yi("yi"), four("four");
        Func end;
        for (int i = steps - 1; i >= 0; i--) {
            if ((steps - 1 - i) % group == 0) {
                end = i == steps - 1 ? Func(output) : stages[i];
                end.compute_root()
                    .split(y, y, yi, strip_rows, TailStrategy::ShiftInwards)
                    .split(yi, yi, four, 4)
                    .split(x, x, xi, lanes)
                    .reorder(xi, four, x, yi, y)
                    .vectorize(xi)
                    .unroll(four)
                    .parallel(y)
                    .never_partition(y, yi);
            } else {
                stages[i].store_at(end, y).compute_at(end, yi).vectorize(x, lanes).never_partition(
                    y);
            }
        }
        limited.store_at(end, y).compute_at(end, yi).vectorize(x, lanes);
    }

  private:
    /** A mean of 21 pixels with weights by their distance; they sum to 64. */
    Func diffused(const Func& f, const std::string& name) {
        Expr sum = 8 * f(x, y) + rounding;
        for (auto [weight, squared_distance] : {std::pair{6, 1}, {4, 2}, {2, 4}, {1, 5}}) {
            sum += weight * ring(f, squared_distance);
        }
        Func result(name);
        result(x, y) = sum >> 6;
        return result;
    }

    /** The sum of all pixels at this distance. */
    Expr ring(const Func& f, int squared_distance) {
        Expr sum;
        for (int dy = -2; dy <= 2; dy++) {
            for (int dx = -2; dx <= 2; dx++) {
                if (dx * dx + dy * dy == squared_distance) {
                    Expr pixel = f(x + dx, y + dy);
                    sum = sum.defined() ? sum + pixel : pixel;
                }
            }
        }
        return sum;
    }

    static constexpr int rounding = 32;

    Var x{"x"}, y{"y"};
    Func limited{"limited"};
    std::vector<Func> stages;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(StencilChain, stencil_chain)
