// The probe is checked by perturbation: what should make a figure worse or better does. Machines
// are busy at times, which can hide any difference: each check may be repeated a few times.

#include "probe/probe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "halide/target_machine.h"
#include "machine/walk.h"
#include "probe/accesses.h"
#include "probe/memory.h"
#include "probe/operations.h"
#include "probe/parallel.h"
#include "probe/survey.h"
#include "probe/system.h"

namespace nestor::probe {
namespace {

constexpr int kAttempts = 6;

/** Passes if `holds` once does. Neighbours of a virtual machine take a core for seconds: attempts
 * are further and further apart. */
void expect_eventually(const char* what, const std::function<bool()>& holds) {
    std::chrono::milliseconds pause(100);
    for (int i = 0; i < kAttempts; i++) {
        if (holds()) {
            return;
        }
        std::this_thread::sleep_for(pause);
        pause *= 2;
    }
    ADD_FAILURE() << what << ": not in " << kAttempts << " attempts";
}

/** Loads that wait for each other, from all lines of that many bytes in random order: each repeat
 * comes to all of them. */
KernelCode chase_code(std::int64_t bytes) {
    constexpr int kLine = 64 / 4;  // elements
    const int lines = static_cast<int>(bytes / 64);
    std::vector<int> order(lines);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    Halide::Buffer<std::int32_t> next(lines * kLine, "next");
    next.fill(0);
    for (int i = 0; i < lines; i++) {
        next(order[i] * kLine) = order[(i + 1) % lines] * kLine;
    }
    KernelCode code;
    const Halide::ImageParam table(Halide::Int(32), 1, "next");
    const Halide::RDom r(0, lines, 0, code.repeats, "r");
    Halide::Func place("place");
    place() = 0;
    place() = Halide::select(
        r.x < 0, 0, table(Halide::unsafe_promise_clamped(place(), 0, (lines - 1) * kLine)));
    const Halide::Var x("x");
    code.output = Halide::Func("last");
    code.output(x) = place();
    place.compute_root();
    code.inputs = {next};
    code.result = Halide::Buffer<std::int32_t>(1);
    return code;
}

class Probe : public testing::Test {
  protected:
    /** Of one of these loads. */
    [[nodiscard]] double chase_cycles(std::int64_t bytes) const {
        return cycles_of_one(target, chase_code(bytes)) / (static_cast<double>(bytes) / 64);
    }

    Probe() {
        describe_system(machine);
        JitProgram::set_threads(1);
    }

    [[nodiscard]] int natural(ElementType type) const {
        return static_cast<int>(machine.vector_bytes[type].value);
    }

    [[nodiscard]] double read_bytes_per_cycle(std::int64_t working_set) const {
        const int bytes = natural(ElementType::Int32);
        return bytes /
               cycles_of_one(target, read_code(bytes, working_set, 1, read_memory(working_set)));
    }

    /** Additions in a cycle, in natural vectors. */
    [[nodiscard]] double additions(ElementType type) const {
        const int bytes = natural(type);
        Width width = Width::Scalar;
        for (std::size_t i = 1; i < kWidths; i++) {
            const auto each = static_cast<Width>(i);
            width = bytes_of(each, type) == bytes ? each : width;
        }
        const double cycles = cycles_of_one(target, throughput_code(Arithmetic::Add, type, width));
        return static_cast<double>(bytes) / bytes_of(type) / cycles;
    }

    Halide::Target target = Halide::get_host_target();
    Machine machine = machine_of(target);
};

TEST_F(Probe, SeesTheFirstCacheEnd) {
    const auto l1 = static_cast<std::int64_t>(machine.l1.bytes.value);
    expect_eventually("half of L1 is read faster than twice its size", [&] {
        return read_bytes_per_cycle(l1 / 2) > 1.2 * read_bytes_per_cycle(2 * l1);
    });
}

TEST_F(Probe, SeesTheSecondCacheEnd) {
    // Not by reading in order: some prefetchers hide the end entirely.
    const auto l2 = static_cast<std::int64_t>(machine.l2.bytes.value);
    expect_eventually("half of L2 answers sooner than four times its size",
                      [&] { return 1.2 * chase_cycles(l2 / 2) < chase_cycles(4 * l2); });
}

TEST_F(Probe, MoreThreadsReadMore) {
    if (machine.cores.value < 2) {
        GTEST_SKIP() << "one core";
    }
    // As much as fits into the second caches of both, but not of one: a single core may take all
    // that neighbours leave of the memory behind.
    const auto l2 = static_cast<std::int64_t>(machine.l2.bytes.value);
    const Halide::Buffer<> memory = read_memory(l2 * 3 / 2);
    expect_eventually("two threads read more than one", [&] {
        JitProgram::set_threads(2);
        const double two = read_bytes_per_second(target, natural(ElementType::Int32), 2, memory);
        JitProgram::set_threads(1);
        const double one = read_bytes_per_second(target, natural(ElementType::Int32), 1, memory);
        return two > 1.15 * one;
    });
}

TEST_F(Probe, NarrowerTypesDoMore) {
    const std::pair<ElementType, ElementType> pairs[] = {
        {ElementType::Int8, ElementType::Int16},
        {ElementType::Int16, ElementType::Int32},
        {ElementType::Int32, ElementType::Int64},
        {ElementType::Float32, ElementType::Float64},
    };
    for (const auto& [narrow, wide] : pairs) {
        expect_eventually(name_of(narrow),
                          [&] { return additions(narrow) > 1.3 * additions(wide); });
    }
}

TEST_F(Probe, WhatWaitsIsSlower) {
    expect_eventually("dependent multiply-adds take longer", [&] {
        const auto type = ElementType::Float32;
        const double chain =
            cycles_of_one(target, latency_code(Arithmetic::MultiplyAdd, type, Width::Bytes16));
        const double free =
            cycles_of_one(target, throughput_code(Arithmetic::MultiplyAdd, type, Width::Bytes16));
        return chain > 2 * free;
    });
}

TEST_F(Probe, AnAdditionTakesACycle) {
    expect_eventually("the latency of an integer addition is about one cycle", [&] {
        const double cycles =
            cycles_of_one(target, latency_code(Arithmetic::Add, ElementType::Int32, Width::Scalar));
        return cycles > 0.8 && cycles < 1.3;
    });
}

TEST_F(Probe, DivisionCostsMoreThanMultiplication) {
    expect_eventually("division", [&] {
        const auto cycles = [&](Arithmetic operation) {
            return cycles_of_one(target,
                                 throughput_code(operation, ElementType::Float32, Width::Bytes16));
        };
        return cycles(Arithmetic::Divide) > 2 * cycles(Arithmetic::Multiply);
    });
}

TEST_F(Probe, GatheredElementsCostMoreThanLoadedOnes) {
    expect_eventually("gathers", [&] {
        const int bytes = natural(ElementType::Float32);
        const double gathered =
            cycles_of_one(target, gather_code(ElementType::Float32, bytes)) * bytes / 4;
        const double loaded = cycles_of_one(target, read_code(bytes, 4096, 1, read_memory(4096)));
        return gathered > 2 * loaded;
    });
}

TEST_F(Probe, ALongerStrideCostsMore) {
    expect_eventually("every fourth element against every second", [&] {
        const int bytes = natural(ElementType::Int16);
        return cycles_of_one(target, strided_load_code(ElementType::Int16, bytes, 4)) >
               1.2 * cycles_of_one(target, strided_load_code(ElementType::Int16, bytes, 2));
    });
}

TEST_F(Probe, ReportsWhatIsWrongWithAKernel) {
    KernelCode code;
    const Halide::Var x("x");
    code.output = Halide::Func("bad");
    code.output(x) = code.repeats;
    code.output.bound(x, 0, 8);
    code.result = Halide::Buffer<std::int32_t>(16);  // more than the bound allows
    const Kernel kernel(code, target);
    EXPECT_THROW((void)kernel.seconds(1), std::runtime_error);
    KernelCode lacking = code;
    const Halide::ImageParam table(Halide::Int(32), 1, "table");
    lacking.output = Halide::Func("lacking");
    lacking.output(x) = table(x) + lacking.repeats;
    EXPECT_THROW(Kernel(lacking, target), std::runtime_error);
}

/** As `nestor probe` does it: a minute. */
TEST(ProbeMachine, MeasuresWhatTheProfileHas) {
    ProbeOptions options;
    options.target = Halide::get_host_target();
    const Result<Machine> probed = probe_machine(options);
    ASSERT_TRUE(probed.ok()) << probed.error();
    const Machine& machine = probed.value();
    EXPECT_EQ(machine.target, options.target.to_string());
    EXPECT_EQ(machine.date.size(), std::string("2026-01-01").size());
    std::map<std::string, Quantity> shipped;
    const Machine profile = machine_of(options.target);
    for_each_quantity(profile, [&](const std::string& name, const Quantity& quantity) {
        shipped[name] = quantity;
    });
    for_each_quantity(machine, [&](const std::string& name, const Quantity& quantity) {
        const bool of_this_size = name.starts_with("dram.") || name.starts_with("l3.");
        if (shipped[name].known() && !of_this_size) {
            EXPECT_TRUE(quantity.known()) << name;
        }
        if (name.starts_with("operation.") && quantity.known()) {
            EXPECT_EQ(quantity.evidence, Evidence::Measured) << name;
            EXPECT_LT(quantity.value, 5000) << name;
        }
    });
    EXPECT_GT(machine.clock.value, 2e8);
    EXPECT_LT(machine.clock.value, 2e10);
    EXPECT_EQ(machine.dram[Threads::All].read.evidence, Evidence::Measured);
    EXPECT_GT(machine.l1.read.value,
              1.5 * machine.dram[Threads::One].read.value / machine.clock.value);
    EXPECT_EQ(machine.launch.evidence, Evidence::Measured);
    EXPECT_EQ(machine.page_fault.evidence, Evidence::Measured);
}

TEST(ProbeMachine, RefusesOtherMachinesTargets) {
    ProbeOptions options;
    options.target = Halide::Target("hexagon-32-noos-hvx");
    const Result<Machine> machine = probe_machine(options);
    ASSERT_FALSE(machine.ok());
    EXPECT_NE(machine.error().find("only the host"), std::string::npos);
}

}  // namespace
}  // namespace nestor::probe
