// From the numbers of a camera's sensor to a picture: hot pixels out, colours from the mosaic,
// colour correction, tone curve, sharpening. 16-bit mosaic in, 8-bit colours out.
//
// The mosaic's rows alternate G R G R ... and B G B G ...
//
// Yardstick: OpenCV, five steps, 56.2 ms beside this schedule's 12.1 ms (Intel Sapphire Rapids,
// 2 cores of a busy virtual machine, 2026-11-21; scripts/yardsticks).

#include "Halide.h"

namespace {

using Halide::absd;
using Halide::cast;
using Halide::clamp;
using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::max;
using Halide::min;
using Halide::mux;
using Halide::pow;
using Halide::select;
using Halide::TailStrategy;
using Halide::Var;
using Halide::BoundaryConditions::mirror_interior;

class CameraPipe : public Generator<CameraPipe> {
  public:
    GeneratorParam<int> width{"width", 2560};
    GeneratorParam<int> height{"height", 1536};
    /** Bits of the sensor's numbers. */
    GeneratorParam<int> sensor_bits{"sensor_bits", 10, 8, 12};

    Input<Buffer<uint16_t, 2>> input{"input"};
    /** Four columns (red, green, blue, one) and a row for each channel of the result, in the
     * sensor's units. */
    Input<Buffer<float, 2>> matrix{"matrix"};
    Input<float> gamma{"gamma", 2.2f, 0.5f, 4.0f};
    Input<int> black_level{"black_level", 25, 0, 255};
    /** In 32nds. */
    Input<uint8_t> sharpening{"sharpening", 32};
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        // The mirror leaves out the edge itself, so that a mirrored pixel keeps its colour in the
        // mosaic.
        clamped(x, y) = mirror_interior(input)(x, y);
        remove_hot_pixels(clamped);
        demosaic();
        correct_colors();
        map_tones();
        sharpen();

        input.set_estimates({{0, width}, {0, height}});
        matrix.set_estimates({{0, 4}, {0, 3}});
        gamma.set_estimate(2.2f);
        black_level.set_estimate(25);
        sharpening.set_estimate(32);
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        const int lanes = natural_vector_size<int16_t>();
        Var strip("strip"), yi("yi");
        curve.compute_root().vectorize(i, natural_vector_size<float>());
        fixed_matrix.compute_root();

        output.bound(c, 0, 3)
            .split(y, strip, y, 64, TailStrategy::GuardWithIf)
            .reorder(x, c, y, strip)
            .vectorize(x, lanes)
            .unroll(c)
            .parallel(strip);
        across.store_at(output, strip).compute_at(output, y).vectorize(x, lanes);

        // From the mosaic to the tones in pairs of rows that begin with an even one, so that it is
        // known for each pixel which colour it has. The table is read one by one: vectors would
        // have to be taken apart for it.
        toned.compute_at(output, strip)
            .align_bounds(y, 2)
            .split(y, y, yi, 2)
            .reorder(x, c, yi, y)
            .unroll(x, 16);
        corrected.compute_at(toned, y)
            .align_bounds(x, 2)
            .align_bounds(y, 2)
            .reorder(c, y, x)
            .unroll(c)
            .unroll(y)
            .vectorize(x, lanes);
        // Halide takes even and odd columns apart: each makes a vector of its own.
        green.store_at(output, strip)
            .compute_at(toned, y)
            .vectorize(x, 2 * lanes)
            .align_bounds(x, 2);
        sensor.store_at(output, strip).compute_at(toned, y).vectorize(x, lanes);
        // Stored, so that the mirrored edges are looked up once and not five times.
        clamped.store_at(output, strip).compute_at(toned, y).vectorize(x, lanes / 2);
    }

  private:
    int white() const { return (1 << sensor_bits) - 1; }

    static Expr average(const Expr& a, const Expr& b) { return (a + b + 1) / 2; }

    /** A pixel brighter or darker than all four neighbours of its colour is taken for a fault. */
    void remove_hot_pixels(const Func& f) {
        Expr left = f(x - 2, y);
        Expr right = f(x + 2, y);
        Expr above = f(x, y - 2);
        Expr below = f(x, y + 2);
        sensor(x, y) = cast<int16_t>(clamp(f(x, y), min(min(left, right), min(above, below)),
                                           max(max(left, right), max(above, below))));
    }

    /** Green along the smaller change; red and blue by their difference to green (Hamilton and
     * Adams). */
    void demosaic() {
        const Func& f = sensor;
        Expr even_x = x % 2 == 0;
        Expr even_y = y % 2 == 0;
        Expr is_green = even_x == even_y;

        Expr change_across = absd(f(x - 1, y), f(x + 1, y));
        Expr change_down = absd(f(x, y - 1), f(x, y + 1));
        green(x, y) = select(is_green, f(x, y), change_across < change_down,
                             average(f(x - 1, y), f(x + 1, y)), average(f(x, y - 1), f(x, y + 1)));

        difference(x, y) = f(x, y) - green(x, y);
        Expr own = difference(x, y);
        Expr beside = average(difference(x - 1, y), difference(x + 1, y));
        Expr down = average(difference(x, y - 1), difference(x, y + 1));
        Expr diagonal = (difference(x - 1, y - 1) + difference(x + 1, y - 1) +
                         difference(x - 1, y + 1) + difference(x + 1, y + 1) + 2) /
                        4;
        // Rows with red in them are the even ones, and there red sits at odd x; blue is at even x
        // of odd rows.
        Expr red = select(even_y, select(even_x, beside, own), select(even_x, diagonal, down));
        Expr blue = select(even_y, select(even_x, down, diagonal), select(even_x, own, beside));
        color(x, y, c) = mux(c, {green(x, y) + red, green(x, y), green(x, y) + blue});
    }

    /** In fixed point, with 8 bits behind the point. */
    void correct_colors() {
        fixed_matrix(i, c) = cast<int16_t>(Halide::round(matrix(i, c) * 256.0f));
        Expr total = cast<int32_t>(fixed_matrix(3, c));
        for (int channel = 0; channel < 3; channel++) {
            total += cast<int32_t>(fixed_matrix(channel, c)) * cast<int32_t>(color(x, y, channel));
        }
        corrected(x, y, c) = cast<int16_t>(clamp(total / 256, 0, white()));
    }

    /** By a table with an entry for each number of the sensor. */
    void map_tones() {
        Expr light =
            clamp(cast<float>(i - black_level) / cast<float>(white() - black_level), 0.0f, 1.0f);
        // The knee lifts the middle and bends into white instead of clipping.
        Expr bright = pow(light, 1.0f / gamma);
        Expr knee = bright * bright * (3.0f - 2.0f * bright);
        curve(i) =
            cast<uint8_t>(clamp((0.5f * bright + 0.5f * knee) * 255.0f + 0.5f, 0.0f, 255.0f));
        toned(x, y, c) = curve(clamp(cast<int32_t>(corrected(x, y, c)), 0, white()));
    }

    /** Unsharp mask with the filter 1 2 1. */
    void sharpen() {
        const Func& f = toned;
        across(x, y, c) = blur_of(f(x - 1, y, c), f(x, y, c), f(x + 1, y, c));
        blur(x, y, c) = blur_of(across(x, y - 1, c), across(x, y, c), across(x, y + 1, c));
        Expr own = cast<int16_t>(f(x, y, c));
        Expr mask = cast<int32_t>(own - cast<int16_t>(blur(x, y, c)));
        Expr result = cast<int32_t>(own) + mask * cast<int32_t>(sharpening) / 32;
        output(x, y, c) = cast<uint8_t>(clamp(result, 0, 255));
    }

    static Expr blur_of(const Expr& a, const Expr& b, const Expr& c) {
        return cast<uint8_t>((cast<uint16_t>(a) + 2 * cast<uint16_t>(b) + cast<uint16_t>(c) + 2) /
                             4);
    }

    Var x{"x"}, y{"y"}, c{"c"}, i{"i"};
    Func clamped{"clamped"}, sensor{"sensor"}, green{"green"}, difference{"difference"},
        color{"color"};
    Func fixed_matrix{"fixed_matrix"}, corrected{"corrected"}, curve{"curve"}, toned{"toned"};
    Func across{"blur_across"}, blur{"blur"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(CameraPipe, camera_pipe)
