// From the numbers of a camera's sensor to a picture: hot pixels out, colours from the mosaic,
// colour correction, tone curve, sharpening. 16-bit mosaic in, 8-bit colours out.
//
// The mosaic's rows alternate G R G R ... and B G B G ...

#include <string>

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
using Halide::Var;
using Halide::BoundaryConditions::mirror_interior;

class CameraPipe : public Generator<CameraPipe> {
  public:
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
        Func clamped = mirror_interior(input);
        Func sensor = without_hot_pixels(clamped);
        Func color = demosaiced(sensor);
        Func corrected = color_corrected(color);
        Func toned = tone_mapped(corrected);
        output(x, y, c) = sharpened(toned);

        input.set_estimates({{0, width}, {0, height}});
        matrix.set_estimates({{0, 4}, {0, 3}});
        gamma.set_estimate(2.2f);
        black_level.set_estimate(25);
        sharpening.set_estimate(32);
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

  private:
    static constexpr int width = 2560;
    static constexpr int height = 1536;

    int white() const { return (1 << sensor_bits) - 1; }

    static Expr average(const Expr& a, const Expr& b) { return (a + b + 1) / 2; }

    /** A pixel brighter or darker than all four neighbours of its colour is taken for a fault. */
    Func without_hot_pixels(const Func& f) {
        Expr left = f(x - 2, y);
        Expr right = f(x + 2, y);
        Expr above = f(x, y - 2);
        Expr below = f(x, y + 2);
        Func result("sensor");
        result(x, y) = cast<int16_t>(clamp(f(x, y), min(min(left, right), min(above, below)),
                                           max(max(left, right), max(above, below))));
        return result;
    }

    /** Green along the smaller change; red and blue by their difference to green (Hamilton and
     * Adams). */
    Func demosaiced(const Func& f) {
        Expr even_x = x % 2 == 0;
        Expr even_y = y % 2 == 0;
        Expr is_green = even_x == even_y;

        Func green("green");
        Expr change_across = absd(f(x - 1, y), f(x + 1, y));
        Expr change_down = absd(f(x, y - 1), f(x, y + 1));
        green(x, y) = select(is_green, f(x, y), change_across < change_down,
                             average(f(x - 1, y), f(x + 1, y)), average(f(x, y - 1), f(x, y + 1)));

        Func difference("difference");
        difference(x, y) = f(x, y) - green(x, y);
        Expr own = difference(x, y);
        Expr across = average(difference(x - 1, y), difference(x + 1, y));
        Expr down = average(difference(x, y - 1), difference(x, y + 1));
        Expr diagonal = (difference(x - 1, y - 1) + difference(x + 1, y - 1) +
                         difference(x - 1, y + 1) + difference(x + 1, y + 1) + 2) /
                        4;
        // Rows with red in them are the even ones, and there red sits at odd x; blue is at even x
        // of odd rows.
        Expr red = select(even_y, select(even_x, across, own), select(even_x, diagonal, down));
        Expr blue = select(even_y, select(even_x, down, diagonal), select(even_x, own, across));

        Func result("color");
        result(x, y, c) = mux(c, {green(x, y) + red, green(x, y), green(x, y) + blue});
        return result;
    }

    /** In fixed point, with 8 bits behind the point. */
    Func color_corrected(const Func& f) {
        Func fixed("fixed_matrix");
        fixed(i, c) = cast<int16_t>(Halide::round(matrix(i, c) * 256.0f));
        Expr total = cast<int32_t>(fixed(3, c));
        for (int channel = 0; channel < 3; channel++) {
            total += cast<int32_t>(fixed(channel, c)) * cast<int32_t>(f(x, y, channel));
        }
        Func result("corrected");
        result(x, y, c) = cast<int16_t>(clamp(total / 256, 0, white()));
        return result;
    }

    /** By a table with an entry for each number of the sensor. */
    Func tone_mapped(const Func& f) {
        Func curve("curve");
        Expr light =
            clamp(cast<float>(i - black_level) / cast<float>(white() - black_level), 0.0f, 1.0f);
        // The knee lifts the middle and bends into white instead of clipping.
        Expr bright = pow(light, 1.0f / gamma);
        Expr knee = bright * bright * (3.0f - 2.0f * bright);
        curve(i) =
            cast<uint8_t>(clamp((0.5f * bright + 0.5f * knee) * 255.0f + 0.5f, 0.0f, 255.0f));
        Func result("toned");
        result(x, y, c) = curve(clamp(cast<int32_t>(f(x, y, c)), 0, white()));
        return result;
    }

    /** Unsharp mask with the filter 1 2 1. */
    Expr sharpened(const Func& f) {
        Func across("blur_across");
        Func blur("blur");
        across(x, y, c) = blur_of(f(x - 1, y, c), f(x, y, c), f(x + 1, y, c));
        blur(x, y, c) = blur_of(across(x, y - 1, c), across(x, y, c), across(x, y + 1, c));
        Expr own = cast<int16_t>(f(x, y, c));
        Expr mask = cast<int32_t>(own - cast<int16_t>(blur(x, y, c)));
        Expr result = cast<int32_t>(own) + mask * cast<int32_t>(sharpening) / 32;
        return cast<uint8_t>(clamp(result, 0, 255));
    }

    static Expr blur_of(const Expr& a, const Expr& b, const Expr& c) {
        return cast<uint8_t>((cast<uint16_t>(a) + 2 * cast<uint16_t>(b) + cast<uint16_t>(c) + 2) /
                             4);
    }

    Var x{"x"}, y{"y"}, c{"c"}, i{"i"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(CameraPipe, camera_pipe)
