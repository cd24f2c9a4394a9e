// Gaussian blur of an 8-bit grey picture in fixed point: nine taps down the columns, then nine
// along the rows, at the edge the nearest pixel.
//
// Yardstick: OpenCV GaussianBlur 9 x 9, 15.6 ms beside this schedule's 4.16 ms (Intel Sapphire
// Rapids, 2 cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include <array>
#include <cmath>

#include "Halide.h"

namespace {

using Halide::_0;
using Halide::_1;
using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::mul_shift_right;
using Halide::rounding_halving_add;
using Halide::rounding_shift_right;
using Halide::TailStrategy;
using Halide::Var;
using Halide::BoundaryConditions::repeat_edge;

class GaussianBlur : public Generator<GaussianBlur> {
  public:
    /** As from a camera: with eight bits a smaller picture is done too soon to be measured. */
    GeneratorParam<int> width{"width", 5120};
    GeneratorParam<int> height{"height", 3072};
    /** Standard deviation, in pixels. */
    GeneratorParam<float> sigma{"sigma", 1.8f, 0.8f, 3.0f};

    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        clamped = repeat_edge(input);
        const std::array<float, radius + 1> kernel = gaussian(sigma);

        // 1. Down the columns, with weights in 256ths: the sums just fit in 16 bits, and nothing is
        // rounded yet.
        const auto pixel = [&](int dy) { return cast<uint16_t>(clamped(x, y + dy)); };
        Expr down = cast<uint16_t>(0);
        int center_weight = 256;
        for (int i = 1; i <= radius; i++) {
            const int weight = std::lround(kernel[i] * 256);
            down += weight * (pixel(-i) + pixel(i));
            center_weight -= 2 * weight;
        }
        blur_y(x, y) = down + center_weight * pixel(0);

        // 2. Along the rows, with weights in 65536ths: of each product the upper 16 bits.
        const auto weighted = [](const Expr& value, float weight) {
            return mul_shift_right(
                value, cast<uint16_t>(static_cast<int>(std::lround(weight * 65536))), 16);
        };
        Expr across = weighted(blur_y(x, y), kernel[0]);
        for (int i = 1; i <= radius; i++) {
            Expr mean = rounding_halving_add(blur_y(x - i, y), blur_y(x + i, y));
            across += weighted(mean, 2 * kernel[i]);
        }
        output(x, y) = cast<uint8_t>(rounding_shift_right(across, 8));

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        // Strips of rows in parallel. Only what copies the input row by row knows of the edge; each
        // group of rows of column sums is used at once, out of the nearest caches.
        const int lanes = natural_vector_size<uint16_t>();
        const int rows = 4;
        Var yi("yi"), group("group");
        output.split(y, y, yi, 64, TailStrategy::GuardWithIf)
            .split(yi, group, yi, rows, TailStrategy::GuardWithIf)
            .reorder(x, yi, group, y)
            .parallel(y)
            .vectorize(x, lanes)
            .never_partition(y, group, yi);
        Var xi("xi");
        blur_y.compute_at(output, group)
            .split(y, y, yi, rows, TailStrategy::RoundUp)
            .split(x, x, xi, lanes, TailStrategy::RoundUp)
            .reorder(xi, yi, x, y)
            .vectorize(xi)
            .unroll(yi)
            .never_partition(y);
        // The rows of a group share most of what they read: twelve vectors stay in registers.
        clamped.in(blur_y).compute_at(blur_y, x).vectorize(_0).unroll(_1);
        clamped.store_at(output, y).compute_at(output, group).vectorize(_0, lanes);
    }

  private:
    static constexpr int radius = 4;

    /** Half of a kernel that sums to one, its centre first. */
    static std::array<float, radius + 1> gaussian(float sigma) {
        std::array<float, radius + 1> kernel;
        float total = 0;
        for (int i = 0; i <= radius; i++) {
            kernel[i] = std::exp(-static_cast<float>(i * i) / (2 * sigma * sigma));
            total += (i == 0 ? 1 : 2) * kernel[i];
        }
        for (float& weight : kernel) {
            weight /= total;
        }
        return kernel;
    }

    Var x{"x"}, y{"y"};
    Func clamped, blur_y{"blur_y"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(GaussianBlur, gaussian_blur)
