// Shrinks a picture with Lanczos' kernel: down, then across. K. Turkowski, "Filters for common
// resampling tasks", 1990. Channels lie one after the other.
//
// Yardstick: OpenCV's resize, 27.8 ms beside this schedule's 11.1 ms (Intel Sapphire Rapids, 2
// cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include <memory>

#include "../support/resample.h"
#include "Halide.h"

namespace {

using corpus::Kernel;
using corpus::Taps;
using Halide::Func;
using Halide::Generator;
using Halide::RDom;
using Halide::TailStrategy;
using Halide::Var;
using Halide::BoundaryConditions::repeat_edge;

class Resample : public Generator<Resample> {
  public:
    /** Of the input. */
    GeneratorParam<int> width{"width", 2560};
    GeneratorParam<int> height{"height", 1536};
    GeneratorParam<float> scale{"scale", 0.6f, 0.05f, 20.0f};
    GeneratorParam<Kernel> kernel{"kernel", Kernel::Lanczos, corpus::kernels()};

    Input<Buffer<float, 3>> input{"input"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        clamped = repeat_edge(input);
        taps_x = std::make_unique<Taps>("x", kernel, scale);
        taps_y = std::make_unique<Taps>("y", kernel, scale);

        tap_y = RDom(0, taps_y->count, "tap_y");
        down(x, y, c) += taps_y->weight(y, tap_y) * clamped(x, taps_y->begin(y) + tap_y, c);
        tap_x = RDom(0, taps_x->count, "tap_x");
        across(x, y, c) += taps_x->weight(x, tap_x) * down(taps_x->begin(x) + tap_x, y, c);
        output(x, y, c) = across(x, y, c);

        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, scaled(width)}, {0, scaled(height)}, {0, 3}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        const int lanes = natural_vector_size<float>();
        for (Taps* taps : {taps_x.get(), taps_y.get()}) {
            taps->total.compute_root();
            taps->weight.compute_root().vectorize(taps->position, lanes);
        }

        // Across, the pixels of a row that neighbours are made of have no fixed distance: no
        // vectors to load. Those of a column of rows have: square blocks are transposed on the way
        // in and again on the way out. Strips of as many rows as a vector has lanes are made from
        // edge to edge, and their source is copied first: nothing else meets the edge.
        Var xi("xi"), yi("yi"), yo("yo"), block("block");
        output.split(y, yo, yi, lanes, TailStrategy::ShiftInwards)
            .split(x, x, xi, lanes, TailStrategy::ShiftInwards)
            .reorder(xi, yi, x, yo, c)
            .vectorize(xi)
            .unroll(yi)
            .parallel(c)
            .parallel(yo);
        across.in().compute_at(output, x).vectorize(y).unroll(x);
        across.compute_at(output, x).reorder_storage(y, x, c).reorder(y, x, c).vectorize(y);
        across.update().reorder(y, tap_x, x, c).vectorize(y).unroll(tap_x);
        down.in()
            .compute_at(output, yo)
            .reorder_storage(y, x, c)
            .split(x, block, x, 2 * lanes, TailStrategy::RoundUp)
            .reorder(y, x, block)
            .vectorize(x, lanes)
            .unroll(y);
        // Sums stay in registers.
        down.compute_at(down.in(), block).vectorize(x, lanes).unroll(x);
        down.update().reorder(x, tap_y, y, c).vectorize(x, lanes).unroll(x);
        clamped.compute_at(output, yo).vectorize(clamped.args()[0], lanes);
    }

  private:
    int scaled(int size) const { return static_cast<int>(static_cast<float>(size) * scale); }

    Var x{"x"}, y{"y"}, c{"c"};
    std::unique_ptr<Taps> taps_x, taps_y;
    RDom tap_x, tap_y;
    Func clamped, down{"down"}, across{"across"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Resample, resample)
