// Maximum over a disc around each pixel: dilation of a colour picture. The disc is cut into
// columns; the maximum over a column of any height is that of two columns, which may overlap, whose
// heights are a power of two, and those are built by doubling (M. van Droogenbroeck and H. Talbot,
// "Fast computation of morphological operations with arbitrary structuring elements", 1996).
//
// Yardstick: OpenCV dilate, 869 ms beside this schedule's 140 ms (Intel Sapphire Rapids, 2 cores
// of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include <cmath>
#include <string>
#include <vector>

#include "Halide.h"

namespace {

using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::max;
using Halide::TailStrategy;
using Halide::Var;
using Halide::BoundaryConditions::repeat_edge;

class MaxFilter : public Generator<MaxFilter> {
  public:
    GeneratorParam<int> width{"width", 2560};
    GeneratorParam<int> height{"height", 1536};
    GeneratorParam<int> radius{"radius", 26, 1, 100};

    Input<Buffer<float, 3>> input{"input"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Func clamped = repeat_edge(input);

        // 1. The largest of 1, 2, 4, ... rows, this one and those below.
        doubled.push_back(clamped);
        for (int rows = 2; rows <= 2 * radius + 1; rows *= 2) {
            Func below = doubled.back();
            doubled.emplace_back("rows_" + std::to_string(rows));
            doubled.back()(x, y, c) = max(below(x, y, c), below(x, y + rows / 2, c));
        }

        // 2. The largest of each height that the disc has somewhere, around this row.
        slices.resize(radius + 1);
        for (int dx = 0; dx <= radius; dx++) {
            const int half = half_height(dx);
            if (!slices[half].defined()) {
                slices[half] = slice(half);
            }
        }

        // 3. The largest over all columns of the disc.
        Expr largest = slices[half_height(0)](x, y, c);
        for (int dx = 1; dx <= radius; dx++) {
            const Func& f = slices[half_height(dx)];
            largest = max(largest, max(f(x - dx, y, c), f(x + dx, y, c)));
        }
        output(x, y, c) = largest;

        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        // Tiles, so that all slices of a row fit in the first cache, and most of what they are made
        // of, too: it is read again for each of them.
        const int lanes = natural_vector_size<float>();
        Var xi("xi"), yi("yi");
        output.tile(x, y, x, y, xi, yi, 256, 64, TailStrategy::GuardWithIf)
            .reorder(xi, yi, x, y, c)
            .parallel(y)
            .parallel(c)
            .vectorize(xi, lanes);
        for (Func& rows : doubled) {
            rows.compute_at(output, x).vectorize(rows.args()[0], lanes);
        }
        for (Func& slice : slices) {
            if (slice.defined()) {
                slice.compute_at(output, yi).vectorize(x, lanes);
            }
        }
    }

  private:
    /** Of the column of the disc at this distance from its centre. */
    int half_height(int dx) const {
        const int r = radius;
        return static_cast<int>(std::sqrt(static_cast<float>(r * r - dx * dx)));
    }

    Func slice(int half) const {
        int level = 0;
        while (2 << level <= 2 * half + 1) {
            level++;
        }
        Func result("slice_" + std::to_string(2 * half + 1));
        result(x, y, c) =
            max(doubled[level](x, y - half, c), doubled[level](x, y + half + 1 - (1 << level), c));
        return result;
    }

    Var x{"x"}, y{"y"}, c{"c"};
    std::vector<Func> doubled;
    /** By half their height; undefined where the disc has no such column. */
    std::vector<Func> slices;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(MaxFilter, max_filter)
