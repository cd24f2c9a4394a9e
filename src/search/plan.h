#pragma once
// Plan: the decisions of a search, few numbers for each function, from which a whole Schedule
// follows by rule. Moves (moves.h) change a plan; what they can't say is not searched.

#include <cstdint>
#include <vector>

#include "machine/machine.h"
#include "schedule/schedule.h"

namespace nestor {

enum class Place {
    Inlined,
    Root,
    Tile,  // once for each tile of the function at root that uses it
    Rows,  // for each row (or block of rows) of such a tile; stored for the tile, so that it slides
};

/** The loops of one stage. Lists are by dimension, as in Stage::loops. */
struct NestPlan {
    /** Points of a tile, for functions at root; 0: not split. */
    std::vector<std::int64_t> tile;
    /** Unrolled iterations, at least 1; of the vector's dimension: vectors. */
    std::vector<int> block;
    int vector_dim = -1;
    int lanes = 1;

    bool operator==(const NestPlan&) const = default;
};

struct FunctionPlan {
    Place place = Place::Root;
    std::vector<NestPlan> stages;

    bool operator==(const FunctionPlan&) const = default;
};

struct Plan {
    std::vector<FunctionPlan> functions;  // one for each of PipelineDag::functions
    /** Every tail is guarded: slow, and right at any size whatever is read. */
    bool guarded = false;

    bool operator==(const Plan&) const = default;
};

/** Vectors of natural width along the contiguous dimension, no tiles, no blocks. */
[[nodiscard]] Plan plain_plan(const PipelineDag& dag, const std::vector<bool>& inlined,
                              const Machine& machine);

/** Whether a dimension may be split, run in parallel and as a vector by a plan. */
[[nodiscard]] bool is_free(const Function& f, const Loop& loop);

/** The dimensions of a stage's tiles: the vector's first, then the other long ones, then short
 * ones, all free. */
[[nodiscard]] std::vector<int> free_dims(const Function& f, const Stage& stage, int vector_dim);

/** The schedule that follows. A function that cannot be where the plan has it (because not all that
 * use it are in one tile) is at root. Not always legal. */
[[nodiscard]] Schedule build(const PipelineDag& dag, const Plan& plan, const Machine& machine);

}  // namespace nestor
