#include "schedule/joined.h"

#include <algorithm>
#include <map>
#include <ranges>

#include "schedule/loops.h"
#include "schedule/scheduled_dag.h"
#include "schedule/tails.h"

namespace nestor {

namespace {

// Where a follower's values are.
struct Values {
    int leader = 0;
    int first = 0;  // value of the leader
};

// A load of a function of so many values, which are those from `first` on in the leader.
Load served(Load load, int values, int first) {
    for (int value = 0; load.serves.empty() && value < values; value++) {
        load.serves.push_back(value);
    }
    for (int& value : load.serves) {
        value += first;
    }
    return load;
}

// What is left of a follower.
void clear(Function& f) {
    Stage stage;
    stage.loops = f.stages[0].loops;
    stage.text = f.stages[0].text;
    f.stages = {std::move(stage)};
    f.is_output = false;
    f.can_inline = true;
    f.only_wraps_input = false;
}

void add_follower(const Function& follower, Function& leader) {
    const auto before = static_cast<int>(leader.types.size());
    const auto values = static_cast<int>(follower.types.size());
    const Stage& theirs = follower.stages[0];
    Stage& mine = leader.stages[0];
    for (Load& load : mine.loads) {
        load = served(std::move(load), before, 0);
    }
    for (const Load& load : theirs.loads) {
        mine.loads.push_back(served(load, values, before));
    }
    mine.ops.add(theirs.ops, 1);
    mine.border_ops.insert(mine.border_ops.end(), theirs.border_ops.begin(),
                           theirs.border_ops.end());
    mine.merged_ops.reset();  // each function has a condition of its own
    if (mine.phases == theirs.phases) {
        for (std::size_t i = 0; i < mine.phase_ops.size(); i++) {
            mine.phase_ops[i].add(theirs.phase_ops[i], 1);
            mine.merged_phase_ops[i].add(theirs.merged_phase_ops[i], 1);
        }
    } else {
        mine.phases.clear();
        mine.phase_ops.clear();
        mine.merged_phase_ops.clear();
    }
    mine.expression_size =
        std::min(kLargestExpression, mine.expression_size + theirs.expression_size);
    mine.distinct_nodes = std::min(kLargestExpression, mine.distinct_nodes + theirs.distinct_nodes);
    mine.text += "; " + theirs.text;
    leader.types.insert(leader.types.end(), follower.types.begin(), follower.types.end());
    leader.can_inline = false;
    leader.joined = true;
}

bool is_fused(const StageSchedule& stage) {
    return stage.compute_with.has_value();
}

FunctionSchedule without_fusion(FunctionSchedule f) {
    for (StageSchedule& stage : f.stages) {
        stage.compute_with.reset();
    }
    return f;
}

}  // namespace

bool can_join(const Function& a, const Function& b) {
    const auto is_plain = [](const Function& f) {
        return !f.pinned && !f.is_extern && !f.joined && f.stages.size() == 1 &&
               !f.stages[0].selector && !f.stages[0].undefined &&
               std::ranges::count(f.assumed, true) == 0 && !(f.is_output && !f.consumers.empty());
    };
    return is_plain(a) && is_plain(b) && a.args == b.args && a.region == b.region &&
           a.is_output == b.is_output && a.dense_dim == b.dense_dim && a.strides == b.strides &&
           a.constant == b.constant;
}

std::optional<LoopRef> fused_loop(const LoopNest& nest, const std::vector<StageDim>& dims) {
    for (const LoopRef loop : loop_order(nest, dims)) {
        if (nest.is_rolled(loop)) {
            return loop;
        }
    }
    return std::nullopt;
}

bool is_guarded_outside(const LoopNest& nest, const std::vector<StageDim>& dims, LoopRef fused) {
    const std::vector<LoopRef> order = loop_order(nest, dims);
    const int at = position(order, fused);
    for (int d = 0; d < std::ssize(dims); d++) {
        const bool guarded = std::ranges::any_of(
            splits_of(nest, d), [](const Split& split) { return is_guard(split.tail); });
        if (guarded && position(order, {d, split_count(nest, d)}) >= at) {
            return true;
        }
    }
    return false;
}

std::optional<PipelineDag> join(const PipelineDag& graph, const std::vector<Joined>& all) {
    PipelineDag result = graph;
    std::map<int, Values> places;
    for (const Joined& each : all) {
        Function& leader = result.functions[each.leader];
        for (const int f : each.followers) {
            places[f] = {each.leader, static_cast<int>(leader.types.size())};
            add_follower(graph.functions[f], leader);
            clear(result.functions[f]);
        }
    }
    const auto redirect = [&](Load& load) {
        const auto found = load.source == Source::Function ? places.find(load.index) : places.end();
        if (found != places.end()) {
            load.index = found->second.leader;
            load.value += found->second.first;
        }
    };
    for (Function& f : result.functions) {
        for (Stage& stage : f.stages) {
            std::ranges::for_each(stage.loads, redirect);
        }
    }
    std::erase_if(result.outputs, [&](int f) { return places.contains(f); });
    find_consumers(result);
    if (topological_order(result).size() != result.functions.size()) {
        return std::nullopt;
    }
    return result;
}

Schedule with_followers(const PipelineDag& dag, Schedule schedule, const std::vector<Joined>& all) {
    for (const Joined& each : all) {
        FunctionSchedule& leader = schedule.functions[each.leader];
        const Function& f = dag.functions[each.leader];
        const std::optional<LoopRef> loop =
            fused_loop(leader.stages[0].nest, stage_dims(f.stages[0]));
        for (const int follower : each.followers) {
            FunctionSchedule& mine = schedule.functions[follower];
            mine = leader;
            if (loop) {
                mine.stages[0].compute_with = LoopSite{each.leader, 0, *loop};
            }
        }
    }
    return schedule;
}

bool has_fusion(const Schedule& schedule) {
    return std::ranges::any_of(schedule.functions, [](const FunctionSchedule& f) {
        return std::ranges::any_of(f.stages, is_fused);
    });
}

std::optional<JoinedSchedule> joined(const PipelineDag& dag, const Schedule& schedule) {
    std::map<int, Joined> groups;  // by leader
    if (schedule.functions.size() != dag.functions.size() || !has_fusion(schedule)) {
        return std::nullopt;
    }
    for (int f = 0; f < std::ssize(dag.functions); f++) {
        const FunctionSchedule& mine = schedule.functions[f];
        if (std::ranges::none_of(mine.stages, is_fused)) {
            continue;
        }
        const int leader = mine.stages[0].compute_with ? mine.stages[0].compute_with->function : f;
        if (leader == f || leader < 0 || leader >= std::ssize(dag.functions) ||
            !can_join(dag.functions[leader], dag.functions[f])) {
            return std::nullopt;
        }
        const std::vector<StageSchedule>& stages = schedule.functions[leader].stages;
        if (stages.size() != 1 || is_fused(stages[0])) {
            return std::nullopt;  // a follower itself
        }
        groups[leader].leader = leader;
        groups[leader].followers.push_back(f);
    }
    const auto values = std::views::values(groups);
    const std::vector<Joined> all(values.begin(), values.end());
    Schedule alone = schedule;
    for (const Joined& each : all) {
        for (const int f : each.followers) {
            alone.functions[f] = without_fusion(schedule.functions[f]);
        }
    }
    if (with_followers(dag, alone, all) != schedule) {
        return std::nullopt;
    }
    std::optional<PipelineDag> graph = join(dag, all);
    if (!graph) {
        return std::nullopt;
    }
    for (const Joined& each : all) {
        for (const int f : each.followers) {
            alone.functions[f] = {};
            alone.functions[f].compute = Level::inlined();
            alone.functions[f].stages.resize(1);
        }
    }
    return JoinedSchedule{*std::move(graph), std::move(alone)};
}

}  // namespace nestor
