// Bilateral filter of a grey picture on a coarse grid of (x, y, brightness): smooths and keeps
// edges. J. Chen, S. Paris and F. Durand, "Real-time edge-aware image processing with the bilateral
// grid", 2007.
//
// Yardstick: OpenCV bilateralFilter, 17 x 17, 615 ms beside this schedule's 23.2 ms (Intel
// Sapphire Rapids, 2 cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include "Halide.h"

namespace {

using Halide::cast;
using Halide::clamp;
using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::lerp;
using Halide::RDom;
using Halide::select;
using Halide::TailStrategy;
using Halide::Var;
using Halide::BoundaryConditions::repeat_edge;

class BilateralGrid : public Generator<BilateralGrid> {
  public:
    GeneratorParam<int> width{"width", 2560};
    GeneratorParam<int> height{"height", 1536};
    /** Pixels a cell of the grid is wide and high. */
    GeneratorParam<int> cell{"cell", 8, 2, 64};

    Input<Buffer<float, 2>> input{"input"};
    /** Brightness that a cell of the grid covers, of 1. */
    Input<float> range{"range", 0.1f, 0.01f, 1.0f};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        value(x, y) = clamp(repeat_edge(input)(x, y), 0.0f, 1.0f);

        // 1. The grid: in each cell the sum of its pixels (k = 0) and their number (k = 1).
        pixel = RDom(0, cell, 0, cell, "pixel");
        Expr px = x * cell + pixel.x - cell / 2;
        Expr py = y * cell + pixel.y - cell / 2;
        nearest(x, y) = cell_of(value(x, y) + 0.5f * range);
        grid(x, y, z, k) = 0.0f;
        grid(x, y, nearest(px, py), k) += select(k == 0, value(px, py), 1.0f);

        // 2. Blurred in its three directions.
        blurred_z(x, y, z, k) = blurred(grid, {0, 0, 1});
        blurred_x(x, y, z, k) = blurred(blurred_z, {1, 0, 0});
        blurred_y(x, y, z, k) = blurred(blurred_x, {0, 1, 0});

        // 3. Read back between the eight cells around each pixel and its brightness.
        smooth(x, y, k) = sliced(blurred_y);
        output(x, y) = smooth(x, y, 0) / smooth(x, y, 1);

        input.set_estimates({{0, width}, {0, height}});
        range.set_estimate(0.1f);
        output.set_estimates({{0, width}, {0, height}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        const int lanes = natural_vector_size<float>();
        const TailStrategy guard = TailStrategy::GuardWithIf;
        Var strip("strip"), band("band"), xo("xo"), xi("xi");

        // All cells with the sum and the number side by side, and the brightness next: a pixel adds
        // to both at once, and reads the cells below and above its brightness together. Vectors are
        // of four brightnesses, of which there are few.
        const auto by_brightness = [&](Func f) {
            f.reorder_storage(k, z, x, y)
                .reorder(k, z, x, y)
                .vectorize(k)
                .vectorize(z, 4, TailStrategy::RoundUp);
        };

        // The grid. Pixels go into eight cells in turns, because two in a row to the same place
        // would wait for each other. Where they go is found before, in vectors.
        grid.compute_root().bound(k, 0, 2);
        by_brightness(grid);
        grid.split(y, strip, y, 4, guard).parallel(strip);
        grid.update()
            .split(y, strip, y, 4, guard)
            .parallel(strip)
            .split(x, x, xi, 8, guard)
            .reorder(k, xi, pixel.x, x, pixel.y, y, strip)
            .vectorize(k)
            .unroll(xi);
        nearest.compute_at(grid, pixel.y).vectorize(x, lanes);
        value.in(grid).compute_at(grid, pixel.y).vectorize(x, lanes);

        // The picture in bands of one cell's height, and these in tiles that read few enough cells
        // for the first cache.
        output.split(y, strip, y, 128, guard)
            .split(y, band, y, cell, guard)
            .split(x, xo, x, 128, TailStrategy::ShiftInwards)
            .reorder(x, y, xo, band, strip)
            .parallel(strip)
            .vectorize(x, lanes);
        // The blurs slide down over the rows of cells.
        blurred_y.compute_at(output, strip);
        blurred_x.store_at(output, strip).compute_at(blurred_y, y);
        blurred_z.store_at(output, strip).compute_at(blurred_y, y);
        across.compute_at(output, xo);
        for (Func cells : {blurred_z, blurred_x, blurred_y, across}) {
            cells.bound_extent(k, 2);
            by_brightness(cells);
        }
        smooth.compute_at(output, y)
            .bound_extent(k, 2)
            .reorder_storage(k, x, y)
            .reorder(k, x, y)
            .vectorize(k)
            .unroll(x, 8);
        along.compute_at(smooth, x)
            .bound_extent(k, 2)
            .bound_extent(z, 2)
            .reorder_storage(k, z, x, y)
            .reorder(k, z, x, y)
            .vectorize(k)
            .vectorize(z)
            .unroll(x);
        below.compute_at(output, y).vectorize(x, lanes);
        fraction_z.compute_at(output, y).vectorize(x, lanes);
    }

  private:
    struct Step {
        int dx, dy, dz;
    };

    Expr blurred(const Func& f, Step step) {
        static constexpr float weights[] = {1.0f / 16, 4.0f / 16, 6.0f / 16, 4.0f / 16, 1.0f / 16};
        Expr total = 0.0f;
        for (int i = -2; i <= 2; i++) {
            total += weights[i + 2] * f(x + i * step.dx, y + i * step.dy, z + i * step.dz, k);
        }
        return total;
    }

    /** Clamped, though no brightness leaves 0..1, so that the grid's depth is known for any range.
     */
    Expr cell_of(const Expr& value) const {
        return clamp(cast<int>(value / range), 0, cast<int>(1.0f / range + 0.5f));
    }

    Expr sliced(const Func& cells) {
        const auto fraction = [&](const Expr& at) {
            return cast<float>(at % cell) / static_cast<float>(cell);
        };
        below(x, y) = cell_of(value(x, y));
        fraction_z(x, y) = value(x, y) / range - cast<float>(below(x, y));
        // Across, down and between brightnesses, z being the lower one's distance from `below`.
        across(x, y, z, k) =
            lerp(cells(x / cell, y, z, k), cells(x / cell + 1, y, z, k), fraction(x));
        along(x, y, z, k) = lerp(across(x, y / cell, below(x, y) + z, k),
                                 across(x, y / cell + 1, below(x, y) + z, k), fraction(y));
        return lerp(along(x, y, 0, k), along(x, y, 1, k), fraction_z(x, y));
    }

    Var x{"x"}, y{"y"}, z{"z"}, k{"k"};
    RDom pixel;
    Func value{"value"}, nearest{"nearest"}, below{"below"}, fraction_z{"fraction_z"};
    Func grid{"grid"}, blurred_z{"blurred_z"}, blurred_x{"blurred_x"}, blurred_y{"blurred_y"};
    Func across{"across"}, along{"along"}, smooth{"smooth"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(BilateralGrid, bilateral_grid)
