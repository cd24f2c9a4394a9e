// Takes noise out of a picture: in its wavelet transform of two levels, small details become zero
// and others smaller. I. Daubechies, "Orthonormal bases of compactly supported wavelets", 1988;
// D. Donoho, "De-noising by soft-thresholding", 1995.
//
// Yardstick: PyWavelets, 285 ms beside this schedule's 5.66 ms (Intel Sapphire Rapids, 2 cores
// of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include <cmath>
#include <string>

#include "Halide.h"

namespace {

using Halide::clamp;
using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::select;
using Halide::TailStrategy;
using Halide::Var;
using Halide::BoundaryConditions::repeat_edge;

class Wavelet : public Generator<Wavelet> {
  public:
    GeneratorParam<int> width{"width", 2560};
    GeneratorParam<int> height{"height", 1536};

    Input<Buffer<float, 2>> input{"input"};
    /** Details up to this size are taken for noise. */
    Input<float> threshold{"threshold", 0.05f, 0.0f, 1.0f};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        clamped(x, y) = repeat_edge(input)(x, y);
        fine = analysed(clamped, "_1");
        coarse = analysed(fine.smooth, "_2");
        restored = synthesised(coarse.smooth, coarse, "_2");
        result = synthesised(restored.picture, fine, "_1");
        output(x, y) = result.picture(x, y);

        input.set_estimates({{0, width}, {0, height}});
        threshold.set_estimate(0.05f);
        output.set_estimates({{0, width}, {0, height}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        const int lanes = natural_vector_size<float>();
        // Strips of rows in parallel, down which all stages slide: those that need many rows by
        // steps of 16 rows of the result, the others row by row, the last in pieces of a row.
        const TailStrategy shift = TailStrategy::ShiftInwards;
        Var strip("strip"), step("step"), piece("piece"), half("half");
        output.split(y, strip, y, 64, shift)
            .split(y, step, y, 16, shift)
            .split(x, piece, x, 128, shift)
            .reorder(x, piece, y, step, strip)
            .vectorize(x, lanes)
            .unroll(x)
            .parallel(strip);
        // Copied first, so that the filters, which skip pixels, do not meet the edge.
        clamped.compute_at(output, step).vectorize(x, lanes);
        for (Func f : {fine.low, fine.smooth, coarse.low, coarse.high, coarse.smooth, coarse.across,
                       coarse.down, coarse.both}) {
            f.store_at(output, strip).compute_at(output, step).vectorize(x, lanes);
        }
        for (Func f : {fine.high, fine.across, fine.down, fine.both, restored.low, restored.high}) {
            f.store_at(output, step).compute_at(output, y).vectorize(x, lanes);
        }
        restored.picture.store_at(output, step).compute_at(output, y);
        result.low.compute_at(output, y).vectorize(x, lanes);
        result.high.compute_at(output, y).vectorize(x, lanes);
        result.picture.compute_at(output, piece);
        for (Func f : {restored.picture, result.picture}) {
            // Even and odd pixels have weights of their own.
            f.align_bounds(x, 2)
                .split(x, x, half, 2)
                .reorder(half, x, y)
                .vectorize(x, lanes)
                .unroll(half);
        }
    }

  private:
    /** The four quarters of a transform: what is left of the picture, and its details. */
    struct Bands {
        Func low, high;  // after the first direction
        Func smooth, across, down, both;
    };

    struct Synthesis {
        Func low, high;  // before the last direction
        Func picture;
    };

    /** The orthonormal filter of four taps with two vanishing moments. */
    static float low_pass(int i) {
        const double root = std::sqrt(3.0);
        const double taps[] = {1 + root, 3 + root, 3 - root, 1 - root};
        return static_cast<float>(taps[i] / (4 * std::sqrt(2.0)));
    }

    static float high_pass(int i) { return i % 2 == 0 ? low_pass(3 - i) : -low_pass(3 - i); }

    Func filtered_x(const Func& f, float (*filter)(int), const std::string& name) {
        Func result(name);
        result(x, y) = filter(0) * f(2 * x, y) + filter(1) * f(2 * x + 1, y) +
                       filter(2) * f(2 * x + 2, y) + filter(3) * f(2 * x + 3, y);
        return result;
    }

    Func filtered_y(const Func& f, float (*filter)(int), const std::string& name) {
        Func result(name);
        result(x, y) = filter(0) * f(x, 2 * y) + filter(1) * f(x, 2 * y + 1) +
                       filter(2) * f(x, 2 * y + 2) + filter(3) * f(x, 2 * y + 3);
        return result;
    }

    /** Towards zero by the threshold. */
    Func shrunk(const Func& f, const std::string& name) {
        Func result(name);
        result(x, y) = f(x, y) - clamp(f(x, y), -threshold, threshold);
        return result;
    }

    Bands analysed(const Func& f, const std::string& level) {
        Bands bands;
        bands.low = filtered_x(f, low_pass, "low" + level);
        bands.high = filtered_x(f, high_pass, "high" + level);
        bands.smooth = filtered_y(bands.low, low_pass, "smooth" + level);
        bands.across =
            shrunk(filtered_y(bands.high, low_pass, "raw_across" + level), "across" + level);
        bands.down = shrunk(filtered_y(bands.low, high_pass, "raw_down" + level), "down" + level);
        bands.both = shrunk(filtered_y(bands.high, high_pass, "raw_both" + level), "both" + level);
        return bands;
    }

    /** A pixel from the two coefficients of each band that cover it; `low` and `high` are called
     * with how far back they lie. */
    template <typename Low, typename High>
    static Expr synthesis_at(const Expr& position, Low low, High high) {
        const auto with = [&](int i) {
            return low_pass(i) * low(0) + low_pass(i + 2) * low(1) + high_pass(i) * high(0) +
                   high_pass(i + 2) * high(1);
        };
        return select(position % 2 == 0, with(0), with(1));
    }

    Synthesis synthesised(const Func& smooth, const Bands& bands, const std::string& level) {
        const auto along_y = [&](const Func& low, const Func& high, const std::string& name) {
            Func result(name);
            result(x, y) = synthesis_at(
                y, [&](int back) { return low(x, y / 2 - back); },
                [&](int back) { return high(x, y / 2 - back); });
            return result;
        };
        Synthesis synthesis;
        synthesis.low = along_y(smooth, bands.down, "low_again" + level);
        synthesis.high = along_y(bands.across, bands.both, "high_again" + level);
        synthesis.picture = Func("picture" + level);
        synthesis.picture(x, y) = synthesis_at(
            x, [&](int back) { return synthesis.low(x / 2 - back, y); },
            [&](int back) { return synthesis.high(x / 2 - back, y); });
        return synthesis;
    }

    Var x{"x"}, y{"y"};
    Func clamped{"clamped"};
    Bands fine, coarse;
    Synthesis restored, result;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Wavelet, wavelet)
