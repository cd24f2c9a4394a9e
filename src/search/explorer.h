#pragma once
// Ways on from schedules that are known: what tuning tries next.

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "cost/evaluator.h"
#include "machine/machine.h"
#include "search/limits.h"
#include "search/search.h"
#include "search/space.h"

namespace nestor {

/** Makes schedules of one pipeline, each with its predicted time. Those that it yields are legal
 * where nothing else is said; `random` decides, so that the same seed yields the same. */
class Explorer {
  public:
    /** Keeps references. */
    Explorer(const PipelineDag& dag, const Machine& machine, const SearchOptions& options);

    [[nodiscard]] std::span<const Space> spaces() const { return spaces_; }

    /** All that differ from it by one decision, or one of for_each_finishing_move() or
     * for_each_tall_tile(), and its twin(), legal or not (see is_legal(), which takes longer than
     * making them); as far as `limits` let it. Functions come in a random order. */
    [[nodiscard]] std::vector<Proposal> neighbours(const Lineage& parent, const Limits& limits,
                                                   std::mt19937_64& random);

    /** So many decisions changed at random; none if that is not legal. */
    [[nodiscard]] std::optional<Proposal> mutant(const Lineage& parent, int changes,
                                                 std::mt19937_64& random);

    /** The first one with what the second does about one function at root and all that is computed
     * in its loops; none if they are of different spaces, or that is not legal. */
    [[nodiscard]] std::optional<Proposal> cross(const Lineage& first, const Lineage& second,
                                                std::mt19937_64& random);

    /** What each of two does otherwise than the one that both come from; none if they are of
     * different spaces, or say something about the same function. Legal or not. */
    [[nodiscard]] std::optional<Proposal> joined(const Lineage& base, const Lineage& one,
                                                 const Lineage& other);

    /** The changes of one function, made to all that the same was decided of before: a chain of
     * filters wants the same of each. None if there are no others. Legal or not. */
    [[nodiscard]] std::optional<Proposal> alike(const Lineage& base, const Lineage& changed);

    /** A random walk of up to so many steps from one of the starts of the search. */
    [[nodiscard]] std::optional<Proposal> random_walk(int longest, std::mt19937_64& random);

    /** The local search of `search()`, from there, by the present prediction. */
    [[nodiscard]] std::optional<Proposal> improved(const Lineage& parent, std::int64_t work,
                                                   const Limits& limits, std::mt19937_64& random);

    /** Predicts by that correction from now on (nullptr: by none). Keeps the reference. */
    void set_correction(const Correction* correction);

    /** The same with circular buffers for all that slides, if it has none, or without them; none
     * if nothing slides. Legal or not. */
    [[nodiscard]] std::optional<Proposal> twin(const Lineage& lineage);

    /** Whatever is made from now on has guards at constant ends (Guards::ConstantEnds), if it has
     * none of another kind: the pipeline's schedules read too much without. */
    void guard_constant_ends() { least_ = Guards::ConstantEnds; }

    /** The schedule of a lineage with its predicted time; legal or not. */
    [[nodiscard]] Proposal make(const Lineage& wanted, std::string name);
    [[nodiscard]] bool is_legal(const Proposal& proposal);

  private:
    struct Tools {
        std::unique_ptr<Builder> builder;
        std::unique_ptr<Evaluator> evaluator;
    };
    [[nodiscard]] std::vector<Plan> changes(const Lineage& from, int function);

    const PipelineDag& dag_;
    const Machine& machine_;
    const Caps caps_;
    const std::vector<Space> spaces_;
    std::vector<Tools> tools_;  // [space]
    Guards least_ = Guards::None;
};

}  // namespace nestor
