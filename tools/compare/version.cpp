#include "version.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

namespace nestor::compare {

namespace {

// Halide calls back plain functions, from any of its threads: hence these.
std::mutex error_mutex;
std::string error_text;
std::atomic<std::size_t> allocated_now{0};
std::atomic<std::size_t> allocated_peak{0};

void keep_error(void* /*user_context*/, const char* message) {
    const std::lock_guard<std::mutex> lock(error_mutex);
    if (error_text.empty()) {
        error_text = message;
    }
}

/** In front of every counted block: its size. As large as the alignment, to keep it. */
constexpr std::size_t block_header = 128;

void* counted_malloc(void* /*user_context*/, std::size_t size) {
    const std::size_t whole = (size + 2 * block_header - 1) / block_header * block_header;
    void* block = std::aligned_alloc(block_header, whole);
    if (block == nullptr) {
        return nullptr;
    }
    *static_cast<std::size_t*>(block) = size;
    const std::size_t now = allocated_now.fetch_add(size) + size;
    std::size_t peak = allocated_peak.load();
    while (peak < now && !allocated_peak.compare_exchange_weak(peak, now)) {
    }
    return static_cast<char*>(block) + block_header;
}

void counted_free(void* /*user_context*/, void* pointer) {
    if (pointer != nullptr) {
        void* block = static_cast<char*>(pointer) - block_header;
        allocated_now.fetch_sub(*static_cast<std::size_t*>(block));
        std::free(block);
    }
}

void* open_library(const std::string& path, int scope) {
    void* handle = dlopen(path.c_str(), RTLD_NOW | scope);
    if (handle == nullptr) {
        throw std::runtime_error(dlerror());
    }
    return handle;
}

template <typename Function>
Function* find_function(void* handle, const std::string& name) {
    void* found = dlsym(handle, name.c_str());
    if (found == nullptr) {
        throw std::runtime_error(dlerror());
    }
    return reinterpret_cast<Function*>(found);
}

}  // namespace

Runtime::Runtime(const std::string& library) : handle(open_library(library, RTLD_GLOBAL)) {
    // The default handler ends the process.
    find_function<decltype(halide_set_error_handler)>(handle,
                                                      "halide_set_error_handler")(keep_error);
}

void Runtime::count_allocations() {
    find_function<decltype(halide_set_custom_malloc)>(handle,
                                                      "halide_set_custom_malloc")(counted_malloc);
    find_function<decltype(halide_set_custom_free)>(handle, "halide_set_custom_free")(counted_free);
}

std::size_t Runtime::peak_bytes() {
    return allocated_peak.load();
}

Version::Version(const std::string& library, const std::string& function) {
    void* handle = open_library(library, RTLD_LOCAL);
    entry = find_function<int(void**)>(handle, function + "_argv");
    description =
        find_function<const halide_filter_metadata_t*()>(handle, function + "_metadata")();
}

void Version::run(void** arguments) const {
    const int code = entry(arguments);
    const std::lock_guard<std::mutex> lock(error_mutex);
    if (code != 0) {
        const std::string message = error_text.empty() ? "no message" : error_text;
        error_text.clear();
        throw std::runtime_error("Halide error " + std::to_string(code) + ": " + message);
    }
}

}  // namespace nestor::compare
