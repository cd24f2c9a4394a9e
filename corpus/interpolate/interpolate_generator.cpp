// Fills the holes of a picture from what is around them, near and far: on a pyramid of ever
// smaller pictures, each the weighted mean of what is known in the one before. S. Gortler,
// R. Grzeszczuk, R. Szeliski and M. Cohen, "The lumigraph", 1996 (pull and push).
//
// The fourth channel says how much of a pixel is known, from 0 to 1.
//
// Yardstick: OpenCV's pyrDown and pyrUp, 272 ms beside this schedule's 16.9 ms (Intel Sapphire
// Rapids, 2 cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include <string>
#include <vector>

#include "Halide.h"

namespace {

using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::select;
using Halide::TailStrategy;
using Halide::Var;
using Halide::BoundaryConditions::repeat_edge;

class Interpolate : public Generator<Interpolate> {
  public:
    GeneratorParam<int> width{"width", 2560};
    GeneratorParam<int> height{"height", 1536};
    GeneratorParam<int> levels{"levels", 8, 2, 12};

    Input<Buffer<float, 3>> input{"input"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Func clamped = repeat_edge(input);

        // 1. Colours weighted by how much is known of them, at each size.
        pull.resize(levels);
        blurred.resize(levels);
        pull[0] = Func("pull_0");
        pull[0](x, y, c) = clamped(x, y, 3) * select(c < 3, clamped(x, y, c), 1.0f);
        for (int i = 1; i < levels; i++) {
            blurred[i] = Func("blurred_" + std::to_string(i));
            pull[i] = Func("pull_" + std::to_string(i));
            blurred[i](x, y, c) =
                weighted_mean(pull[i - 1](x, 2 * y - 1, c), pull[i - 1](x, 2 * y, c),
                              pull[i - 1](x, 2 * y + 1, c));
            pull[i](x, y, c) = weighted_mean(blurred[i](2 * x - 1, y, c), blurred[i](2 * x, y, c),
                                             blurred[i](2 * x + 1, y, c));
        }

        // 2. From the smallest on, what is not known comes from the next smaller picture.
        push.resize(levels);
        widened.resize(levels);
        push[levels - 1] = pull[levels - 1];
        for (int i = levels - 2; i >= 0; i--) {
            widened[i] = Func("widened_" + std::to_string(i));
            push[i] = Func("push_" + std::to_string(i));
            widened[i](x, y, c) = (push[i + 1](x / 2, y, c) + push[i + 1]((x + 1) / 2, y, c)) / 2;
            Expr coarse = (widened[i](x, y / 2, c) + widened[i](x, (y + 1) / 2, c)) / 2;
            push[i](x, y, c) = pull[i](x, y, c) + (1.0f - pull[i](x, y, 3)) * coarse;
        }

        // 3. Colours that are not weighted.
        output(x, y, c) = push[0](x, y, c) / push[0](x, y, 3);

        input.set_estimates({{0, width}, {0, height}, {0, 4}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        const int lanes = natural_vector_size<float>();
        Var yo("yo"), half("half");

        for (int i = 1; i < levels; i++) {
            pull[i]
                .compute_root()
                .split(y, yo, y, i < 4 ? 8 : 2)
                .reorder(x, c, y, yo)
                .vectorize(x, lanes)
                .never_partition(c, y, yo)
                .parallel(yo);
            blurred[i]
                .compute_at(pull[i], y)
                .reorder(c, x, y)
                .bound(c, 0, 4)
                .unroll(c)
                .vectorize(x, lanes)
                .never_partition(y);
        }

        // The largest but one is computed with the output, and so is not written to memory.
        const int strip = 32;
        output.split(y, yo, y, strip, TailStrategy::GuardWithIf)
            .reorder(c, x, y, yo)
            .bound(c, 0, 3)
            .unroll(c)
            .vectorize(x, lanes)
            .never_partition(y, yo)
            .parallel(yo);
        widened[0].store_at(output, yo).compute_at(output, y);
        for (int i = 1; i < levels - 1; i++) {
            push[i].vectorize(x, lanes).never_partition(y).reorder(c, x, y).bound(c, 0, 4).unroll(
                c);
            if (i == 1) {
                push[1].compute_at(output, yo);
                widened[1].store_at(output, yo).compute_at(push[1], y);
            } else {
                push[i].compute_root().split(y, yo, y, 8).parallel(yo).never_partition(yo);
                widened[i].store_at(push[i], yo).compute_at(push[i], y);
            }
        }
        // Even and odd pixels in turn, so that each is a vector.
        for (int i = 0; i < levels - 1; i++) {
            widened[i]
                .align_bounds(x, 2)
                .split(x, x, half, 2)
                .reorder(half, x, c, y)
                .vectorize(x, lanes)
                .unroll(half)
                .never_partition(c, y);
        }
    }

  private:
    static Expr weighted_mean(const Expr& a, const Expr& b, const Expr& c) {
        return a * 0.25f + b * 0.5f + c * 0.25f;
    }

    Var x{"x"}, y{"y"}, c{"c"};
    // By level: 0 is the size of the input.
    std::vector<Func> pull, blurred, push, widened;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Interpolate, interpolate)
