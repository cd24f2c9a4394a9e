#include "halide/jit_program.h"

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
JitProgram::Malloc* allocator_malloc = nullptr;
JitProgram::Free* allocator_free = nullptr;

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

void* call_malloc(JITUserContext* context, std::size_t size) {
    return allocator_malloc(context, size);
}

void call_free(JITUserContext* context, void* pointer) {
    allocator_free(context, pointer);
}

void install_handlers() {
    JITHandlers handlers;  // what is left empty stays Halide's
    handlers.custom_error = keep_error;
    if (allocator_malloc != nullptr) {
        handlers.custom_malloc = call_malloc;
        handlers.custom_free = call_free;
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
        install_handlers();
        return JitProgram(
            Halide::Internal::JITModule(resolved, resolved.get_function_by_name(name)));
    });
}

Status JitProgram::compile_runtime(const Halide::Target& target) {
    Halide::Func nothing("nothing");
    nothing() = 0;
    const Result<JitProgram> program = compile(Halide::Pipeline(nothing), target);
    return program ? Status{Ok{}} : Status{Error{program.error()}};
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

void JitProgram::set_allocator(Malloc* malloc, Free* free) {
    allocator_malloc = malloc;
    allocator_free = free;
    install_handlers();
}

}  // namespace nestor
