#include "halide/jit_program.h"

#include <atomic>
#include <cstdlib>
#include <mutex>

#include "halide/errors.h"
#include "halide/lower.h"
#include "halide/unread.h"

namespace nestor {

namespace {

using Halide::JITHandlers;
using Halide::JITUserContext;
using Halide::Internal::JITSharedRuntime;

// Halide calls back plain functions, from any of its threads: hence these.
std::mutex error_mutex;
std::string error_text;
std::atomic<std::size_t> allocated_now{0};
std::atomic<std::size_t> allocated_peak{0};

void keep_error(JITUserContext* /*context*/, const char* message) {
    const std::lock_guard<std::mutex> lock(error_mutex);
    if (error_text.empty()) {
        error_text = message;
    }
}

std::string take_error() {
    const std::lock_guard<std::mutex> lock(error_mutex);
    std::string text = error_text.empty() ? "no message" : error_text;
    error_text.clear();
    while (text.ends_with('\n')) {
        text.pop_back();
    }
    return text;
}

/** In front of every counted block: its size. As large as the alignment, to keep it. */
constexpr std::size_t kHeader = 128;

void* counted_malloc(JITUserContext* /*context*/, std::size_t size) {
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

void counted_free(JITUserContext* /*context*/, void* pointer) {
    if (pointer != nullptr) {
        void* block = static_cast<char*>(pointer) - kHeader;
        allocated_now.fetch_sub(*static_cast<std::size_t*>(block));
        std::free(block);
    }
}

void install_handlers(bool count) {
    JITHandlers handlers;  // what is left empty stays Halide's
    handlers.custom_error = keep_error;
    if (count) {
        handlers.custom_malloc = counted_malloc;
        handlers.custom_free = counted_free;
    }
    JITSharedRuntime::set_default_handlers(handlers);
}

}  // namespace

Result<JitProgram> JitProgram::compile(const Halide::Pipeline& pipeline,
                                       const Halide::Target& target) {
    return catching("compiling failed", [&]() -> Result<JitProgram> {
        if (const std::string name = unread_function(pipeline); !name.empty()) {
            return Error{"nothing reads " + name + ", which is computed: Halide would crash"};
        }
        const std::string name = "nestor_program";
        std::vector<Halide::Argument> inputs = caller_arguments(pipeline);  // it adds the outputs
        std::erase_if(inputs, [](const Halide::Argument& each) { return each.is_output(); });
        const Halide::Module module = Halide::Internal::lower(
            output_functions(pipeline), name, target.with_feature(Halide::Target::JIT), inputs,
            Halide::LinkageType::ExternalPlusMetadata, pipeline.requirements());
        const Halide::Module resolved = module.resolve_submodules();
        install_handlers(false);
        return JitProgram(
            Halide::Internal::JITModule(resolved, resolved.get_function_by_name(name)));
    });
}

Status JitProgram::run(void* const* argv) const {
    return catching("running failed", [&]() -> Status {
        const int code = module_.argv_function()(argv);
        if (code != 0) {
            return Error{take_error()};
        }
        return Ok{};
    });
}

void JitProgram::set_threads(int threads) {
    JITSharedRuntime::set_num_threads(threads);
}

void JitProgram::count_allocations(bool on) {
    allocated_now = 0;
    allocated_peak = 0;
    install_handlers(on);
}

std::size_t JitProgram::peak_bytes() {
    return allocated_peak.load();
}

}  // namespace nestor
