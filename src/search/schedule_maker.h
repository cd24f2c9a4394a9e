#pragma once
// The schedule that follows from a plan. Plans that are looked at one after the other differ in a
// function or two: the loops of all others are left as they are.

#include <optional>
#include <vector>

#include "machine/machine.h"
#include "schedule/reach.h"
#include "schedule/schedule.h"
#include "search/make_nest.h"
#include "search/plan.h"

namespace nestor {

class ScheduleMaker {
  public:
    /** Keeps references. */
    ScheduleMaker(const PipelineDag& dag, const Machine& machine, const Reach& reach);

    /** See Builder::build(). `inlining`: of the plan. */
    [[nodiscard]] const Schedule& make(const Plan& plan, const Inlining& inlining);
    /** See Builder::possible_spots(). Leaves make()'s schedule half changed. */
    [[nodiscard]] std::vector<Spot> spots_of(const Plan& plan, const Inlining& inlining,
                                             int function);

  private:
    /** What the loops of a function follow from. */
    struct Basis {
        std::vector<NestPlan> stages;
        std::vector<bool> borders;
        bool has_tasks = false;
    };

    void place_consumers_of(int function);
    void place(int function);
    void place_at_loop(int function);
    void leave(int function);
    void make_loops(int function);
    void add_cases();
    [[nodiscard]] bool has_cases(int function) const;
    [[nodiscard]] bool adds_what_is_inside(int function, int stage) const;
    [[nodiscard]] bool has_tasks(int function) const;
    using Position = std::vector<Spot>::const_iterator;
    [[nodiscard]] Position find(const std::vector<Spot>& common, Position from,
                                const Spot& wanted) const;
    [[nodiscard]] LoopSite loop_site(const Spot& spot) const;
    [[nodiscard]] std::vector<Spot> common_spots(int function) const;
    void add_around(const Spot& spot, std::vector<Spot>& spots) const;

    const PipelineDag& dag_;
    const Machine& machine_;

    // Of the present call.
    const Plan* plan_ = nullptr;
    const Inlining* inlining_ = nullptr;

    Schedule schedule_;
    std::vector<std::optional<Spot>> compute_;  // of functions that are computed at a loop
    std::vector<std::vector<Sites>> sites_;     // [function][stage]; empty: has no loops
    // Of the loops that the schedule and sites_ have; none: they are to be made.
    std::vector<std::optional<Basis>> made_from_;
    std::vector<std::vector<bool>> open_;  // [function][dimension], see Reach::beyond()
};

}  // namespace nestor
