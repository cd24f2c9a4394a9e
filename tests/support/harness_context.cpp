#include "harness_context.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "padded_buffer.h"

namespace nestor::testing {

namespace {

constexpr size_t kAlignment = 128;
constexpr size_t kGuardBytes = 256;
constexpr uint8_t kGuard = 0xb5;

using ParallelBody = int (*)(Halide::JITUserContext*, int, uint8_t*);

int forwards(Halide::JITUserContext* context, ParallelBody body, int min, int extent,
             uint8_t* closure) {
    for (int i = min; i < min + extent; i++) {
        if (const int status = body(context, i, closure)) {
            return status;
        }
    }
    return 0;
}

int backwards(Halide::JITUserContext* context, ParallelBody body, int min, int extent,
              uint8_t* closure) {
    for (int i = min + extent - 1; i >= min; i--) {
        if (const int status = body(context, i, closure)) {
            return status;
        }
    }
    return 0;
}

}  // namespace

HarnessContext::HarnessContext(ParallelOrder order, bool fill_allocations, uint64_t seed)
    : seed_(mix(seed)) {
    if (order == ParallelOrder::Forwards) {
        handlers.custom_do_par_for = forwards;
    } else if (order == ParallelOrder::Backwards) {
        handlers.custom_do_par_for = backwards;
    }
    if (fill_allocations) {
        handlers.custom_malloc = allocate;
        handlers.custom_free = release;
    }
}

// An allocation is: one aligned block with its size, the memory handed out, the guard.

void* HarnessContext::allocate(Halide::JITUserContext* context, size_t bytes) {
    auto* self = static_cast<HarnessContext*>(context);
    const size_t total =
        (kAlignment + bytes + kGuardBytes + kAlignment - 1) / kAlignment * kAlignment;
    auto* block = static_cast<uint8_t*>(std::aligned_alloc(kAlignment, total));
    if (block == nullptr) {
        return nullptr;  // Halide reports it as a run-time error
    }
    std::memcpy(block, &bytes, sizeof(bytes));
    uint8_t* memory = block + kAlignment;
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        const uint64_t garbage = self->seed_ * (i + 1);
        std::memcpy(memory + i, &garbage, std::min(sizeof(garbage), bytes - i));
    }
    std::memset(memory + bytes, kGuard, kGuardBytes);
    self->live_++;
    return memory;
}

void HarnessContext::release(Halide::JITUserContext* context, void* memory) {
    auto* self = static_cast<HarnessContext*>(context);
    uint8_t* block = static_cast<uint8_t*>(memory) - kAlignment;
    size_t bytes = 0;
    std::memcpy(&bytes, block, sizeof(bytes));
    const uint8_t* guard = static_cast<uint8_t*>(memory) + bytes;
    if (std::any_of(guard, guard + kGuardBytes, [](uint8_t byte) { return byte != kGuard; })) {
        self->overruns_++;
    }
    self->live_--;
    std::free(block);
}

}  // namespace nestor::testing
