#include "inlining.h"

#include <set>
#include <string>
#include <vector>

namespace nestor::testing {

namespace {

using Halide::Internal::Function;

bool is_inlined(const Function& function) {
    Halide::LoopLevel level = function.schedule().compute_level();
    level.lock();  // a level that nobody locked throws when it is asked what it is
    return level.is_inlined() && !function.definition().schedule().touched();
}

std::vector<Function> output_functions(const Halide::Pipeline& pipeline) {
    std::vector<Function> outputs;
    for (const Halide::Func& output : pipeline.outputs()) {
        outputs.push_back(output.function());
    }
    return outputs;
}

}  // namespace

void compute_root_all(Halide::Pipeline& pipeline) {
    const std::vector<Function> outputs = output_functions(pipeline);
    std::set<std::string> output_names;
    for (const Function& output : outputs) {
        output_names.insert(output.name());
    }
    for (const auto& [name, function] : Halide::Internal::build_environment(outputs)) {
        if (is_inlined(function) && !output_names.count(name)) {
            Halide::Func(function).compute_root();
        }
    }
}

}  // namespace nestor::testing
