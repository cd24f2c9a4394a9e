#include "probe/kernel.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "halide/lower.h"
#include "measure/timing.h"

namespace nestor::probe {

namespace {

constexpr int kRounds = 7;

JitProgram compiled(const Halide::Pipeline& pipeline, const Halide::Target& target) {
    Result<JitProgram> program = JitProgram::compile(pipeline, target);
    if (!program) {
        throw std::runtime_error("a kernel of the probe: " + program.error());
    }
    return std::move(program).value();
}

}  // namespace

Kernel::Kernel(const KernelCode& code, const Halide::Target& target)
    : program_(compiled(Halide::Pipeline(code.output), target)) {
    for (const Halide::Argument& argument : caller_arguments(Halide::Pipeline(code.output))) {
        if (argument.is_output()) {
            buffers_.push_back(code.result);
            continue;
        }
        const auto input = std::find_if(
            code.inputs.begin(), code.inputs.end(),
            [&](const Halide::Buffer<>& each) { return each.name() == argument.name; });
        buffers_.push_back(input == code.inputs.end() ? Halide::Buffer<>() : *input);
        if (input == code.inputs.end() && argument.name != code.repeats.name()) {
            throw std::runtime_error("a kernel of the probe lacks its input " + argument.name);
        }
    }
}

double Kernel::seconds(int repeats) const {
    std::vector<void*> argv;
    for (const Halide::Buffer<>& buffer : buffers_) {
        argv.push_back(buffer.defined()
                           ? const_cast<halide_buffer_t*>(buffer.raw_buffer())  // as argv wants it
                           : static_cast<void*>(&repeats));
    }
    const double start = steady_seconds();
    const Status status = program_.run(argv.data());
    const double end = steady_seconds();
    if (!status) {
        throw std::runtime_error("a kernel of the probe: " + status.error());
    }
    return end - start;
}

int Kernel::repeats_for(double wanted) const {
    constexpr int kMost = 1 << 28;
    (void)seconds(1);  // what it reads may still be far away
    int repeats = 1;
    double taken = seconds(repeats);
    while (taken < wanted / 2 && repeats < kMost) {
        const double factor = std::min(16.0, wanted / std::max(taken, 1e-9));
        repeats = static_cast<int>(std::min<double>(kMost, std::ceil(repeats * factor)));
        taken = seconds(repeats);
    }
    return repeats;
}

double fastest_seconds(const Kernel& kernel, double seconds_a_round) {
    const int repeats = kernel.repeats_for(seconds_a_round);
    double best = kernel.seconds(repeats);
    for (int i = 1; i < kRounds; i++) {
        best = std::min(best, kernel.seconds(repeats));
    }
    return best / repeats;
}

}  // namespace nestor::probe
