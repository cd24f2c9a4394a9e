#pragma once
// Kinds of moves, by which a search may do without some of them: to see what each is worth.

#include <bitset>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace nestor {

enum class MoveKind {
    // Of a plan (moves.h).
    Inlining,        // and its opposite
    Loops,           // computing a function at a loop
    Sliding,         // storing it further out than it is computed
    Slabs,           // one channel or picture after the other
    RegisterTiles,   // blocks of sums in registers, in one step
    Transpositions,  // blocks that are transposed in registers
    ChannelVectors,  // vectors along channels
    DotProducts,     // steps of a reduction within vectors
    StorageOrder,
    Alignments,  // of what is computed
    Turns,       // vectors along another dimension, in all that is read, too
    Widths,      // of vectors
    VectorDims,
    Blocks,          // unrolled iterations, of one function or several
    Steps,           // unrolled steps of reductions
    ReductionOrder,  // of loops
    LoopOrder,       // channels outside or inside
    Selectors,       // copies of a definition for each value of a selector
    Tiles,
    // When all else is decided.
    Tasks,         // of several rows
    WholeVectors,  // where there are narrower ones
    TileShapes,    // of the same size
    // Variants of the pipeline (space.h).
    SumsInParts,
    OutputSums,        // sums before outputs
    TransposedCopies,  // of what is read across its rows
    Columns,           // resampling by columns
    SumCopies,         // of sums that are stored
    ComputeWith,       // outputs that are computed together
    Clones,            // of what is read in several ways
};
constexpr std::size_t kMoveKinds = 29;

class MoveSet {
  public:
    /** All of them. */
    MoveSet() { kinds_.set(); }

    [[nodiscard]] bool has(MoveKind kind) const { return kinds_[static_cast<std::size_t>(kind)]; }
    void remove(MoveKind kind) { kinds_.reset(static_cast<std::size_t>(kind)); }

    bool operator==(const MoveSet&) const = default;

  private:
    std::bitset<kMoveKinds> kinds_;
};

[[nodiscard]] std::string_view name_of(MoveKind kind);
/** In the order of MoveKind. */
[[nodiscard]] std::vector<std::string_view> names_of_moves();

/** All but those that are named, with '+' between them (parameters of `nestor bench` have commas):
 * "sliding+tiles"; empty: all. An Error for a name that is none. */
[[nodiscard]] Result<MoveSet> moves_without(std::string_view names);

}  // namespace nestor
