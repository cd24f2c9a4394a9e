#include "probe/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "measure/timing.h"
#include "probe/accesses.h"

namespace nestor::probe {

using Halide::Func;
using Halide::ImageParam;
using Halide::RDom;
using Halide::Var;

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20U;

std::int64_t whole(const Quantity& quantity) {
    return static_cast<std::int64_t>(quantity.value);
}

int natural_bytes(const Machine& machine) {
    return static_cast<int>(machine.vector_bytes[ElementType::Int32].value);
}

std::int64_t l3_working_set(const Machine& machine) {
    return std::min(4 * whole(machine.l2.bytes), whole(machine.l3.bytes) / 2);
}

/** More than the last cache keeps, but no more than a quarter of the memory. */
std::int64_t dram_working_set(const Machine& machine) {
    const std::int64_t caches =
        machine.l3.bytes.known() ? whole(machine.l3.bytes) : whole(machine.l2.bytes);
    const std::int64_t memory =
        static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    constexpr std::int64_t kLargest = 2000 * kMiB;  // Halide indexes buffers by 32 bits
    return std::min({std::max(256 * kMiB, 4 * caches), memory / 4, kLargest});
}

KernelCode triad_code(int lanes, int threads, const Halide::Buffer<>& left,
                      const Halide::Buffer<>& right, const Halide::Buffer<>& result) {
    KernelCode code;
    const ImageParam b(Halide::Float(32), 1, left.name());
    const ImageParam c(Halide::Float(32), 1, right.name());
    const Var x("x");
    const Var xi("xi");
    const RDom r(0, code.repeats, "r");
    code.output = Func("triad");
    code.output(x) = Halide::undef<float>();
    code.output(x) = b(x) + 3.0F * c(x) + Halide::cast<float>(r);
    const int part = result.dim(0).extent() / threads / lanes * lanes;
    code.output.update()
        .split(x, x, xi, part, Halide::TailStrategy::GuardWithIf)
        .reorder(xi, x, r)
        .vectorize(xi, lanes);
    if (threads > 1) {
        code.output.update().parallel(x);
    }
    code.inputs = {left, right};
    code.result = result;
    return code;
}

void probe_dram(const Halide::Target& target, Machine& machine) {
    const int vector_bytes = natural_bytes(machine);
    const std::int64_t working_set = dram_working_set(machine);
    const std::string note = std::to_string(working_set / kMiB) + " MiB";
    const Halide::Buffer<> memory = read_memory(working_set);
    const int third = static_cast<int>(working_set / 12);
    Halide::Buffer<float> b(third, "b");
    Halide::Buffer<float> c(third, "c");
    const Halide::Buffer<float> a(third, "a");
    b.fill(1);
    c.fill(1);
    const int cores = static_cast<int>(machine.cores.value);
    Threads last = Threads::One;
    int last_threads = 0;  // measured, as `last`
    for (std::size_t i = 0; i < kThreads; i++) {
        const auto key = static_cast<Threads>(i);
        const int threads = key == Threads::All ? cores : threads_of(key);
        if (threads > cores) {
            machine.dram[key] = {};
            continue;
        }
        if (threads == last_threads) {
            machine.dram[key] = machine.dram[last];
            continue;
        }
        last = key;
        last_threads = threads;
        JitProgram::set_threads(threads);
        machine.dram[key].read =
            measured(read_bytes_per_second(target, vector_bytes, threads, memory), note);
        const Kernel triad(triad_code(vector_bytes / 4, threads, b, c, a), target);
        machine.dram[key].triad = measured(12.0 * third / fastest_seconds(triad, 0), note);
    }
    JitProgram::set_threads(1);
}

/** Writes one byte of each page. */
KernelCode touch_code(std::uint8_t* memory, int pages, int page_bytes) {
    KernelCode code;
    const Var x("x");
    code.output = Func("touched");
    code.output(x) = Halide::cast<std::uint8_t>(x + code.repeats);
    code.output.output_buffer().dim(0).set_stride(page_bytes);
    halide_dimension_t shape(0, pages, page_bytes);
    code.result =
        Halide::Buffer<std::uint8_t>(Halide::Runtime::Buffer<std::uint8_t>(memory, 1, &shape));
    return code;
}

double page_fault_seconds(const Halide::Target& target, int page_bytes) {
    constexpr std::size_t kBytes = 64 * kMiB;
    const int pages = static_cast<int>(kBytes / page_bytes);
    void* memory =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::runtime_error("the probe cannot map 64 MiB");
    }
    const Kernel touch(touch_code(static_cast<std::uint8_t*>(memory), pages, page_bytes), target);
    std::vector<double> rounds;
    for (int i = 0; i < 5; i++) {
        if (madvise(memory, kBytes, MADV_DONTNEED) != 0) {  // the pages are gone again
            throw std::runtime_error("the probe cannot give pages back");
        }
        const double first = touch.seconds(1);
        const double again = std::min(touch.seconds(2), touch.seconds(3));
        rounds.push_back((first - again) / pages);
    }
    munmap(memory, kBytes);
    return median_of(std::move(rounds));
}

/** Each repeat computes a row of 4 KiB and reads its ends: in memory that is allocated for it, or
 * once for all. */
KernelCode row_code(bool allocate) {
    KernelCode code;
    const ImageParam extent(Halide::Int(32), 1, "extent");
    const Var x("x");
    const Var y("y");
    const RDom r(0, code.repeats, "r");
    Func row("row");
    Func total("total");
    row(x, y) = x + y;
    total(x) = 0;
    total(x) += row(0, r) + row(extent(0) - 1, r);
    code.output = Func("totals");
    code.output(x) = total(x);
    total.compute_root();
    row.compute_at(total, r)
        .store_in(Halide::MemoryType::Heap)
        .vectorize(x, 4, Halide::TailStrategy::GuardWithIf);
    if (!allocate) {
        row.store_root().fold_storage(y, 1);
    }
    Halide::Buffer<std::int32_t> length(1, "extent");
    length(0) = 1024;
    code.inputs = {length};
    code.result = Halide::Buffer<std::int32_t>(1);
    return code;
}

double allocation_seconds(const Halide::Target& target) {
    const double with = fastest_seconds(Kernel(row_code(true), target));
    const double without = fastest_seconds(Kernel(row_code(false), target));
    // Less than can be measured is still more than nothing.
    return std::max(with - without, 1e-9);
}

/** Working sets double from that of l3.read on. */
void probe_last_cache(const Survey& survey, Machine& machine) {
    const int vector_bytes = natural_bytes(machine);
    const double slow = machine.dram[Threads::One].read.value;
    const double fast = machine.l3.read.value * machine.clock.value;
    const std::int64_t all = whole(machine.l3.bytes);
    std::int64_t good = l3_working_set(machine);
    for (std::int64_t next = 2 * good; next <= all; next *= 2) {
        const double speed =
            read_bytes_per_second(survey.target(), vector_bytes, 1, read_memory(next));
        if (speed < std::sqrt(slow * fast)) {
            machine.l3.bytes =
                measured(static_cast<double>(good),
                         "larger working sets are read as from memory; the operating system says " +
                             std::to_string(all / kMiB) + " MiB");
            return;
        }
        good = next;
    }
}

}  // namespace

double read_bytes_per_second(const Halide::Target& target, int vector_bytes, int threads,
                             const Halide::Buffer<>& memory) {
    const auto bytes = static_cast<std::int64_t>(memory.size_in_bytes());
    const KernelCode read = read_code(vector_bytes, bytes, threads, memory);
    return read.count * vector_bytes / fastest_seconds(Kernel(read, target));
}

void survey_caches(Survey& survey, Machine& machine) {
    const int vector_bytes = natural_bytes(machine);
    const auto add = [&](std::int64_t working_set, Quantity& quantity) {
        const std::string note = std::to_string(working_set / 1024) + " KiB";
        survey.add(read_code(vector_bytes, working_set, 1, read_memory(working_set)),
                   [&quantity, vector_bytes, note](double cycles) {
                       quantity = measured(vector_bytes / cycles, note);
                   });
    };
    add(whole(machine.l1.bytes) / 2, machine.l1.read);
    add(std::max(4 * whole(machine.l1.bytes), whole(machine.l2.bytes) / 2), machine.l2.read);
    if (machine.l3.bytes.known()) {
        add(l3_working_set(machine), machine.l3.read);
    }
}

void probe_memory(const Survey& survey, Machine& machine) {
    probe_dram(survey.target(), machine);
    if (machine.l3.bytes.known()) {
        probe_last_cache(survey, machine);
    }
    machine.page_fault =
        measured(page_fault_seconds(survey.target(), static_cast<int>(machine.page_bytes.value)));
    machine.allocation = measured(allocation_seconds(survey.target()));
}

}  // namespace nestor::probe
