// Local Laplacian filter: more local contrast without halos at edges, on pyramids of eight levels.
// S. Paris, S. Hasinoff and J. Kautz, "Local Laplacian filters", 2011, in the fast form of M. Aubry
// and others, 2014: the picture is remapped for a few reference brightnesses and blended between
// them.

#include <string>
#include <vector>

#include "Halide.h"

namespace {

using Halide::cast;
using Halide::clamp;
using Halide::exp;
using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::lerp;
using Halide::Var;
using Halide::BoundaryConditions::repeat_edge;

class LocalLaplacian : public Generator<LocalLaplacian> {
  public:
    /** Levels of the pyramids, the full size included. */
    GeneratorParam<int> depth{"depth", 8, 2, 12};

    Input<Buffer<uint16_t, 3>> input{"input"};
    /** Reference brightnesses. */
    Input<int> levels{"levels", 8, 2, 64};
    /** Gain of the details. */
    Input<float> detail{"detail", 1.0f, 0.0f, 8.0f};
    /** Gain of the large differences: below 1 evens out the light. */
    Input<float> contrast{"contrast", 1.0f, 0.0f, 4.0f};
    Output<Buffer<uint16_t, 3>> output{"output"};

    void generate() {
        Func clamped = repeat_edge(input);
        Func color("color");
        color(x, y, c) = cast<float>(clamped(x, y, c)) / 65535.0f;
        Func gray("gray");
        gray(x, y) = 0.299f * color(x, y, 0) + 0.587f * color(x, y, 1) + 0.114f * color(x, y, 2);

        // 1. The remapped pictures, k counting reference brightnesses, and their pyramids.
        Func curve("curve");
        Expr offset = cast<float>(i) / curve_steps;
        curve(i) = detail * offset * exp(-offset * offset / 2.0f);
        Func remapped("remapped");
        Expr reference = cast<float>(k) / cast<float>(levels - 1);
        Expr position = cast<int>(gray(x, y) * cast<float>((levels - 1) * curve_steps));
        position = clamp(position, 0, (levels - 1) * curve_steps);
        remapped(x, y, k) = contrast * (gray(x, y) - reference) + reference +
                            curve(position - curve_steps * k) / cast<float>(levels - 1);
        const std::vector<Func> remapped_gaussian = gaussian_pyramid(remapped, "remapped");
        const std::vector<Func> remapped_laplacian = laplacian_pyramid(remapped_gaussian);

        // 2. The pyramid of the result: each detail from the two references nearest in brightness.
        const std::vector<Func> gray_gaussian = gaussian_pyramid(gray, "gray");
        std::vector<Func> blended;
        for (int j = 0; j < depth; j++) {
            Expr level = gray_gaussian[j](x, y) * cast<float>(levels - 1);
            Expr below = clamp(cast<int>(level), 0, levels - 2);
            Expr fraction = level - cast<float>(below);
            blended.emplace_back("blended_" + std::to_string(j));
            blended[j](x, y) = lerp(remapped_laplacian[j](x, y, below),
                                    remapped_laplacian[j](x, y, below + 1), fraction);
        }

        // 3. Collapsed, and the colours put back.
        Func result = collapsed(blended);
        Expr shade = result(x, y) / (gray(x, y) + 1.0f / 1024);
        output(x, y, c) = cast<uint16_t>(clamp(color(x, y, c) * shade, 0.0f, 1.0f) * 65535.0f);

        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        levels.set_estimate(8);
        detail.set_estimate(1.0f);
        contrast.set_estimate(1.0f);
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

  private:
    static constexpr int width = 2560;
    static constexpr int height = 1536;
    /** Steps of the table of the remapping curve between two reference brightnesses. */
    static constexpr int curve_steps = 256;

    /** Halves the first two dimensions, with the binomial filter 1 3 3 1 in each. */
    Func downsampled(const Func& f, const std::string& name) {
        Func across(name + "_across");
        Func down(name);
        across(x, y, Halide::_) = (f(2 * x - 1, y, Halide::_) +
                                   3.0f * (f(2 * x, y, Halide::_) + f(2 * x + 1, y, Halide::_)) +
                                   f(2 * x + 2, y, Halide::_)) /
                                  8.0f;
        down(x, y, Halide::_) =
            (across(x, 2 * y - 1, Halide::_) +
             3.0f * (across(x, 2 * y, Halide::_) + across(x, 2 * y + 1, Halide::_)) +
             across(x, 2 * y + 2, Halide::_)) /
            8.0f;
        return down;
    }

    /** Doubles the first two dimensions, linearly between the centres of the pixels. */
    Func upsampled(const Func& f, const std::string& name) {
        Func across(name + "_across");
        Func down(name);
        across(x, y, Halide::_) =
            0.25f * f(x / 2 - 1 + 2 * (x % 2), y, Halide::_) + 0.75f * f(x / 2, y, Halide::_);
        down(x, y, Halide::_) = 0.25f * across(x, y / 2 - 1 + 2 * (y % 2), Halide::_) +
                                0.75f * across(x, y / 2, Halide::_);
        return down;
    }

    std::vector<Func> gaussian_pyramid(const Func& base, const std::string& name) {
        std::vector<Func> levels_of{base};
        for (int j = 1; j < depth; j++) {
            levels_of.push_back(
                downsampled(levels_of.back(), name + "_gaussian_" + std::to_string(j)));
        }
        return levels_of;
    }

    std::vector<Func> laplacian_pyramid(const std::vector<Func>& gaussian) {
        std::vector<Func> levels_of;
        for (int j = 0; j + 1 < depth; j++) {
            const std::string suffix = std::to_string(j);
            Func coarse = upsampled(gaussian[j + 1], "remapped_up_" + suffix);
            levels_of.emplace_back("remapped_laplacian_" + suffix);
            levels_of.back()(x, y, k) = gaussian[j](x, y, k) - coarse(x, y, k);
        }
        levels_of.push_back(gaussian.back());
        return levels_of;
    }

    Func collapsed(const std::vector<Func>& laplacian) {
        Func result = laplacian.back();
        for (int j = depth - 2; j >= 0; j--) {
            const std::string suffix = std::to_string(j);
            Func coarse = upsampled(result, "result_up_" + suffix);
            result = Func("result_" + suffix);
            result(x, y) = coarse(x, y) + laplacian[j](x, y);
        }
        return result;
    }

    Var x{"x"}, y{"y"}, c{"c"}, k{"k"}, i{"i"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(LocalLaplacian, local_laplacian)
