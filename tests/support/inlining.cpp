#include "inlining.h"

#include <algorithm>
#include <map>
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

/// The names of the functions that a definition calls, once for each call.
class CallSites : public Halide::Internal::IRVisitor {
  public:
    std::vector<std::string> names;

  private:
    using IRVisitor::visit;
    void visit(const Halide::Internal::Call* call) override {
        if (call->call_type == Halide::Internal::Call::Halide) {
            names.push_back(call->name);
        }
        IRVisitor::visit(call);
    }
};

using Environment = std::map<std::string, Function>;

double calls_of(const std::string& name, const Environment& environment,
                std::map<std::string, double>& known) {
    if (const auto found = known.find(name); found != known.end()) {
        return found->second;
    }
    known[name] = 1;  // a function that calls itself stops here
    CallSites sites;
    environment.at(name).accept(&sites);
    double total = 1;
    for (const std::string& callee : sites.names) {
        const auto function = environment.find(callee);
        const bool expands =
            function != environment.end() && is_inlined(function->second) && callee != name;
        total += expands ? calls_of(callee, environment, known) : 1;
    }
    return known[name] = total;
}

}  // namespace

double inlined_calls(const Halide::Pipeline& pipeline) {
    const Environment environment = Halide::Internal::build_environment(output_functions(pipeline));
    std::map<std::string, double> known;
    double most = 0;
    for (const auto& [name, function] : environment) {
        most = std::max(most, calls_of(name, environment, known));
    }
    return most;
}

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
