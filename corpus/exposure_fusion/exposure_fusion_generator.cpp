// Exposure fusion: from three exposures of a scene one picture with all of their details, 16-bit
// colours. Each pixel takes most from where it has contrast, colour and a middling brightness, and
// the pictures are blended by these weights in their Laplacian pyramids. T. Mertens, J. Kautz and
// F. Van Reeth, "Exposure fusion", 2007; the pyramids are those of P. Burt and E. Adelson, 1983.
//
// Yardstick: OpenCV MergeMertens, 364 ms beside this schedule's 74.7 ms (Intel Sapphire Rapids,
// 2 cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include <string>
#include <vector>

#include "Halide.h"

namespace {

using Halide::_;
using Halide::abs;
using Halide::cast;
using Halide::clamp;
using Halide::exp;
using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::select;
using Halide::sqrt;
using Halide::TailStrategy;
using Halide::Var;
using Halide::BoundaryConditions::repeat_edge;

class ExposureFusion : public Generator<ExposureFusion> {
  public:
    GeneratorParam<int> width{"width", 1920};
    GeneratorParam<int> height{"height", 1280};
    /** Levels of the pyramids, the full size included. */
    GeneratorParam<int> depth{"depth", 8, 2, 12};

    /** (x, y, colour, exposure). */
    Input<Buffer<uint16_t, 4>> input{"input"};
    Output<Buffer<uint16_t, 3>> output{"output"};

    void generate() {
        widths = {input.width()};
        heights = {input.height()};
        for (int j = 1; j < depth; j++) {
            widths.push_back((widths.back() + 1) / 2);
            heights.push_back((heights.back() + 1) / 2);
        }

        // 1. Colours in 0..1, and how much of each exposure k goes into each pixel.
        color(x, y, c, k) = cast<float>(input(x, y, c, k)) / 65535.0f;
        define_weight();

        // 2. The pyramids of both.
        colors = gaussian_pyramid(color, "color");
        weights = gaussian_pyramid(weight, "weight");

        // 3. In each level the blended details; in the coarsest the blended pictures.
        std::vector<Func> blended;
        for (int j = 0; j < depth; j++) {
            const std::string suffix = "_" + std::to_string(j);
            Func detail = colors[j].level;
            if (j + 1 < depth) {
                color_ups.push_back(upsampled(colors[j + 1].level, j + 1, "color_up" + suffix));
                detail = Func("detail" + suffix);
                detail(x, y, c, k) = colors[j].level(x, y, c, k) - color_ups[j].level(x, y, c, k);
            }
            Expr sum = 0.0f;
            for (int exposure = 0; exposure < exposures; exposure++) {
                sum += weights[j].level(x, y, exposure) * detail(x, y, c, exposure);
            }
            blended.emplace_back("blended" + suffix);
            blended.back()(x, y, c) = sum;
        }

        // 4. Put together, from the coarsest to the finest.
        results.resize(depth);
        result_ups.resize(depth - 1);
        results[depth - 1] = blended.back();
        for (int j = depth - 2; j >= 0; j--) {
            const std::string suffix = "_" + std::to_string(j);
            result_ups[j] = upsampled(results[j + 1], j + 1, "result_up" + suffix);
            results[j] = Func("result" + suffix);
            results[j](x, y, c) = blended[j](x, y, c) + result_ups[j].level(x, y, c);
        }
        output(x, y, c) = cast<uint16_t>(clamp(results[0](x, y, c), 0.0f, 1.0f) * 65535.0f + 0.5f);

        input.set_estimates({{0, width}, {0, height}, {0, 3}, {0, exposures}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        const int lanes = natural_vector_size<float>();
        Var xi("xi"), yi("yi");

        // The pyramids: each level in strips of rows, down which the rows of half the width slide.
        weight.compute_root()
            .bound(k, 0, exposures)
            .split(y, y, yi, 16, TailStrategy::GuardWithIf)
            .split(x, x, xi, lanes)
            .reorder(xi, k, x, yi, y)
            .vectorize(xi)
            .unroll(k)
            .parallel(y);
        gray.store_at(weight, y).compute_at(weight, yi).vectorize(x, lanes);
        for (const std::vector<Resampled>& pyramid : {colors, weights}) {
            for (int j = 1; j < depth; j++) {
                Func level = pyramid[j].level;
                level.compute_root()
                    .split(y, y, yi, 16, TailStrategy::GuardWithIf)
                    .parallel(y)
                    .parallel(level.args().back())
                    .vectorize(x, lanes);
                Func(pyramid[j].half).store_at(level, y).compute_at(level, yi).vectorize(x, lanes);
            }
        }

        // And back: what is upsampled is made row by row, where it is used, from copies of rows
        // with their edge, since the slow code that finds it would run for each use.
        for (int j = 0; j < depth; j++) {
            Func result = j == 0 ? Func(output) : results[j];
            result.compute_root()
                .split(y, y, yi, 16, TailStrategy::GuardWithIf)
                .reorder(x, c, yi, y)
                .parallel(y)
                .vectorize(x, lanes);
            if (j + 1 < depth) {
                for (Resampled f : {color_ups[j], result_ups[j]}) {
                    f.coarse.store_at(result, y)
                        .compute_at(result, yi)
                        .vectorize(f.coarse.args()[0], lanes);
                    f.half.compute_at(result, c).vectorize(x, lanes);
                    // Even and odd pixels apart: each is another sum.
                    f.level.compute_at(result, c).align_bounds(x, 2).unroll(x, 2).vectorize(x,
                                                                                            lanes);
                }
            }
        }
    }

  private:
    /** A level of a pyramid, made from one finer or coarser, and what is only half made. If from a
     * coarser one, that with its edge. */
    struct Resampled {
        Func level, half, coarse;
    };

    static constexpr int exposures = 3;

    void define_weight() {
        Func inner = at_edge(color, 0);
        gray(x, y, k) =
            0.299f * inner(x, y, 0, k) + 0.587f * inner(x, y, 1, k) + 0.114f * inner(x, y, 2, k);
        Func contrast("contrast");
        contrast(x, y, k) = abs(gray(x - 1, y, k) + gray(x + 1, y, k) + gray(x, y - 1, k) +
                                gray(x, y + 1, k) - 4.0f * gray(x, y, k));

        Expr red = color(x, y, 0, k);
        Expr green = color(x, y, 1, k);
        Expr blue = color(x, y, 2, k);
        Func saturation("saturation");
        Expr mean = (red + green + blue) / 3.0f;
        saturation(x, y, k) =
            sqrt((square(red - mean) + square(green - mean) + square(blue - mean)) / 3.0f);

        // How near to the middle all colours are.
        Func exposedness("exposedness");
        const float deviation = 0.2f;
        exposedness(x, y, k) =
            exp((square(red - 0.5f) + square(green - 0.5f) + square(blue - 0.5f)) *
                (-0.5f / (deviation * deviation)));

        // The offset lets smooth and grey surfaces go by what else they have.
        const float offset = 1.0f / 128;
        product(x, y, k) = (contrast(x, y, k) + offset) * (saturation(x, y, k) + offset) *
                           (exposedness(x, y, k) + offset);
        Expr sum = 0.0f;
        for (int exposure = 0; exposure < exposures; exposure++) {
            sum += product(x, y, exposure);
        }
        weight(x, y, k) = product(x, y, k) / sum;
    }

    static Expr square(const Expr& a) { return a * a; }

    /** Beyond the edge of its level the nearest pixel. */
    Func at_edge(const Func& f, int level) const {
        return repeat_edge(f, {{0, widths[level]}, {0, heights[level]}});
    }

    Resampled downsampled(const Func& fine, int level, const std::string& name) {
        const auto weighted = [](const Expr& a, const Expr& b, const Expr& c, const Expr& d,
                                 const Expr& e) {
            return (a + e + 4.0f * (b + d) + 6.0f * c) / 16.0f;
        };
        Func f = at_edge(fine, level);
        Func across(name + "_across");
        Func down(name);
        across(x, y, _) = weighted(f(2 * x - 2, y, _), f(2 * x - 1, y, _), f(2 * x, y, _),
                                   f(2 * x + 1, y, _), f(2 * x + 2, y, _));
        down(x, y, _) =
            weighted(across(x, 2 * y - 2, _), across(x, 2 * y - 1, _), across(x, 2 * y, _),
                     across(x, 2 * y + 1, _), across(x, 2 * y + 2, _));
        return {down, across, {}};
    }

    /** Even pixels lie on one of the coarse ones, odd ones halfway between two. */
    Resampled upsampled(const Func& coarse, int level, const std::string& name) {
        const auto weighted = [](const Expr& i, const Expr& a, const Expr& b, const Expr& c) {
            return select(i % 2 == 0, (a + 6.0f * b + c) / 8.0f, (b + c) / 2.0f);
        };
        Func f = at_edge(coarse, level);
        Func down(name + "_down");
        Func across(name);
        down(x, y, _) = weighted(y, f(x, y / 2 - 1, _), f(x, y / 2, _), f(x, y / 2 + 1, _));
        across(x, y, _) =
            weighted(x, down(x / 2 - 1, y, _), down(x / 2, y, _), down(x / 2 + 1, y, _));
        return {across, down, f};
    }

    std::vector<Resampled> gaussian_pyramid(const Func& base, const std::string& name) {
        std::vector<Resampled> levels{{base, base, {}}};
        for (int j = 1; j < depth; j++) {
            levels.push_back(
                downsampled(levels.back().level, j - 1, name + "_" + std::to_string(j)));
        }
        return levels;
    }

    Var x{"x"}, y{"y"}, c{"c"}, k{"k"};
    /** Of each level. */
    std::vector<Expr> widths, heights;
    Func color{"color"}, gray{"gray"}, product{"product"}, weight{"weight"};
    /** By level; upsampled to this level, from the coarser one. */
    std::vector<Resampled> colors, weights, color_ups, result_ups;
    std::vector<Func> results;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(ExposureFusion, exposure_fusion)
