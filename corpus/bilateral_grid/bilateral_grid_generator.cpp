// Bilateral filter of a grey picture on a coarse grid of (x, y, brightness): smooths and keeps
// edges. J. Chen, S. Paris and F. Durand, "Real-time edge-aware image processing with the bilateral
// grid", 2007.

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
using Halide::Var;
using Halide::BoundaryConditions::repeat_edge;

class BilateralGrid : public Generator<BilateralGrid> {
  public:
    /** Pixels a cell of the grid is wide and high. */
    GeneratorParam<int> cell{"cell", 8, 2, 64};

    Input<Buffer<float, 2>> input{"input"};
    /** Brightness that a cell of the grid covers, of 1. */
    Input<float> range{"range", 0.1f, 0.01f, 1.0f};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Func clamped = repeat_edge(input);

        // 1. The grid: in each cell the sum of its pixels (k = 0) and their number (k = 1).
        RDom pixel(0, cell, 0, cell, "pixel");
        Expr value = clamp(clamped(x * cell + pixel.x - cell / 2, y * cell + pixel.y - cell / 2),
                           0.0f, 1.0f);
        Func grid("grid");
        grid(x, y, z, k) = 0.0f;
        grid(x, y, cell_of(value + 0.5f * range), k) += select(k == 0, value, 1.0f);

        // 2. Blurred in its three directions.
        Func blurred_z = blurred(grid, "blurred_z", {0, 0, 1});
        Func blurred_x = blurred(blurred_z, "blurred_x", {1, 0, 0});
        Func blurred_y = blurred(blurred_x, "blurred_y", {0, 1, 0});

        // 3. Read back between the eight cells around each pixel and its brightness.
        Func smooth("smooth");
        smooth(x, y, k) = sliced(blurred_y, clamp(clamped(x, y), 0.0f, 1.0f));
        output(x, y) = smooth(x, y, 0) / smooth(x, y, 1);

        input.set_estimates({{0, width}, {0, height}});
        range.set_estimate(0.1f);
        output.set_estimates({{0, width}, {0, height}});
    }

  private:
    static constexpr int width = 2560;
    static constexpr int height = 1536;

    struct Step {
        int dx, dy, dz;
    };

    Func blurred(const Func& f, const std::string& name, Step step) {
        static constexpr float weights[] = {1.0f / 16, 4.0f / 16, 6.0f / 16, 4.0f / 16, 1.0f / 16};
        Expr total = 0.0f;
        for (int i = -2; i <= 2; i++) {
            total += weights[i + 2] * f(x + i * step.dx, y + i * step.dy, z + i * step.dz, k);
        }
        Func result(name);
        result(x, y, z, k) = total;
        return result;
    }

    /** Clamped, though no brightness leaves 0..1, so that the grid's depth is known for any range.
     */
    Expr cell_of(const Expr& value) const {
        return clamp(cast<int>(value / range), 0, cast<int>(1.0f / range + 0.5f));
    }

    Expr sliced(const Func& grid, Expr value) {
        Expr depth = value / range;
        Expr iz = cell_of(value);
        Expr ix = x / cell;
        Expr iy = y / cell;
        Expr fx = cast<float>(x % cell) / static_cast<float>(cell);
        Expr fy = cast<float>(y % cell) / static_cast<float>(cell);
        Expr fz = depth - cast<float>(iz);
        const auto plane = [&](const Expr& at) {
            return lerp(lerp(grid(ix, iy, at, k), grid(ix + 1, iy, at, k), fx),
                        lerp(grid(ix, iy + 1, at, k), grid(ix + 1, iy + 1, at, k), fx), fy);
        };
        return lerp(plane(iz), plane(iz + 1), fz);
    }

    Var x{"x"}, y{"y"}, z{"z"}, k{"k"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(BilateralGrid, bilateral_grid)
