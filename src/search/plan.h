#pragma once
// Plan: the decisions of a search, few numbers for each function, from which a whole Schedule
// follows by rule. Moves (moves.h) change a plan; what they can't say is not searched.

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "machine/machine.h"
#include "schedule/reach.h"
#include "schedule/schedule.h"
#include "search/move_set.h"
#include "search/uses.h"

namespace nestor {

/** Loops of a stage at which other functions can be computed, by what they are for, because which
 * loops there are changes with the plan. Innermost first. */
enum class SiteKind {
    Step,    // over the steps of a reduction that takes several at once (NestPlan::dot)
    Inner,   // the innermost loop that is neither a vector nor unrolled
    Across,  // of several like Rows, the innermost
    Rows,    // over the rows of a tile, or of all there is: not along the vectors, nor short
    Tile,    // the innermost of those over tiles
    Slab,    // the outermost one (NestPlan::in_slabs); functions there have tiles and tasks
};

struct Spot {
    int function = -1;  // -1: any; the outermost one
    int stage = 0;
    SiteKind kind = SiteKind::Tile;

    bool operator==(const Spot&) const = default;
};

enum class Place { Inlined, Root, At };

/** The most unrolled iterations of a loop that moves offer, but for register tiles. */
constexpr int kLargestBlock = 8;

/** The loops of one stage. Lists are by dimension, as in Stage::loops. */
struct NestPlan {
    /** Points of a tile, rounded up to whole blocks, for functions at root; 0: not split; the whole
     * extent or more: not split, and inside of the tiles of other dimensions. */
    std::vector<std::int64_t> tile;
    /** Unrolled iterations, at least 1; of the vector's dimension: vectors; of a reduction: steps,
     * which divide its extent, or else count for nothing. */
    std::vector<int> block;
    int vector_dim = -1;
    int lanes = 1;
    /** Loops over short dimensions (channels) are around all others, not between them. */
    bool short_outside = false;
    /** At root: the outermost loop, if it is one over a few channels or pictures, is not parallel,
     * but the next ones are, and those of what is computed in it: one after the other, each of
     * which may stay in a cache. */
    bool in_slabs = false;
    /** At root: iterations of the parallel loop that one task runs, if there is one such loop, over
     * single points. */
    int task = 1;
    /** The reduction loop that is inside of the others; -1: they are in the domain's order. */
    int inner = -1;
    /** Steps of a reduction that are summed within vectors, of the loop over dimension `dot_dim`,
     * if they divide its extent; 1: none. */
    int dot_dim = -1;
    int dot = 1;
    /** There is a copy for each value of the definition's Stage::selector. */
    bool selected = true;

    bool operator==(const NestPlan&) const = default;
};

struct FunctionPlan {
    Place place = Place::Root;
    /** Of Place::At. Stored further out than computed, it slides. */
    Spot compute;
    Spot store;
    /** What is computed begins at a multiple, and is multiples long; one a dimension, 1: anywhere.
     * An output has a case for when the caller asks for such (search/cases.h). */
    std::vector<int> modulus;
    int dense = 0;  // the dimension whose neighbours are neighbours in memory; not of outputs
    std::vector<NestPlan> stages;

    bool operator==(const FunctionPlan&) const = default;
};

/** For plans of the same function. */
[[nodiscard]] std::uint64_t hash(const FunctionPlan& plan);

/** Computed and stored there, as large as is asked for. */
void compute_at(const Spot& spot, FunctionPlan& plan);

/** Scalar, one point after the other. */
void set_plain(NestPlan& nest);

struct Plan {
    std::vector<FunctionPlan> functions;  // one for each of PipelineDag::functions

    bool operator==(const Plan&) const = default;
};

/** Vectors of natural width along the contiguous dimension, no tiles, no blocks. */
[[nodiscard]] Plan plain_plan(const PipelineDag& dag, const std::vector<bool>& inlined,
                              const Machine& machine);

/** Whether a dimension may be split, run in parallel and as a vector by a plan. */
[[nodiscard]] bool is_free(const Function& f, const Loop& loop);

/** Whether a plan decides how a function lies in memory. */
[[nodiscard]] bool may_be_arranged(const Function& f);

[[nodiscard]] bool has_reduction(const Stage& stage);

/** The pure loop of a stage along a dimension of its function; -1: it has none. */
[[nodiscard]] int loop_along(const Stage& stage, int dim);

/** The first dimension of a load that moves with a loop of its stage; -1: none that is affine. */
[[nodiscard]] int moving_dim(const Load& load, int loop);

/** The dimensions of a stage's tiles: the vector's first, then the other long ones, then short
 * ones, all free. */
[[nodiscard]] std::vector<int> free_dims(const Function& f, const Stage& stage, int vector_dim);

/** What follows from what is inlined. */
struct Inlining {
    std::vector<std::vector<StageRef>> uses;  // see real_uses()
    std::vector<std::vector<bool>> borders;   // see real_borders()
};

class ScheduleMaker;

/** Makes schedules from plans of one pipeline; keeps what many of them have in common. */
class Builder {
  public:
    /** Keeps references. `moves`: what may be done to its plans. */
    Builder(const PipelineDag& dag, const Machine& machine, const MoveSet& moves = {});
    ~Builder();

    /** The schedule that follows. A function that cannot be where the plan has it is at the
     * outermost spot of that kind that is around all that use it, or else at root. Not always
     * legal. Changed by the next call of this or of possible_spots(): copy it to keep it. */
    [[nodiscard]] const Schedule& build(const Plan& plan);

    /** Where a function can be computed at a loop, innermost first: what is around all that use it.
     */
    [[nodiscard]] std::vector<Spot> possible_spots(const Plan& plan, int function);

    [[nodiscard]] const PipelineDag& dag() const { return dag_; }
    [[nodiscard]] const Machine& machine() const { return machine_; }
    [[nodiscard]] const MoveSet& moves() const { return moves_; }
    [[nodiscard]] const Reach& reach() const { return reach_; }
    /** See nestor::has_scans(). */
    [[nodiscard]] bool has_scans() const { return has_scans_; }
    /** See nestor::reads_channels_by_data(). */
    [[nodiscard]] bool reads_channels() const { return reads_channels_; }

  private:
    [[nodiscard]] const Inlining& inlining(const Plan& plan);

    const PipelineDag& dag_;
    const Machine& machine_;
    const MoveSet moves_;
    const Reach reach_;
    const bool has_scans_;
    const bool reads_channels_;
    std::map<std::vector<bool>, Inlining> inlinings_;  // by what is inlined
    std::unique_ptr<ScheduleMaker> maker_;
};

}  // namespace nestor
