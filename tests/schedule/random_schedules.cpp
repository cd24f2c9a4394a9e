#include "random_schedules.h"

#include <algorithm>
#include <random>

#include "sample_dags.h"
#include "schedule/legality.h"
#include "schedule/loops.h"
#include "schedule/scheduled_dag.h"

namespace nestor {

namespace {

using Kind = Derivation::Kind;

class Random {
  public:
    Random(const PipelineDag& dag, std::uint64_t seed) : dag_(dag), engine_(seed) {}

    Schedule make() {
        schedule_ = empty_schedule(dag_);
        for (int i = below(4); i > 0; i--) {
            derive();
        }
        const ScheduledDag graph(dag_, schedule_);
        for (int f = 0; f < static_cast<int>(schedule_.functions.size()); f++) {
            for (int s = 0; s < static_cast<int>(schedule_.functions[f].stages.size()); s++) {
                StageSchedule& stage = schedule_.functions[f].stages[s];
                const std::vector<StageDim> dims = stage_dims(graph->functions[f].stages[s]);
                stage.nest = nest(dims);
                while (chance(8) && !graph->functions[f].args.empty()) {
                    Specialization special;
                    special.when = {extent_condition(f, *graph)};
                    special.nest = nest(dims);
                    if (chance(4)) {
                        special.selected = below(3);
                    }
                    stage.specializations.push_back(special);
                }
            }
        }
        for (int f = 0; f < static_cast<int>(schedule_.functions.size()); f++) {
            levels(f, *graph);
        }
        return schedule_;
    }

    // Of the function itself, or of an output.
    ExtentCondition extent_condition(int f, const PipelineDag& graph) {
        const int output = dag_.outputs[below(static_cast<int>(dag_.outputs.size()))];
        if (output != f && !dag_.functions[output].args.empty() && chance(2)) {
            return {below(dag_.functions[output].dimensions()), 1 + below(100), output};
        }
        const int multiple = graph.functions[f].is_output && chance(3) ? 2 + below(3) : 1;
        return {below(graph.functions[f].dimensions()), 1 + below(100), -1, {}, multiple};
    }

    Schedule make_legal(int changes) {
        legal_ = true;
        schedule_ = empty_schedule(dag_);
        for (int i = below(4); i > 0; i--) {
            derive();
        }
        // Some pipelines are illegal without places: of what cannot be inlined, of everything.
        if (!start(false)) {
            schedule_ = empty_schedule(dag_);
            if (!start(false) && !start(true)) {
                return empty_schedule(dag_);
            }
        }
        const ScheduledDag graph(dag_, schedule_);
        for (int i = 0; i < changes; i++) {
            const Schedule before = schedule_;
            change(*graph);
            if (!check_legality(dag_, schedule_).empty()) {
                schedule_ = before;
            }
        }
        return schedule_;
    }

  private:
    // Puts functions at root; whether that is legal.
    bool start(bool all) {
        const ScheduledDag graph(dag_, schedule_);
        for (int f = 0; f < static_cast<int>(schedule_.functions.size()); f++) {
            const Function& function = graph->functions[f];
            if (!function.pinned && (all || !function.can_inline)) {
                schedule_.functions[f].compute = Level::root();
            }
        }
        return check_legality(dag_, schedule_).empty();
    }

    void change(const PipelineDag& graph) {
        const int f = below(static_cast<int>(schedule_.functions.size()));
        FunctionSchedule& function = schedule_.functions[f];
        const int stages = static_cast<int>(function.stages.size());
        const int s = below(stages);
        switch (below(4)) {
            case 0:
                function.compute = level(graph);
                break;
            case 1:
                (chance(2) ? function.store : function.hoist) = level(graph);
                break;
            case 2:
                storage(f, graph);
                break;
            default:
                if (stages > 0) {
                    const std::vector<StageDim> dims = stage_dims(graph.functions[f].stages[s]);
                    function.stages[s].nest = nest(dims);
                    if (graph.functions[f].stages[s].selector && !chance(3)) {
                        function.stages[s].specializations.clear();
                        for (const std::int64_t value :
                             graph.functions[f].stages[s].selector->values) {
                            function.stages[s].specializations.push_back(
                                {{}, chance(2) ? nest(dims) : function.stages[s].nest, value});
                        }
                    } else if (chance(3) && !dims.empty()) {
                        function.stages[s].specializations = {
                            {{{below(graph.functions[f].dimensions()), 1 + below(100)}},
                             nest(dims),
                             {}}};
                    } else if (!dag_.layouts.empty() && chance(2)) {
                        const int layouts = static_cast<int>(dag_.layouts.size());
                        function.stages[s].specializations = {
                            {{}, nest(dims), {}, dag_.layouts[below(layouts)]}};
                    }
                }
        }
    }

    int below(int n) { return n <= 0 ? 0 : static_cast<int>(engine_() % static_cast<unsigned>(n)); }
    bool chance(int one_in) { return below(one_in) == 0; }
    Tail tail() { return static_cast<Tail>(below(9)); }

    void derive() {
        const ScheduledDag graph(dag_, schedule_);
        Derivation d;
        d.kind = static_cast<Kind>(below(3));
        d.parent = below(static_cast<int>(schedule_.functions.size()));
        const Function& parent = graph->functions[d.parent];
        if (d.kind == Kind::Rfactor) {
            if (parent.stages.size() < 2) {
                return;
            }
            const std::vector<StageDim> dims = stage_dims(parent.stages[1]);
            for (int dim = 0; dim < static_cast<int>(dims.size()); dim++) {
                if (dims[dim].kind == LoopKind::Reduction && chance(2)) {
                    d.splits.resize(static_cast<std::size_t>(dim) + 1);
                    d.splits[dim] = {{1 + below(8), Tail::GuardWithIf}};
                    d.preserved.push_back({dim, below(2)});
                }
            }
        } else {
            for (const int consumer : parent.consumers) {
                if (chance(2)) {
                    d.consumers.push_back(consumer);
                }
            }
        }
        Schedule before = schedule_;
        samples::derive(dag_, schedule_, d);
        if (!ScheduledDag(dag_, schedule_).problems().empty()) {
            schedule_ = before;
        }
    }

    LoopNest nest(const std::vector<StageDim>& dims) {
        LoopNest nest;
        for (int d = 0; d < static_cast<int>(dims.size()); d++) {
            // Rounded up in four dimensions, even small images become large ones.
            std::int64_t factor = legal_ ? std::clamp<std::int64_t>(2 * dims[d].extent, 2, 64) : 64;
            while (chance(2) && factor > 1) {
                factor = 1 + below(static_cast<int>(factor));
                samples::split(nest, d, factor, tail());
            }
        }
        std::vector<LoopRef> loops = loop_order(nest, dims);
        if (loops.empty()) {
            return nest;
        }
        std::shuffle(loops.begin(), loops.end(), engine_);
        if (chance(2)) {
            nest.order = loops;
        }
        nest.parallel.assign(loops.begin(), loops.begin() + below(2));
        nest.unrolled.assign(loops.rbegin(), loops.rbegin() + below(2));
        if (chance(3)) {
            nest.vector = loops[0];
        }
        nest.atomic = chance(5);
        if (nest.vector && chance(2)) {
            sum_in_vectors(nest, dims);
        }
        if (chance(4)) {
            nest.partition = {{loops[0], static_cast<PartitionPolicy>(below(3))}};
            if (legal_ && nest.partition[0].policy == PartitionPolicy::Always) {
                nest.partition.clear();  // an error where there is nothing to partition, which only
                                         // lowering knows
            }
        }
        if (chance(4)) {
            const int functions = static_cast<int>(schedule_.functions.size());
            nest.prefetch = {{below(functions), loops[0], loops.back(), 1 + below(4),
                              static_cast<PrefetchBounds>(below(3))}};
        }
        return nest;
    }

    // Steps of a reduction within the vector.
    void sum_in_vectors(LoopNest& nest, const std::vector<StageDim>& dims) {
        std::vector<int> reductions;
        for (int d = 0; d < static_cast<int>(dims.size()); d++) {
            if (dims[d].kind != LoopKind::Pure && d != nest.vector->dim) {
                reductions.push_back(d);
            }
        }
        if (reductions.empty()) {
            return;
        }
        const int d = reductions[below(static_cast<int>(reductions.size()))];
        const LoopRef dot =
            chance(2) ? LoopRef{d, 0} : samples::split(nest, d, 2 << below(2), Tail::GuardWithIf);
        nest.dot = dot;
        nest.atomic = true;
        std::erase(nest.parallel, dot);
        std::erase(nest.unrolled, dot);
        nest.order = loop_order(nest, dims);
        std::erase(nest.order, dot);
        std::erase(nest.order, *nest.vector);
        nest.order.insert(nest.order.begin(), {dot, *nest.vector});
    }

    void levels(int f, const PipelineDag& graph) {
        FunctionSchedule& function = schedule_.functions[f];
        function.compute = level(graph);
        if (chance(3)) {
            function.store = level(graph);
            function.hoist = level(graph);
        }
        if (chance(3)) {
            storage(f, graph);
        }
        for (StageSchedule& stage : function.stages) {
            const Level with = level(graph);
            if (chance(6) && with.kind == Level::Kind::At) {
                stage.compute_with = with.site;
            }
        }
    }

    void storage(int f, const PipelineDag& graph) {
        FunctionSchedule& function = schedule_.functions[f];
        const int dims = graph.functions[f].dimensions();
        if (dims == 0) {
            return;
        }
        function.memory = static_cast<Memory>(below(4));
        function.alignment = {{below(dims), 1 + below(32)}};
        if (chance(3)) {
            function.storage_bounds = {{below(dims), 1 + below(64)}};
        }
        if (chance(2)) {
            function.fold = Fold{below(dims), 1 + below(8), chance(2)};
        }
        function.storage_order.clear();
        for (int d = chance(2) ? dims - 1 : -1; d >= 0; d--) {
            function.storage_order.push_back(d);
        }
    }

    Level level(const PipelineDag& graph) {
        const auto kind = static_cast<Level::Kind>(below(4));
        if (kind != Level::Kind::At) {
            return {kind, {}};
        }
        LoopSite site;
        site.function = below(static_cast<int>(schedule_.functions.size()));
        const std::vector<StageSchedule>& stages = schedule_.functions[site.function].stages;
        if (stages.empty()) {
            return Level::root();
        }
        site.stage = below(static_cast<int>(stages.size()));
        const std::vector<StageDim> dims =
            stage_dims(graph.functions[site.function].stages[site.stage]);
        LoopNest natural = stages[site.stage].nest;
        natural.order.clear();
        const std::vector<LoopRef> loops = loop_order(natural, dims);
        if (loops.empty()) {
            return Level::root();
        }
        site.loop = loops[below(static_cast<int>(loops.size()))];
        return Level::at(site);
    }

    const PipelineDag& dag_;
    std::mt19937_64 engine_;
    Schedule schedule_;
    bool legal_ = false;
};

}  // namespace

Schedule random_schedule(const PipelineDag& dag, std::uint64_t seed) {
    return Random(dag, seed).make();
}

Schedule random_legal_schedule(const PipelineDag& dag, std::uint64_t seed, int changes) {
    return Random(dag, seed).make_legal(changes);
}

}  // namespace nestor
