// Two small generators in one program for the tests of `nestor`, with parameters that make them go
// wrong.

#include <cstdlib>
#include <iostream>

#include "Halide.h"

namespace {

using Halide::cast;
using Halide::Func;
using Halide::Generator;
using Halide::RDom;
using Halide::Var;

class Blur : public Generator<Blur> {
  public:
    GeneratorParam<int> radius{"radius", 1};
    GeneratorParam<bool> estimates{"estimates", true};
    /** "refuse", "crash", "exit": how generate() ends. */
    GeneratorParam<std::string> trouble{"trouble", ""};

    Input<Buffer<uint8_t, 2>> input{"input"};
    Input<int> offset{"offset", 0};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        make_trouble();
        Var x{"x"}, y{"y"};
        Func wide{"wide"}, rows{"rows"};
        wide(x, y) = cast<uint16_t>(input(x, y));
        rows(x, y) = wide(x, y) + wide(x + radius, y);
        output(x, y) = cast<uint8_t>((rows(x, y) + rows(x, y + radius) + offset) / 4);
        offset.set_estimate(2);
        if (estimates) {
            input.set_estimates({{0, 640 + radius}, {0, 480 + radius}});
            output.set_estimates({{0, 640}, {0, 480}});
        }
        if (!using_autoscheduler()) {
            rows.compute_root();
        }
    }

  private:
    void make_trouble() {
        std::cout << "the generator's own words\n";
        const std::string kind = trouble;
        if (kind == "refuse") {
            throw Halide::CompileError("told to refuse");
        }
        if (kind == "crash") {
            std::abort();
        }
        if (kind == "exit") {
            std::_Exit(0);
        }
    }
};

class Total : public Generator<Total> {
  public:
    Input<Buffer<float, 1>> input{"input"};
    Output<Buffer<float, 0>> output{"output"};

    void generate() {
        RDom r(0, 100000);
        output() += input(r);
        input.set_estimates({{0, 100000}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Blur, blur)
HALIDE_REGISTER_GENERATOR(Total, total)
