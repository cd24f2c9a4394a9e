#include "halide/baseline.h"

#include <algorithm>
#include <map>
#include <string>

#include "halide/identity.h"

namespace nestor {

namespace ir = Halide::Internal;

namespace {

/** Calls of functions in one function's definitions, equal nodes once. */
class CountCalls : public ir::IRGraphVisitor {
  public:
    std::map<std::string, int> calls;

  private:
    using IRGraphVisitor::visit;

    void visit(const ir::Call* call) override {
        IRGraphVisitor::visit(call);
        if (call->call_type == ir::Call::Halide) {
            calls[call->name]++;
        }
    }
};

bool has_no_place(const ir::Function& f) {
    return f.schedule().compute_level().is_inlined();
}

bool is_inlined(const ir::Function& f) {
    return f.can_be_inlined() && has_no_place(f);
}

/** With levels that can be inspected. */
Environment locked_environment(const Halide::Pipeline& pipeline) {
    Environment env = environment(pipeline);
    for (auto& [name, function] : env) {
        function.lock_loop_levels();
    }
    return env;
}

using CallGraph = std::map<std::string, std::map<std::string, int>>;

CallGraph call_graph(const Environment& env) {
    CallGraph graph;
    for (const auto& [name, function] : env) {
        CountCalls count;
        function.accept(&count);
        graph[name] = std::move(count.calls);
    }
    return graph;
}

double expanded(const std::string& name, const Environment& env, const CallGraph& graph,
                std::map<std::string, double>& known) {
    if (const auto found = known.find(name); found != known.end()) {
        return found->second;
    }
    known[name] = 0;  // a function's calls of itself
    double total = 0;
    for (const auto& [callee, times] : graph.at(name)) {
        const auto function = env.find(callee);
        const bool expands = function != env.end() && is_inlined(function->second);
        total += times * (expands ? 1 + expanded(callee, env, graph, known) : 1);
    }
    return known[name] = total;
}

}  // namespace

double inlined_calls(const Halide::Pipeline& pipeline) {
    const Environment env = locked_environment(pipeline);
    const CallGraph graph = call_graph(env);
    std::map<std::string, double> known;
    double most = 0;
    for (const auto& [name, function] : env) {
        most = std::max(most, expanded(name, env, graph, known));
    }
    return most;
}

void compute_inlined_at_root(const Halide::Pipeline& pipeline, Expand which) {
    const Environment env = locked_environment(pipeline);
    std::map<std::string, int> sites;
    for (const auto& [name, calls] : call_graph(env)) {
        for (const auto& [callee, times] : calls) {
            sites[callee] += times;
        }
    }
    for (const auto& [name, function] : env) {
        const bool shared = is_inlined(function) && sites[name] > 1;
        if (which == Expand::AllFunctions ? has_no_place(function) : shared) {
            Halide::Func(function).compute_root();
        }
    }
}

}  // namespace nestor
