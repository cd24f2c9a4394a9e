// Names and shapes of what a schedule refers to.

#include "schedule/loops.h"
#include "schedule/scheduled_dag.h"

namespace nestor {

namespace {

std::string join(const PipelineDag& dag, const Schedule& schedule,
                 const std::vector<int>& functions, int below) {
    std::string text;
    for (const int f : functions) {
        text += text.empty() ? "" : ", ";
        // A reference to itself or to what comes later is refused by check_legality(), but has to
        // print.
        text += f >= 0 && f < below ? function_text(dag, schedule, f) : "?";
    }
    return text;
}

std::string derived_text(const PipelineDag& dag, const Schedule& schedule, int function) {
    const Derivation& derivation = *schedule.functions[function].derivation;
    std::string text = join(dag, schedule, {derivation.parent}, function);
    switch (derivation.kind) {
        case Derivation::Kind::Wrapper:
            return text + ".in(" + join(dag, schedule, derivation.consumers, function) + ")";
        case Derivation::Kind::Clone:
            return text + ".clone_in(" + join(dag, schedule, derivation.consumers, function) + ")";
        case Derivation::Kind::Rfactor:
            return text + ".rfactor(" + std::to_string(derivation.stage) + ")";
    }
    return text;
}

}  // namespace

std::string function_text(const PipelineDag& dag, const Schedule& schedule, int function) {
    if (function < 0 || function >= static_cast<int>(schedule.functions.size())) {
        return "?";
    }
    if (function < static_cast<int>(dag.functions.size())) {
        return dag.functions[function].id.text();
    }
    if (!schedule.functions[function].derivation) {
        return "?";
    }
    return derived_text(dag, schedule, function);
}

int stage_count(const PipelineDag& dag, const Schedule& schedule, int function) {
    const int algorithm = static_cast<int>(dag.functions.size());
    if (function < algorithm) {
        return static_cast<int>(dag.functions[function].stages.size());
    }
    const ScheduledDag graph(dag, schedule);
    return static_cast<int>(graph->functions[function].stages.size());
}

std::vector<StageDim> stage_dims(const Stage& stage) {
    std::vector<StageDim> dims;
    dims.reserve(stage.loops.size());
    for (const Loop& loop : stage.loops) {
        dims.push_back({loop.label, loop.kind, loop.range.extent, loop.constant_extent});
    }
    return dims;
}

std::vector<StageDim> stage_dims(const PipelineDag& dag, const Schedule& schedule, int function,
                                 int stage) {
    const ScheduledDag graph(dag, schedule);
    const Function& f = graph->functions[function];
    return stage < static_cast<int>(f.stages.size()) ? stage_dims(f.stages[stage])
                                                     : std::vector<StageDim>{};
}

}  // namespace nestor
