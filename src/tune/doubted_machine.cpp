#include "tune/doubted_machine.h"

#include <cmath>

namespace nestor {

namespace {

// Between 1 / most and most, as likely to be below 1 as above.
double factor(double most, std::mt19937_64& random) {
    std::uniform_real_distribution<double> exponent(-1, 1);
    return std::pow(most, exponent(random));
}

}  // namespace

Machine doubted(const Machine& machine, std::mt19937_64& random) {
    constexpr double kMostSecondsOfTask = 4e-6;  // seen: 1.2e-6 to 4e-6 (terms/parallel.cpp)
    Machine result = machine;
    // Cycles of operations and of the caches.
    result.clock.value *= factor(2.5, random);
    const double bandwidth = factor(1.5, random);
    for (std::size_t i = 0; i < kThreads; i++) {
        Bandwidth& each = result.dram[static_cast<Threads>(i)];
        each.read.value *= bandwidth;
        each.triad.value *= bandwidth;
    }
    result.l2.read.value *= factor(1.5, random);
    result.l3.read.value *= factor(2, random);
    // Neighbours use a part of the last one.
    result.l3.bytes.value *= factor(3, random);
    result.page_fault.value *= factor(2, random);
    result.launch.value *= factor(2, random);
    result.task.value += std::uniform_real_distribution<double>(0, kMostSecondsOfTask)(random);
    return result;
}

}  // namespace nestor
