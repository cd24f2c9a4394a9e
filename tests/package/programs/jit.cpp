// usage: loading_jit PLUGIN.so
// Schedules a pipeline in this process, runs it, compares with the unscheduled one; catches a wrong
// parameter; prints which libHalide files are mapped.

#include <fstream>
#include <iostream>
#include <map>
#include <string>

#include "Halide.h"

namespace {

using Halide::Buffer;
using Halide::Func;
using Halide::Pipeline;
using Halide::Var;

Pipeline make_pipeline() {
    Var x{"x"}, y{"y"};
    Func ramp{"ramp"}, sum{"sum"};
    ramp(x, y) = x * 3 + y;
    ramp(x, y) = x * 3 + y * 5;  // hides the first: Halide prints a warning
    sum(x, y) = ramp(x, y) + ramp(x + 1, y) + ramp(x, y + 1);
    sum.set_estimates({{0, 200}, {0, 100}});
    return Pipeline(sum);
}

bool same(const Buffer<int>& a, const Buffer<int>& b) {
    bool equal = true;
    a.for_each_element([&](int x, int y) { equal = equal && a(x, y) == b(x, y); });
    return equal;
}

std::string refusal(const std::map<std::string, std::string>& extra) {
    try {
        make_pipeline().apply_autoscheduler(Halide::get_host_target(), {"Nestor", extra});
    } catch (const Halide::CompileError& error) {
        return error.what();
    }
    return "none\n";
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: loading_jit PLUGIN.so\n";
        return 2;
    }
    Halide::load_plugin(argv[1]);
    Pipeline scheduled = make_pipeline();
    scheduled.apply_autoscheduler(Halide::get_host_target(), {"Nestor", {{"parallelism", "4"}}});
    const Buffer<int> result = scheduled.realize({200, 100});
    const Buffer<int> expected = make_pipeline().realize({200, 100});
    std::cout << "SAME " << same(result, expected) << "\n";
    std::cout << "REFUSED " << refusal({{"beam_size", "wide"}});
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.find("libHalide") != std::string::npos) {
            std::cout << "MAPPED " << line.substr(line.find('/')) << "\n";
        }
    }
    return 0;
}
