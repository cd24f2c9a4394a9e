#include "halide/lower.h"

#include "halide/errors.h"
#include "halide/unread.h"

namespace nestor {

using Halide::Internal::Function;
using Halide::Internal::Stmt;

std::vector<Function> output_functions(const Halide::Pipeline& pipeline) {
    std::vector<Function> functions;
    for (const Halide::Func& output : pipeline.outputs()) {
        functions.push_back(output.function());
    }
    return functions;
}

namespace {

// Pipeline::infer_arguments() is not const, and knows nothing of requirements.
std::vector<Halide::Argument> all_arguments(const Halide::Pipeline& pipeline, bool embedded) {
    const std::vector<Function> outputs = output_functions(pipeline);
    const std::vector<Stmt> requirements = pipeline.requirements();
    const Stmt body = requirements.empty() ? Stmt() : Halide::Internal::Block::make(requirements);
    std::vector<Halide::Argument> all;
    for (const Halide::Internal::InferredArgument& inferred :
         Halide::Internal::infer_arguments(body, outputs)) {
        if (!inferred.arg.name.empty() && inferred.arg.is_input() &&
            (embedded || !inferred.buffer.defined())) {
            all.push_back(inferred.arg);
        }
    }
    for (const Function& output : outputs) {
        for (const Halide::Parameter& buffer : output.output_buffers()) {
            all.emplace_back(buffer.name(), Halide::Argument::OutputBuffer, buffer.type(),
                             buffer.dimensions(), buffer.get_argument_estimates());
        }
    }
    return all;
}

}  // namespace

std::vector<Halide::Argument> arguments(const Halide::Pipeline& pipeline) {
    return all_arguments(pipeline, true);
}

std::vector<Halide::Argument> caller_arguments(const Halide::Pipeline& pipeline) {
    return all_arguments(pipeline, false);
}

Result<Stmt> lower(const Halide::Pipeline& pipeline, const Halide::Target& target) {
    return catching("lowering failed", [&]() -> Result<Stmt> {
        if (const std::string name = unread_function(pipeline); !name.empty()) {
            return Error{"nothing reads " + name +
                         ", which is computed: Halide would crash. Inline it, or compute the tuple "
                         "that has it in an element."};
        }
        // lower_main_stmt() returns the first function of the module, which is the body of a
        // parallel loop if there is one; the conceptual statement is the whole program.
        const Halide::Module module = Halide::Internal::lower(
            output_functions(pipeline), "nestor_lowered", target, arguments(pipeline),
            Halide::LinkageType::ExternalPlusMetadata, pipeline.requirements());
        return module.get_conceptual_stmt();
    });
}

}  // namespace nestor
