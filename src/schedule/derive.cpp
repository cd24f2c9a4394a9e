#include "schedule/derive.h"

#include <algorithm>

#include "schedule/loops.h"
#include "schedule/rfactor.h"
#include "schedule/scheduled_dag.h"

namespace nestor {

namespace {

using Kind = Derivation::Kind;

Stage copy_of(const Function& parent, int parent_index) {
    Stage stage;
    const std::size_t rank = parent.args.size();
    for (std::size_t d = 0; d < rank; d++) {
        Loop loop;
        loop.label = parent.args[d];
        loop.variable = parent.stages.empty() ? "" : parent.stages[0].loops[d].variable;
        loop.position = static_cast<int>(d);
        loop.range = parent.region[d];
        stage.loops.push_back(std::move(loop));
    }
    stage.loads = pointwise_loads(parent_index, static_cast<int>(parent.types.size()), rank);
    const auto values = static_cast<int>(parent.types.size());
    stage.ops.load = static_cast<float>(values);
    stage.expression_size = values * (1 + static_cast<int>(rank));
    stage.distinct_nodes = stage.expression_size;
    return stage;
}

std::string refuse_splits(const Stage& stage, const Derivation& derivation) {
    for (int d = 0; d < static_cast<int>(derivation.splits.size()); d++) {
        if (derivation.splits[d].empty()) {
            continue;
        }
        if (d >= static_cast<int>(stage.loops.size()) || !stage.loops[d].is_reduction()) {
            return "splits a dimension that is no reduction dimension";
        }
        for (const Split& split : derivation.splits[d]) {
            const bool guarded = split.tail == Tail::Auto || split.tail == Tail::GuardWithIf ||
                                 split.tail == Tail::Predicate;
            if (split.factor < 1 || !guarded) {
                return "has a split that is not positive or not guarded";
            }
        }
    }
    return "";
}

// Precondition: the splits are good.
std::string refuse_preserved(const Stage& stage, const Derivation& derivation) {
    const std::vector<LoopRef> order = loop_order(rfactor_nest(derivation), stage_dims(stage));
    int last = -1;
    for (const LoopRef loop : derivation.preserved) {
        const int at = position(order, loop);
        if (at < 0 || !stage.loops[loop.dim].is_reduction()) {
            return "preserves a loop that is no reduction loop";
        }
        if (at <= last) {
            return "does not list the preserved loops innermost first, each once";
        }
        last = at;
    }
    bool inside = false;  // of a preserved loop, another reduction loop outside
    for (int at = static_cast<int>(order.size()) - 1; at >= 0 && !stage.commutative; at--) {
        const bool preserved = std::ranges::count(derivation.preserved, order[at]) > 0;
        if (preserved && inside) {
            return "preserves inner loops of an update that is not commutative";
        }
        inside = inside || (!preserved && stage.loops[order[at].dim].is_reduction());
    }
    return "";
}

}  // namespace

std::string DerivedFunctions::add(int f) {
    graph_.functions.emplace_back();
    graph_.functions.back().id.stem = function_text(dag_, schedule_, f);
    std::string problem = refuse(f);
    if (!problem.empty()) {
        return problem;
    }
    const Derivation& derivation = *schedule_.functions[f].derivation;
    switch (derivation.kind) {
        case Kind::Wrapper:
            add_wrapper(derivation, f);
            break;
        case Kind::Clone:
            add_clone(derivation, f);
            break;
        case Kind::Rfactor:
            add_rfactor(derivation, f);
            break;
    }
    return "";
}

std::string DerivedFunctions::refuse(int f) const {
    const std::optional<Derivation>& derivation = schedule_.functions[f].derivation;
    if (!derivation) {
        return "is not in the algorithm and not derived from a function that is";
    }
    if (derivation->parent < 0 || derivation->parent >= f) {
        return "is derived from a function that does not come before it";
    }
    const Function& parent = graph_.functions[derivation->parent];
    if (parent.stages.empty() && !parent.is_extern) {
        return "is derived from a function that does not exist";
    }
    if (parent.pinned) {
        return "is derived from a function that is left as it is (" + *parent.pinned + ")";
    }
    for (const int consumer : derivation->consumers) {
        if (consumer < 0 || consumer >= f) {
            return "names a consumer that does not come before it";
        }
        if (graph_.functions[consumer].pinned) {
            return "would change a consumer that is left as it is (" +
                   *graph_.functions[consumer].pinned + ")";
        }
        if (std::ranges::count(derivation->consumers, consumer) > 1) {
            return "names a consumer twice";
        }
    }
    if (derivation->kind == Kind::Rfactor) {
        return refuse_rfactor(f);
    }
    if (!derivation->preserved.empty() || !derivation->splits.empty()) {
        return "has splits or preserved loops, which only rfactor has";
    }
    return derivation->kind == Kind::Clone ? refuse_clone(f) : "";
}

std::string DerivedFunctions::refuse_clone(int f) const {
    const Derivation& derivation = *schedule_.functions[f].derivation;
    if (derivation.consumers.empty()) {
        return "is a clone without consumers: name them";
    }
    if (graph_.functions[derivation.parent].is_extern) {
        return "is a clone of an extern stage";
    }
    for (int other = static_cast<int>(dag_.functions.size()); other < f; other++) {
        if (is_kind(other, Kind::Wrapper)) {
            return "is a clone that is made after a wrapper: put clones first";
        }
        // A clone copies the definition and the splits that its parent has at that moment.
        if (is_kind(other, Kind::Rfactor) &&
            schedule_.functions[other].derivation->parent == derivation.parent) {
            return "is a clone of a function that is factored before: put the clone first";
        }
    }
    return is_kind(derivation.parent, Kind::Rfactor) ? "is a clone of an rfactor's result" : "";
}

std::string DerivedFunctions::refuse_rfactor(int f) const {
    const Derivation& derivation = *schedule_.functions[f].derivation;
    const Function& parent = graph_.functions[derivation.parent];
    if (derivation.stage < 1 || derivation.stage >= static_cast<int>(parent.stages.size())) {
        return "factors a stage that is no update";
    }
    if (!derivation.consumers.empty()) {
        return "has consumers, which an rfactor has not";
    }
    for (int other = static_cast<int>(dag_.functions.size()); other < f; other++) {
        const Derivation& d = *schedule_.functions[other].derivation;
        if (d.kind == Kind::Rfactor && d.parent == derivation.parent &&
            d.stage == derivation.stage) {
            return "factors a stage a second time";
        }
    }
    for (int other = 0; other < f; other++) {
        const std::optional<Derivation>& d = schedule_.functions[other].derivation;
        // Its loads move to the intermediate function, for which the wrapper was not made.
        if (d && std::ranges::count(d->consumers, derivation.parent) > 0) {
            return "factors a function that is a consumer of " +
                   function_text(dag_, schedule_, other) + ": put the rfactor first";
        }
    }
    const Stage& stage = parent.stages[derivation.stage];
    if (!stage.associative) {
        return "factors an update that is not known to be associative";
    }
    std::string problem = refuse_splits(stage, derivation);
    return problem.empty() ? refuse_preserved(stage, derivation) : problem;
}

void DerivedFunctions::add_wrapper(const Derivation& derivation, int f) {
    const Function& parent = graph_.functions[derivation.parent];
    Function& made = graph_.functions[f];
    made.types = parent.types;
    made.args = parent.args;
    made.region = parent.region;
    made.constant = parent.constant;
    made.assumed = parent.assumed;
    made.can_inline = true;
    made.stages.push_back(copy_of(parent, derivation.parent));
    if (!derivation.consumers.empty()) {
        for (const int consumer : derivation.consumers) {
            redirect(consumer, derivation.parent, f);
        }
        return;
    }
    for (int consumer = 0; consumer < f; consumer++) {
        const std::optional<Derivation>& other = schedule_.functions[consumer].derivation;
        const bool same_parent =
            other && other->parent == derivation.parent && other->kind == Kind::Wrapper;
        if (!same_parent) {
            redirect(consumer, derivation.parent, f);
        }
    }
}

void DerivedFunctions::add_clone(const Derivation& derivation, int f) {
    Function& made = graph_.functions[f];
    const FuncId id = made.id;
    // From the algorithm: what earlier clones gave the parent, they gave it alone.
    made = dag_.functions[root_of_clone(derivation.parent)];
    made.id = id;
    made.halide_name.clear();
    made.is_output = false;
    made.can_inline = made.stages.size() == 1;
    for (const int consumer : derivation.consumers) {
        redirect(consumer, derivation.parent, f);
    }
}

void DerivedFunctions::add_rfactor(const Derivation& derivation, int f) {
    Function& parent = graph_.functions[derivation.parent];
    Function made = rfactor_intermediate(parent, derivation);
    made.id = graph_.functions[f].id;
    parent.stages[derivation.stage] = rfactor_merge(parent, derivation, f, made);
    graph_.functions[f] = std::move(made);
}

bool DerivedFunctions::redirect(int consumer, int from, int to) {
    // What a wrapper for every consumer took over before, one for this consumer takes from it.
    const auto is_source = [&](int source) {
        return source == from || (source < to && is_kind(source, Kind::Wrapper) &&
                                  schedule_.functions[source].derivation->parent == from &&
                                  schedule_.functions[source].derivation->consumers.empty());
    };
    bool found = false;
    Function& function = graph_.functions[consumer];
    for (Stage& stage : function.stages) {
        for (Load& load : stage.loads) {
            if (load.source == Source::Function && is_source(load.index)) {
                load.index = to;
                found = true;
            }
        }
    }
    for (int& input : function.extern_inputs) {
        if (is_source(input)) {
            input = to;
            found = true;
        }
    }
    return found;
}

std::string DerivedFunctions::unused(int f) const {
    const std::optional<Derivation>& derivation = schedule_.functions[f].derivation;
    if (!derivation || derivation->kind == Kind::Rfactor || graph_.functions[f].stages.empty()) {
        return "";
    }
    for (const int consumer : derivation->consumers) {
        if (!loads_through_wrappers(consumer, f)) {
            return "is for " + function_text(dag_, schedule_, consumer) +
                   ", which does not load it";
        }
    }
    const Function& parent = graph_.functions[derivation->parent];
    // Halide stumbles over functions that nothing reads any more.
    if (derivation->kind == Kind::Clone && parent.consumers.empty() && !parent.is_output) {
        return "is a clone for every consumer: schedule the function itself";
    }
    return graph_.functions[f].consumers.empty() ? "has no consumer" : "";
}

bool DerivedFunctions::loads_through_wrappers(int consumer, int f) const {
    for (const int next : graph_.functions[f].consumers) {
        if (next == consumer) {
            return true;
        }
        if (next > f && is_kind(next, Kind::Wrapper) && loads_through_wrappers(consumer, next)) {
            return true;
        }
    }
    return false;
}

bool DerivedFunctions::is_kind(int f, Kind kind) const {
    const std::optional<Derivation>& derivation = schedule_.functions[f].derivation;
    return derivation && derivation->kind == kind;
}

int DerivedFunctions::root_of_clone(int f) const {
    while (schedule_.functions[f].derivation) {
        f = schedule_.functions[f].derivation->parent;
    }
    return f;
}

}  // namespace nestor
