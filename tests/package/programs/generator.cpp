// A generator that prints which libHalide files are mapped into its process; `warn=true` makes
// Halide print a warning, too.

#include <fstream>
#include <iostream>
#include <string>

#include "Halide.h"

namespace {

using Halide::Var;

class Loading : public Halide::Generator<Loading> {
  public:
    Halide::GeneratorParam<bool> warn{"warn", false};
    Input<Halide::Buffer<uint8_t, 2>> input{"input"};
    Output<Halide::Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        Halide::Func brighter{"brighter"};
        brighter(x, y) = input(x, y) + Halide::cast<uint8_t>(1);
        if (warn) {
            brighter(x, y) = input(x, y) + Halide::cast<uint8_t>(2);  // hides the first: a warning
        }
        output(x, y) = brighter(x, y) + brighter(x + 1, y);
        input.set_estimates({{0, 257}, {0, 64}});
        output.set_estimates({{0, 256}, {0, 64}});
        print_halides();
    }

  private:
    static void print_halides() {
        std::ifstream maps("/proc/self/maps");
        for (std::string line; std::getline(maps, line);) {
            if (line.find("libHalide") != std::string::npos) {
                std::cout << "MAPPED " << line.substr(line.find('/')) << "\n";
            }
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Loading, loading)
