// Eight layers of 8-bit RGBA blended on top of each other, each in its own mode. T. Porter and
// T. Duff, "Compositing digital images", 1984; the modes are those of the W3C's "Compositing and
// Blending Level 1". Colours are premultiplied by alpha, so that the formulas hold for alpha, too.
//
// Yardstick: OpenCV add, 7 times, 21.5 ms beside this schedule's 13.4 ms (Intel Sapphire Rapids,
// 2 cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include <string>
#include <vector>

#include "Halide.h"

namespace {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::max;
using Halide::min;
using Halide::mux;
using Halide::saturating_cast;
using Halide::TailStrategy;
using Halide::Var;

class Compositing : public Generator<Compositing> {
  public:
    GeneratorParam<int> width{"width", 2560};
    GeneratorParam<int> height{"height", 1536};

    /** (channel, x, y, layer), the lowest layer first. */
    Input<Buffer<uint8_t, 4>> layers{"layers"};
    /** How each layer is blended with what is below: 0 over, 1 multiply, 2 screen, 3 darken,
     * 4 lighten, 5 plus. That of the lowest layer says nothing. */
    Input<Buffer<uint8_t, 1>> modes{"modes"};
    /** (channel, x, y). */
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        Func lowest("lowest");
        lowest(c, x, y) = layers(c, x, y, 0);
        blends.push_back(lowest);
        for (int layer = 1; layer < count; layer++) {
            blends.push_back(blended(blends.back(), layer));
        }
        output(c, x, y) = blends.back()(c, x, y);

        layers.dim(0).set_bounds(0, 4);
        layers.dim(1).set_stride(4);
        output.dim(0).set_bounds(0, 4);
        output.dim(1).set_stride(4);

        layers.set_estimates({{0, 4}, {0, width}, {0, height}, {0, count}});
        modes.set_estimates({{0, count}});
        output.set_estimates({{0, 4}, {0, width}, {0, height}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        // Pieces of a row that all blends of them fit into the first cache, in planes; each layer
        // branches on its mode once for a piece instead of computing all of them.
        const int lanes = natural_vector_size<uint16_t>();
        const TailStrategy guard = TailStrategy::GuardWithIf;
        Var yi("yi"), piece("piece");
        output.split(y, y, yi, 32, guard)
            .split(x, piece, x, 256, guard)
            .reorder(c, x, piece, yi, y)
            .parallel(y)
            .unroll(c)
            .vectorize(x, lanes);
        for (int layer = 1; layer < count; layer++) {
            Func blend = blends[layer];
            blend.compute_at(output, piece)
                .reorder_storage(x, c, y)
                .reorder(c, x, y)
                .unroll(c, 4)
                .vectorize(x, lanes);
            for (int mode = 0; mode + 1 < mode_count; mode++) {
                blend.specialize(modes(layer) == mode);
            }
        }
    }

  private:
    static constexpr int count = 8;
    static constexpr int mode_count = 6;

    /** The product of two numbers that stand for 0..1. */
    static Expr product(const Expr& a, const Expr& b) { return (a * b + 127) / 255; }

    Func blended(const Func& below, int layer) {
        Expr source = cast<uint16_t>(layers(c, x, y, layer));
        Expr source_alpha = cast<uint16_t>(layers(3, x, y, layer));
        Expr backdrop = cast<uint16_t>(below(c, x, y));
        Expr backdrop_alpha = cast<uint16_t>(below(3, x, y));

        // What of each lies outside and inside of the other one's shape.
        Expr source_out = product(source, 255 - backdrop_alpha);
        Expr backdrop_out = product(backdrop, 255 - source_alpha);
        Expr source_in = source - source_out;
        Expr backdrop_in = backdrop - backdrop_out;
        Expr outside = source_out + backdrop_out;

        Func result("blend_" + std::to_string(layer));
        result(c, x, y) = saturating_cast<uint8_t>(
            mux(cast<int>(modes(layer)), {
                                             source + backdrop_out,
                                             product(source, backdrop) + outside,
                                             source + backdrop - product(source, backdrop),
                                             min(source_in, backdrop_in) + outside,
                                             max(source_in, backdrop_in) + outside,
                                             source + backdrop,
                                         }));
        return result;
    }

    Var x{"x"}, y{"y"}, c{"c"};
    std::vector<Func> blends;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Compositing, compositing)
