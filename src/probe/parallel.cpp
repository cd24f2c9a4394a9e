#include "probe/parallel.h"

#include <algorithm>

namespace nestor::probe {

using Halide::Expr;
using Halide::Func;
using Halide::RDom;
using Halide::Var;

namespace {

double loop_seconds(const Halide::Target& target, int tasks, int work) {
    return fastest_seconds(Kernel(tasks_code(tasks, work), target));
}

}  // namespace

KernelCode tasks_code(int tasks, int work) {
    KernelCode code;
    const Var x("x");
    const RDom r(0, work, 0, code.repeats, "r");
    code.output = Func("tasks");
    code.output(x) = Halide::undef<std::int32_t>();
    code.output(x) = (code.output(x) + r.y) ^ r.x;
    code.output.update().reorder(r.x, x, r.y).parallel(x);
    code.result = Halide::Buffer<std::int32_t>(tasks);
    return code;
}

void probe_parallel(const Halide::Target& target, Machine& machine) {
    const int cores = std::max(2, static_cast<int>(machine.cores.value));
    JitProgram::set_threads(cores);
    // Long enough that each core gets one: with short tasks the first core would do them all.
    constexpr int kLong = 100'000;
    const double nothing = loop_seconds(target, 1, 1);
    const double alone = loop_seconds(target, 1, kLong);
    const double together = loop_seconds(target, cores, kLong);
    constexpr int kMany = 64;
    const double few = loop_seconds(target, cores, 1);
    const double many = loop_seconds(target, kMany * cores, 1);
    JitProgram::set_threads(1);
    constexpr double kLeast = 1e-9;
    machine.launch = measured(std::max(together - alone + nothing, kLeast));
    machine.task = measured(std::max((many - few) / (kMany - 1), kLeast));
}

}  // namespace nestor::probe
