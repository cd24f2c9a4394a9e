#include "halide/baseline.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "halide/apply.h"
#include "halide/calls.h"
#include "halide/lower.h"

namespace nestor {

namespace {

using CallGraph = std::map<std::string, std::map<std::string, int>>;

CallGraph call_graph(const Environment& env) {
    CallGraph graph;
    for (const auto& [name, function] : env) {
        CountCalls count;
        function.accept(&count);
        std::map<std::string, int>& calls = graph[name];  // also of a function that calls none
        for (const auto& [callee, times] : count.calls) {
            calls[callee.first] += times;
        }
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

void vectorize_at_root(const Halide::Pipeline& pipeline, const Halide::Target& target) {
    for (const auto& [name, function] : locked_environment(pipeline)) {
        const Halide::Internal::Definition& definition = function.definition();
        const bool plain = function.schedule().compute_level().is_root() &&
                           !definition.schedule().touched() && !function.args().empty() &&
                           !function.has_extern_definition();
        if (plain) {
            const int lanes = target.natural_vector_size(function.output_types().front());
            Halide::Func f(function);
            f.vectorize(f.args().front(), std::max(2, lanes), Halide::TailStrategy::GuardWithIf);
        }
    }
}

void never_partition(const Halide::Pipeline& pipeline) {
    std::set<std::string> outputs;
    for (const Halide::Func& output : pipeline.outputs()) {
        outputs.insert(output.name());
    }
    for (const auto& [name, function] : locked_environment(pipeline)) {
        const auto updates = static_cast<int>(function.updates().size());
        const bool has_loops = outputs.contains(name) || updates > 0 ||
                               !function.schedule().compute_level().is_inlined();
        if (!has_loops || function.has_extern_definition()) {
            continue;
        }
        Halide::Func f(function);
        f.never_partition_all();
        for (int i = 0; i < updates; i++) {
            f.update(i).never_partition_all();
        }
    }
}

Result<Halide::Internal::Stmt> lower_baseline(const Halide::Pipeline& pipeline,
                                              const Halide::Target& target) {
    Halide::Pipeline copy = deep_copy(pipeline);
    if (inlined_calls(copy) > kMostInlinedCalls) {
        compute_inlined_at_root(copy, Expand::SharedFunctions);
    }
    Result<Halide::Internal::Stmt> lowered = lower(copy, target);
    if (lowered.ok()) {
        return lowered;
    }
    // An extern stage does not take a function that has no storage, for one.
    copy = deep_copy(pipeline);
    compute_inlined_at_root(copy, Expand::AllFunctions);
    Result<Halide::Internal::Stmt> at_root = lower(copy, target);
    return at_root.ok() ? at_root : lowered;
}

}  // namespace nestor
