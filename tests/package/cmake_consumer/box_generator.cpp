#include "Halide.h"

// Mean of 3 x 3 pixels; no schedule of its own.
class Box : public Halide::Generator<Box> {
  public:
    Input<Halide::Buffer<uint8_t, 2>> input{"input"};
    Output<Halide::Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        Halide::Var x{"x"}, y{"y"};
        Halide::Func wide{"wide"}, rows{"rows"};
        wide(x, y) = Halide::cast<uint16_t>(input(x, y));
        rows(x, y) = wide(x, y) + wide(x + 1, y) + wide(x + 2, y);
        output(x, y) = Halide::cast<uint8_t>((rows(x, y) + rows(x, y + 1) + rows(x, y + 2)) / 9);
        input.set_estimates({{0, 642}, {0, 482}});
        output.set_estimates({{0, 640}, {0, 480}});
    }
};

HALIDE_REGISTER_GENERATOR(Box, box)
