#pragma once
// The rules of legality, one function each; legality.cpp has the table.

#include <string>
#include <vector>

#include "schedule/bounds.h"
#include "schedule/legality.h"
#include "schedule/placement.h"
#include "schedule/reach.h"
#include "schedule/scheduled_dag.h"

namespace nestor {

/** What a rule looks at, and where it says what is broken. */
struct RuleContext {
    const PipelineDag& dag;
    const Schedule& schedule;
    const ScheduledDag& derived;
    const PipelineDag& graph;  // *derived
    const Placement& placement;
    Bounds& bounds;
    const Caps& caps;
    std::vector<Violation>& violations;

    /** Stage -1: the function as a whole. */
    void broken(int function, int stage, std::string what) const;
    [[nodiscard]] std::string name(int function) const;
    [[nodiscard]] int functions() const { return static_cast<int>(schedule.functions.size()); }

    /** The case that a nest of a stage is of; null: the general one. */
    [[nodiscard]] const Specialization* case_of(int function, int stage,
                                                const LoopNest& nest) const;

    /** Calls visit(function, stage, nest, dims) for each nest of each stage, specialised ones
     * included. */
    template <class Visit>
    void each_nest(const Visit& visit) const {
        for (int f = 0; f < functions(); f++) {
            for (int s = 0; s < static_cast<int>(schedule.functions[f].stages.size()); s++) {
                const std::vector<StageDim> dims = placement.dims(f, s);
                for (const LoopNest* nest : placement.nests(f, s)) {
                    visit(f, s, *nest, dims);
                }
            }
        }
    }
};

// Whether the schedule fits the pipeline at all; the other rules rely on these.
void check_algorithm(const RuleContext& context);
void check_derivations(const RuleContext& context);
void check_stage_counts(const RuleContext& context);
void check_nest_shapes(const RuleContext& context);
void check_sites_exist(const RuleContext& context);
void check_storage_dims(const RuleContext& context);

// What is left alone.
void check_pinned(const RuleContext& context);
void check_pinned_inside(const RuleContext& context);
void check_extern(const RuleContext& context);
void check_outputs(const RuleContext& context);

// Loop nests.
void check_order(const RuleContext& context);
void check_tails(const RuleContext& context);
void check_loop_marks(const RuleContext& context);
void check_dots(const RuleContext& context);
void check_races(const RuleContext& context);
void check_constant_extents(const RuleContext& context);
void check_atomic(const RuleContext& context);

// Levels.
void check_inlined(const RuleContext& context);
void check_read(const RuleContext& context);
void check_sites_run(const RuleContext& context);
void check_consumers_inside(const RuleContext& context);
void check_storage_levels(const RuleContext& context);
void check_sliding(const RuleContext& context);
void check_slides_through(const RuleContext& context);
void check_still_slides(const RuleContext& context);
void check_storage_directives(const RuleContext& context);
void check_storage_bounds(const RuleContext& context);

// Directives that join stages.
void check_specializations(const RuleContext& context);
void check_compute_with(const RuleContext& context);
void check_prefetch(const RuleContext& context);

// Limits.
void check_unrolled_bodies(const RuleContext& context);
void check_vector_lanes(const RuleContext& context);
void check_stack(const RuleContext& context);
void check_fold_factor(const RuleContext& context);
void check_peak_bytes(const RuleContext& context);
void check_inlined_size(const RuleContext& context);
void check_code_size(const RuleContext& context);

// What searches stay away from.
void check_careful_tails(const RuleContext& context, const Reach& reach);
void check_careful_slides(const RuleContext& context, const Reach& reach);
void check_careful_warm_ups(const RuleContext& context, const Reach& reach);
void check_folds(const RuleContext& context);

}  // namespace nestor
