#include "schedule/joined.h"

#include <algorithm>
#include <map>
#include <ranges>

#include "schedule/loops.h"
#include "schedule/scheduled_dag.h"
#include "schedule/tails.h"

namespace nestor {

namespace {

constexpr int kLargestExpression = 1'000'000;  // see Stage::expression_size

// Whether a stage stores each point of its pure variables there.
bool stores_where_it_is(const Stage& stage) {
    for (int d = 0; d < std::ssize(stage.stores); d++) {
        const Coordinate& coordinate = stage.stores[d];
        if (!coordinate.affine || coordinate.offset_min != 0 || coordinate.offset_max != 0) {
            return false;
        }
        for (std::size_t l = 0; l < coordinate.rates.size(); l++) {
            const Loop& loop = stage.loops[l];
            const bool is_own = loop.kind == LoopKind::Pure && loop.position == d;
            if (coordinate.rates[l] != (is_own ? 1 : 0)) {
                return false;
            }
        }
    }
    return true;
}

bool have_same_loops(const Stage& a, const Stage& b) {
    const auto same = [](const Loop& mine, const Loop& other) {
        return mine.label == other.label && mine.kind == other.kind && mine.range == other.range;
    };
    return std::ranges::equal(a.loops, b.loops, same) && stores_where_it_is(a) &&
           stores_where_it_is(b) && !a.selector && !b.selector && !a.undefined && !b.undefined;
}

// Where a follower's values are.
struct Values {
    int leader = 0;
    int first = 0;  // value of the leader
};

// Adds what a follower's stage does to the leader's, which has so many values before.
void add_stage(const Stage& follower, int values, int before, Stage& leader) {
    const auto serve = [&](Load load) {
        if (load.serves.empty()) {
            for (int value = 0; value < values; value++) {
                load.serves.push_back(value);
            }
        }
        for (int& value : load.serves) {
            value += before;
        }
        return load;
    };
    for (const Load& load : follower.loads) {
        leader.loads.push_back(serve(load));
    }
    leader.ops.add(follower.ops, 1);
    if (leader.phases == follower.phases) {
        for (std::size_t i = 0; i < leader.phase_ops.size(); i++) {
            leader.phase_ops[i].add(follower.phase_ops[i], 1);
        }
    } else {
        leader.phases.clear();
        leader.phase_ops.clear();
    }
    leader.expression_size =
        std::min(kLargestExpression, leader.expression_size + follower.expression_size);
    leader.distinct_nodes =
        std::min(kLargestExpression, leader.distinct_nodes + follower.distinct_nodes);
    leader.text += "; " + follower.text;
}

// Loads that say for whom they are: the leader's, before others are added.
void serve_all(int values, std::vector<Load>& loads) {
    for (Load& load : loads) {
        for (int value = 0; load.serves.empty() && value < values; value++) {
            load.serves.push_back(value);
        }
    }
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
    serve_all(before, leader.stages[0].loads);
    add_stage(follower.stages[0], values, before, leader.stages[0]);
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
               std::ranges::count(f.assumed, true) == 0 && !(f.is_output && !f.consumers.empty());
    };
    if (!is_plain(a) || !is_plain(b) || a.args != b.args || a.region != b.region ||
        a.is_output != b.is_output || a.dense_dim != b.dense_dim || a.strides != b.strides ||
        a.constant != b.constant) {
        return false;
    }
    return have_same_loops(a.stages[0], b.stages[0]);
}

std::optional<LoopRef> fused_loop(const LoopNest& nest, const std::vector<StageDim>& dims) {
    for (const LoopRef loop : loop_order(nest, dims)) {
        if (!nest.is_vector(loop) && std::ranges::count(nest.unrolled, loop) == 0) {
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
