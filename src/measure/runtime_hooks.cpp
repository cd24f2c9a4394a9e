#include "measure/runtime_hooks.h"

#include <atomic>
#include <cstdlib>
#include <mutex>

namespace nestor {

namespace {

// The hooks are plain functions: hence these.
std::mutex error_mutex;
std::string error_text;
std::atomic<std::size_t> allocated_now{0};
std::atomic<std::size_t> allocated_peak{0};

/** In front of every counted block: its size. As large as the alignment, to keep it. */
constexpr std::size_t kHeader = 128;

}  // namespace

void* counted_malloc(void* /*user_context*/, std::size_t size) {
    const std::size_t whole = (size + 2 * kHeader - 1) / kHeader * kHeader;
    void* block = std::aligned_alloc(kHeader, whole);
    if (block == nullptr) {
        return nullptr;
    }
    *static_cast<std::size_t*>(block) = size;
    const std::size_t now = allocated_now.fetch_add(size) + size;
    std::size_t peak = allocated_peak.load();
    while (peak < now && !allocated_peak.compare_exchange_weak(peak, now)) {
    }
    return static_cast<char*>(block) + kHeader;
}

void counted_free(void* /*user_context*/, void* pointer) {
    if (pointer != nullptr) {
        void* block = static_cast<char*>(pointer) - kHeader;
        allocated_now.fetch_sub(*static_cast<std::size_t*>(block));
        std::free(block);
    }
}

std::size_t counted_peak() {
    return allocated_peak.load();
}

void keep_error(void* /*user_context*/, const char* message) {
    const std::lock_guard<std::mutex> lock(error_mutex);
    if (error_text.empty()) {
        error_text = message;
    }
}

std::string take_error() {
    const std::lock_guard<std::mutex> lock(error_mutex);
    std::string text = error_text.empty() ? "no message" : error_text;
    error_text.clear();
    return text;
}

}  // namespace nestor
