#pragma once
// Loop nests by rule: which dimension becomes the vector, where reduction loops go, what runs in
// parallel.

#include <cstdint>
#include <optional>
#include <vector>

#include "machine/machine.h"
#include "schedule/schedule.h"

namespace nestor {

/** The roles of a stage's dimensions. Positions in Stage::loops. */
struct Roles {
    std::optional<int> vector;   // contiguous or at least long
    std::optional<int> rows;     // the next long pure dimension
    std::vector<int> small;      // pure, short: channels
    std::vector<int> outer;      // other pure dimensions, inner to outer
    std::vector<int> reduction;  // in the order of the domain, innermost first
    int lanes = 1;               // of the vector
};

/** `extents`: of the stage's loops where the nest runs (a tile's, or the estimates'). */
[[nodiscard]] Roles assign_roles(const Function& f, const Stage& stage,
                                 const std::vector<std::int64_t>& extents, const Machine& machine);

/** Extents of a stage's loops at the estimates. */
[[nodiscard]] std::vector<std::int64_t> estimated_extents(const Stage& stage);

/** Bytes of the widest type of its values. */
[[nodiscard]] int widest_bytes(const Function& f);

/** How a pure dimension of this stage may end: guarded, always right. */
[[nodiscard]] Tail safe_tail();

/** Vector innermost, then reduction loops, then the other pure loops; the outermost ones parallel
 * if `parallel` and there is enough work. For stages at root, and, with parallel = false, inside of
 * others' loops. */
[[nodiscard]] LoopNest plain_nest(const Function& f, const Stage& stage,
                                  const std::vector<std::int64_t>& extents, const Machine& machine,
                                  bool parallel);

/** Sizes of a tile; 0: not split. */
struct TileShape {
    std::int64_t width = 0;   // of the vector dimension
    std::int64_t height = 0;  // of the rows
};

/** A tiled nest and the loops at which producers can be computed. */
struct TiledNest {
    LoopNest nest;
    LoopRef tile;                 // encloses a whole tile
    std::optional<LoopRef> rows;  // the loop over rows within it
};

/** Loops, innermost first: vector, reductions, rest of the tile's width, small, tile's rows, then
 * the tile loops and the outer ones, the outermost of them parallel. None if there is no long pure
 * dimension. */
[[nodiscard]] std::optional<TiledNest> tiled_nest(const Function& f, const Stage& stage,
                                                  const TileShape& shape, const Machine& machine);

}  // namespace nestor
