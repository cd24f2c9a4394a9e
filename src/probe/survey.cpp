#include "probe/survey.h"

#include <algorithm>
#include <limits>

namespace nestor::probe {

namespace {

constexpr int kSurveyRounds = 15;
constexpr double kSample = 3e-4;  // seconds
constexpr int kChain = 16;        // operations in one repeat of the clock's kernel

KernelCode clock_code() {
    KernelCode code;
    const Halide::Var x("x");
    const Halide::ImageParam operands(Halide::Int(64), 1, "operands");
    const Halide::RDom r(0, code.repeats, "r");
    Halide::Func chain("chain");
    chain(x) = operands(x);
    Halide::Expr value = chain(x);
    for (int i = 0; i < kChain / 2; i++) {
        value = (value + operands(1)) ^ operands(2);
    }
    chain(x) = value + Halide::cast<std::int64_t>(r - r);  // names the loop
    chain.compute_root().store_in(Halide::MemoryType::Stack);
    code.output = Halide::Func("cycles");
    code.output(x) = chain(x);
    code.output.bound(x, 0, 1);
    Halide::Buffer<std::int64_t> values(3, "operands");
    values(0) = 1;
    values(1) = 0x123456789;
    values(2) = 0x987654321;
    code.inputs = {values};
    code.result = Halide::Buffer<std::int64_t>(1);
    code.count = kChain;
    return code;
}

}  // namespace

Survey::Survey(const Halide::Target& target)
    : target_(target),
      clock_(clock_code(), target),
      clock_repeats_(clock_.repeats_for(kSample / 2)),
      best_cycle_(std::numeric_limits<double>::infinity()) {}

void Survey::add(const KernelCode& code, std::function<void(double)> take) {
    Kernel kernel(code, target_);
    const int repeats = kernel.repeats_for(kSample);
    entries_.push_back(
        {std::move(kernel), repeats, code.count, code.other_cycles, std::move(take), {}});
}

void Survey::add(const KernelCode& code, Quantity& quantity) {
    add(code, [&quantity](double cycles) { quantity = measured(cycles); });
}

double Survey::time_clock() {
    const double cycle = clock_.seconds(clock_repeats_) / clock_repeats_ / kChain;
    best_cycle_ = std::min(best_cycle_, cycle);
    return cycle;
}

void Survey::measure() {
    for (int round = 0; round < kSurveyRounds; round++) {
        for (Entry& entry : entries_) {
            const double before = time_clock();
            const double seconds = entry.kernel.seconds(entry.repeats) / entry.repeats;
            entry.rounds.push_back(seconds / std::min(before, time_clock()));
        }
    }
    // Less than can be measured is still more than nothing.
    constexpr double kLeast = 0.05;
    for (Entry& entry : entries_) {
        const auto quarter = entry.rounds.begin() + kSurveyRounds / 4;
        std::nth_element(entry.rounds.begin(), quarter, entry.rounds.end());
        entry.take(std::max(kLeast, *quarter / entry.count - entry.other_cycles));
    }
    entries_.clear();
}

double cycles_of_one(const Halide::Target& target, const KernelCode& code) {
    Survey survey(target);
    double result = 0;
    survey.add(code, [&](double cycles) { result = cycles; });
    survey.measure();
    return result;
}

}  // namespace nestor::probe
