#include "schedule/directives.h"

#include <algorithm>

#include "schedule/loops.h"
#include "schedule/scheduled_dag.h"

namespace nestor {

namespace {

class DirectiveList {
  public:
    DirectiveList(const PipelineDag& dag, const Schedule& schedule)
        : dag_(dag), schedule_(schedule), derived_(dag, schedule), graph_(*derived_) {}

    std::vector<Directive> make() {
        derive_functions();
        for (int f = 0; f < functions(); f++) {
            if (graph_.functions[f].pinned) {
                continue;
            }
            add_stages(f);
            add_levels(f);
            add_storage(f);
        }
        fuse_stages();
        return std::move(list_);
    }

  private:
    [[nodiscard]] int functions() const { return static_cast<int>(schedule_.functions.size()); }

    Directive& add(Method method, int function, int stage = -1, int specialization = -1) {
        Directive directive;
        directive.method = method;
        directive.function = function;
        directive.stage = stage;
        directive.specialization = specialization;
        list_.push_back(std::move(directive));
        return list_.back();
    }

    // 1. Derived functions.
    void derive_functions() {
        for (int f = static_cast<int>(dag_.functions.size()); f < functions(); f++) {
            const Derivation& derivation = *schedule_.functions[f].derivation;
            if (derivation.kind == Derivation::Kind::Rfactor) {
                rfactor(derivation, f);
                continue;
            }
            const bool clone = derivation.kind == Derivation::Kind::Clone;
            Directive& d = add(clone ? Method::CloneIn : Method::In, derivation.parent);
            d.args.emplace_back(FunctionListArg{derivation.consumers});
            d.result = f;
        }
    }

    // The stage as it is at this moment: with the parent's loops from before.
    void rfactor(const Derivation& derivation, int f) {
        Schedule before = schedule_;
        before.functions.resize(static_cast<std::size_t>(f));
        const ScheduledDag graph(dag_, before);
        const Function& parent = graph->functions[derivation.parent];
        const Stage& stage = parent.stages[derivation.stage];
        const std::vector<StageDim> dims = stage_dims(stage);
        const Where where{derivation.parent, derivation.stage, -1};
        add_splits(where, rfactor_nest(derivation), stage);

        PreservedArg preserved;
        const std::vector<std::string> names = preserved_names(derivation, parent.args, dims);
        for (std::size_t i = 0; i < names.size(); i++) {
            preserved.pairs.emplace_back(variable(where, stage, derivation.preserved[i]), names[i]);
        }
        Directive& d = add(Method::Rfactor, derivation.parent, derivation.stage);
        d.args.emplace_back(std::move(preserved));
        d.result = f;
    }

    // 2. Stages.
    struct Where {
        int function = 0;
        int stage = 0;
        int specialization = -1;
    };

    Directive& add(Method method, const Where& where) {
        return add(method, where.function, where.stage, where.specialization);
    }

    void add_stages(int f) {
        std::vector<int> untouched;
        const std::size_t before = list_.size();
        for (int s = 0; s < static_cast<int>(schedule_.functions[f].stages.size()); s++) {
            const std::size_t before_stage = list_.size();
            add_stage(f, s);
            // An rfactor has touched its parent's stage and what it made of it.
            if (s > 0 && list_.size() == before_stage && !has_rfactor(f, s)) {
                untouched.push_back(s);
            }
        }
        for (std::size_t i = 0; list_.size() > before && i < untouched.size(); i++) {
            add(Method::Unscheduled, f, untouched[i]);
        }
    }

    [[nodiscard]] bool has_rfactor(int f, int s) const {
        const auto is_rfactor = [](const FunctionSchedule& function) {
            return function.derivation && function.derivation->kind == Derivation::Kind::Rfactor;
        };
        return is_rfactor(schedule_.functions[f]) ||
               std::any_of(schedule_.functions.begin(), schedule_.functions.end(),
                           [&](const FunctionSchedule& other) {
                               return is_rfactor(other) && other.derivation->parent == f &&
                                      other.derivation->stage == s;
                           });
    }

    [[nodiscard]] ConditionArg condition(int f, int s, const Specialization& special) const {
        ConditionArg condition{special.when, {}, {}};
        for (const BufferStride& each : special.strides) {
            condition.strides.push_back(
                {each, each.source == Source::Input ? graph_.inputs[each.index].name : ""});
        }
        if (special.selected) {
            const Selector& selector = *graph_.functions[f].stages[s].selector;
            const std::string name =
                selector.scalar >= 0 ? graph_.scalars[selector.scalar].name : std::string();
            condition.selected = SelectedArg{selector, name, *special.selected};
        }
        return condition;
    }

    void add_stage(int f, int s) {
        const StageSchedule& stage = schedule_.functions[f].stages[s];
        for (int i = 0; i < static_cast<int>(stage.specializations.size()); i++) {
            Directive& d = add(Method::Specialize, f, s);
            d.args.emplace_back(condition(f, s, stage.specializations[i]));
            d.result = i;
            add_nest({f, s, i}, stage.specializations[i].nest);
        }
        add_nest({f, s, -1}, stage.nest);
    }

    void add_nest(const Where& where, const LoopNest& nest) {
        const Stage& stage = graph_.functions[where.function].stages[where.stage];
        add_splits(where, nest, stage);
        add_order(where, nest, stage);
        // Before the marks: Halide checks for races when it takes them.
        if (nest.atomic) {
            add(Method::Atomic, where);
        }
        const auto mark = [&](Method method, LoopRef loop) {
            add(method, where).args.emplace_back(variable(where, stage, loop));
        };
        for (const std::optional<LoopRef>& loop : {nest.dot, nest.vector}) {
            if (loop) {
                mark(Method::Vectorize, *loop);
            }
        }
        for (const LoopRef loop : nest.unrolled) {
            mark(Method::Unroll, loop);
        }
        for (const LoopRef loop : nest.parallel) {
            mark(Method::Parallel, loop);
        }
        for (const LoopPartition& partition : nest.partition) {
            if (partition.policy != PartitionPolicy::Auto) {
                Directive& d = add(Method::Partition, where);
                d.args.emplace_back(variable(where, stage, partition.loop));
                d.args.emplace_back(partition.policy);
            }
        }
        for (const Prefetch& prefetch : nest.prefetch) {
            Directive& d = add(Method::Prefetch, where);
            d.args.emplace_back(FunctionArg{prefetch.function});
            d.args.emplace_back(variable(where, stage, prefetch.at));
            d.args.emplace_back(variable(where, stage, prefetch.from));
            d.args.emplace_back(prefetch.offset);
            d.args.emplace_back(prefetch.bounds);
        }
    }

    void add_splits(const Where& where, const LoopNest& nest, const Stage& stage) {
        for (int dim = 0; dim < static_cast<int>(nest.splits.size()); dim++) {
            for (int level = 0; level < static_cast<int>(nest.splits[dim].size()); level++) {
                const VariableArg outer = variable(where, stage, {dim, level});
                Directive& d = add(Method::Split, where);
                d.args.emplace_back(outer);
                d.args.emplace_back(outer);
                d.args.emplace_back(variable(where, stage, {dim, level + 1}));
                d.args.emplace_back(nest.splits[dim][level].factor);
                d.args.emplace_back(nest.splits[dim][level].tail);
            }
        }
    }

    void add_order(const Where& where, const LoopNest& nest, const Stage& stage) {
        // rfactor leaves the loops of its update in the order that the parent's had.
        const std::optional<Derivation>& derivation =
            schedule_.functions[where.function].derivation;
        const bool as_left =
            derivation && derivation->kind == Derivation::Kind::Rfactor && where.stage == 1;
        const std::vector<LoopRef> order = loop_order(nest, stage_dims(stage));
        if ((nest.order.empty() && !as_left) || order.size() < 2) {
            return;
        }
        Directive& d = add(Method::Reorder, where);
        for (const LoopRef loop : order) {
            d.args.emplace_back(variable(where, stage, loop));
        }
    }

    // 3. Levels and storage.
    void add_level(int f, const Level& level, Method root, Method at) {
        if (level.kind == Level::Kind::Root) {
            add(root, f);
        } else if (level.kind == Level::Kind::At) {
            add(at, f).args.emplace_back(level_arg(level.site));
        }
    }

    void add_levels(int f) {
        const FunctionSchedule& function = schedule_.functions[f];
        if (function.compute.kind == Level::Kind::Inline) {
            add(Method::ComputeInline, f);
        }
        add_level(f, function.compute, Method::ComputeRoot, Method::ComputeAt);
        add_level(f, function.store, Method::StoreRoot, Method::StoreAt);
        add_level(f, function.hoist, Method::HoistStorageRoot, Method::HoistStorage);
    }

    void add_storage(int f) {
        const FunctionSchedule& function = schedule_.functions[f];
        if (function.memory != Memory::Auto) {
            add(Method::StoreIn, f).args.emplace_back(function.memory);
        }
        if (function.storage_order.size() > 1) {
            Directive& d = add(Method::ReorderStorage, f);
            for (const int dim : function.storage_order) {
                d.args.emplace_back(argument(f, dim));
            }
        }
        for (const Alignment& alignment : function.alignment) {
            Directive& d = add(Method::AlignStorage, f);
            d.args.emplace_back(argument(f, alignment.dim));
            d.args.emplace_back(alignment.elements);
        }
        for (const Alignment& alignment : function.region_alignment) {
            Directive& d = add(Method::AlignBounds, f);
            d.args.emplace_back(argument(f, alignment.dim));
            d.args.emplace_back(alignment.elements);
        }
        for (const Alignment& bound : function.storage_bounds) {
            Directive& d = add(Method::BoundStorage, f);
            d.args.emplace_back(argument(f, bound.dim));
            d.args.emplace_back(bound.elements);
        }
        if (function.fold) {
            Directive& d = add(Method::FoldStorage, f);
            d.args.emplace_back(argument(f, function.fold->dim));
            d.args.emplace_back(function.fold->factor);
            d.args.emplace_back(function.fold->forward);
        }
    }

    // 4. compute_with, which wants the loops of both stages to be final.
    void fuse_stages() {
        for (int f = 0; f < functions(); f++) {
            for (int s = 0; s < static_cast<int>(schedule_.functions[f].stages.size()); s++) {
                if (const auto& with = schedule_.functions[f].stages[s].compute_with) {
                    add(Method::ComputeWith, f, s).args.emplace_back(level_arg(*with));
                }
            }
        }
    }

    [[nodiscard]] static VariableArg variable(const Where& where, const Stage& stage, LoopRef ref) {
        const Loop& loop = stage.loops[ref.dim];
        VariableArg arg;
        arg.function = where.function;
        arg.stage = where.stage;
        arg.name = loop_name(stage_dims(stage), ref);
        arg.reduction = loop.is_reduction();
        arg.original = ref.level == 0 ? loop.position : -1;
        arg.variable = ref.level == 0 ? loop.variable : arg.name;
        return arg;
    }

    [[nodiscard]] VariableArg argument(int f, int dim) const {
        VariableArg arg;
        arg.function = f;
        arg.name = graph_.functions[f].args[dim];
        arg.original = dim;
        const std::vector<Stage>& stages = graph_.functions[f].stages;
        arg.variable = stages.empty() ? "" : stages[0].loops[dim].variable;
        return arg;
    }

    [[nodiscard]] LevelArg level_arg(const LoopSite& site) const {
        const Stage& stage = graph_.functions[site.function].stages[site.stage];
        return {variable({site.function, site.stage, -1}, stage, site.loop)};
    }

    const PipelineDag& dag_;
    const Schedule& schedule_;
    const ScheduledDag derived_;
    const PipelineDag& graph_;
    std::vector<Directive> list_;
};

}  // namespace

std::vector<Directive> directives(const PipelineDag& dag, const Schedule& schedule) {
    return DirectiveList(dag, schedule).make();
}

const char* method_name(Method method) {
    switch (method) {
        case Method::CloneIn:
            return "clone_in";
        case Method::In:
            return "in";
        case Method::Rfactor:
            return "rfactor";
        case Method::Specialize:
            return "specialize";
        case Method::Split:
            return "split";
        case Method::Reorder:
            return "reorder";
        case Method::Vectorize:
            return "vectorize";
        case Method::Unroll:
            return "unroll";
        case Method::Parallel:
            return "parallel";
        case Method::Atomic:
            return "atomic";
        case Method::Partition:
            return "partition";
        case Method::Prefetch:
            return "prefetch";
        case Method::Unscheduled:
            return "unscheduled";
        case Method::ComputeWith:
            return "compute_with";
        case Method::ComputeInline:
            return "compute_inline";
        case Method::ComputeRoot:
            return "compute_root";
        case Method::ComputeAt:
            return "compute_at";
        case Method::StoreRoot:
            return "store_root";
        case Method::StoreAt:
            return "store_at";
        case Method::HoistStorageRoot:
            return "hoist_storage_root";
        case Method::HoistStorage:
            return "hoist_storage";
        case Method::StoreIn:
            return "store_in";
        case Method::ReorderStorage:
            return "reorder_storage";
        case Method::AlignStorage:
            return "align_storage";
        case Method::AlignBounds:
            return "align_bounds";
        case Method::BoundStorage:
            return "bound_storage";
        case Method::FoldStorage:
            return "fold_storage";
    }
    return "?";
}

}  // namespace nestor
