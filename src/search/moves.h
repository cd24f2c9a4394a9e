#pragma once
// Moves: single changes of a plan.

#include <functional>
#include <vector>

#include "search/plan.h"

namespace nestor {

/** Calls visit(changed plan) for every plan that differs from this one by a single decision about
 * one function. */
void for_each_neighbour(Builder& builder, const Plan& plan, int function,
                        const std::function<void(const Plan&)>& visit);

/** Changes for a plan of which all else is decided: the iterations of a task (NestPlan::task),
 * whole vectors where there are narrower ones, tiles of the same size and another shape. In all of
 * a search, whole vectors lead it elsewhere, to plans that the model takes for as good and that are
 * not (docs/leads.md). */
void for_each_finishing_move(Builder& builder, const Plan& plan, int function,
                             const std::function<void(const Plan&)>& visit);

/** Changes that predictions cannot judge well: a function at root has fewer tasks, of tiles with
 * more rows, and what is computed in them for each row of a task stays so, which is a decision
 * about each of them. Measured (eight layers that are blended, tasks of 32 rows instead of one):
 * 0.6 of the time, where 0.97 is predicted. In all searches, some of these were worse. */
void for_each_tall_tile(Builder& builder, const Plan& plan, int function,
                        const std::function<void(const Plan&)>& visit);

}  // namespace nestor
