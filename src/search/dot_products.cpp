#include "search/dot_products.h"

#include <algorithm>

#include "cost/dots.h"
#include "search/nests.h"

namespace nestor {

namespace {

constexpr int kFewSteps = 8;
constexpr int kPackedRows = 8;  // points that are copied side by side where each has its steps

// The dimension along which a load moves point by point with a loop; -1: it does not.
int dim_along(const Load& load, int loop) {
    for (std::size_t c = 0; c < load.coords.size(); c++) {
        if (load.coords[c].affine && load.coords[c].rates[loop] == 1) {
            return static_cast<int>(c);
        }
    }
    return -1;
}

class DotProducts {
  public:
    DotProducts(Builder& builder, const Plan& plan, int function,
                const std::function<void(const Plan&)>& visit)
        : dag_(builder.dag()),
          machine_(builder.machine()),
          f_(dag_.functions[function]),
          plan_(plan),
          function_(function),
          visit_(visit) {}

    void run() {
        for (const Stage& stage : f_.stages) {
            const NestPlan& nest = plan_.functions[function_].stages[stage.index];
            const bool may_reorder = stage.associative && stage.commutative && !stage.predicated;
            if (!may_reorder || nest.vector_dim < 0 || nest.lanes < 2) {
                continue;
            }
            for (const int steps : dot_steps(machine_, stage)) {
                for (int d = 0; d < static_cast<int>(stage.loops.size()); d++) {
                    const Loop& loop = stage.loops[d];
                    if (loop.is_reduction() && loop.constant_extent &&
                        loop.range.extent % steps == 0 && is_along_memory(stage, d)) {
                        sum_steps(stage, d, steps);
                    }
                }
            }
        }
    }

  private:
    // Of one of the factors, at least: the other can be copied.
    [[nodiscard]] bool is_along_memory(const Stage& stage, int loop) const {
        return std::ranges::any_of(stage.loads, [&](const Load& load) {
            const int dense = load.source == Source::Input ? dag_.inputs[load.index].dense_dim
                                                           : plan_.functions[load.index].dense;
            return dim_along(load, loop) == dense;
        });
    }

    void sum_steps(const Stage& stage, int loop, int steps) {
        Plan changed = plan_;
        NestPlan& nest = changed.functions[function_].stages[stage.index];
        nest.dot_dim = loop;
        nest.dot = steps;
        const std::int64_t extent = stage.loops[loop].range.extent;
        nest.block[loop] = extent <= kFewSteps ? static_cast<int>(extent) / steps : 1;
        bool everywhere = true;
        for (const Load& load : stage.loads) {
            if (load.source == Source::Function && change_with(load.coords, loop) &&
                change_with(load.coords, nest.vector_dim)) {
                everywhere = pack(stage, load, loop, changed) && everywhere;
            }
        }
        visit_(changed);
        if (!everywhere || changed.functions == plan_.functions) {
            return;
        }
        for (const Load& load : stage.loads) {
            if (load.source == Source::Function && change_with(load.coords, loop) &&
                change_with(load.coords, nest.vector_dim)) {
                FunctionPlan& panel = changed.functions[load.index];
                panel.compute = panel.store = {-1, 0, SiteKind::Tile};
            }
        }
        visit_(changed);
    }

    // Whether it may be packed anywhere, because it has no more points along the steps.
    bool pack(const Stage& stage, const Load& load, int loop, Plan& changed) const {
        const Function& source = dag_.functions[load.index];
        const int along = dim_along(load, loop);
        if (along < 0 || source.stages.size() != 1 || source.is_output || source.pinned) {
            return false;
        }
        const NestPlan& nest = changed.functions[function_].stages[stage.index];
        FunctionPlan& panel = changed.functions[load.index];
        NestPlan& copy = panel.stages[0];
        const int before = panel.dense;
        const int row = dim_along(load, nest.vector_dim);
        compute_at({function_, stage.index, SiteKind::Step}, panel);
        panel.dense = along;
        std::ranges::fill(copy.block, 1);
        copy.vector_dim = before;
        const std::int64_t extent = source.region[along].extent;
        const bool few = source.constant[along] && extent <= kFewSteps;
        if (before == along) {
            copy.lanes = few ? static_cast<int>(extent) : nest.dot;
            if (row >= 0) {
                copy.block[row] = kPackedRows;
            }
        } else {
            const int width = nest.lanes * nest.block[nest.vector_dim];
            copy.lanes = std::min(width, machine_.lanes(widest_bytes(source)));
            copy.block[along] = nest.dot;
        }
        return few;
    }

    const PipelineDag& dag_;
    const Machine& machine_;
    const Function& f_;
    const Plan& plan_;
    const int function_;
    const std::function<void(const Plan&)>& visit_;
};

}  // namespace

void for_each_dot_product(Builder& builder, const Plan& plan, int function,
                          const std::function<void(const Plan&)>& visit) {
    DotProducts(builder, plan, function, visit).run();
}

}  // namespace nestor
