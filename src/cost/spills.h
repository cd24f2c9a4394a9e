#pragma once
// Values for which a nest's innermost loop has no registers: they are stored, and loaded again.

#include "cost/body.h"
#include "cost/body_families.h"
#include "cost/terms.h"

namespace nestor {

class Spills {
  public:
    /** Keeps references. `own`: operations of one evaluation of the stage. */
    Spills(ScheduleFacts& facts, const NestFacts& nest, const Body& body,
           const BodyFamilies& families, const OpCounts& own);

    /** What is loaded or inlined, so many of it in each execution of the body, in the loop at that
     * position: it may stay in a register while those inside run. */
    void note(const Family& family, std::size_t at, double distinct);
    /** Of a load in each iteration of the innermost loop. */
    void note_addresses(const Family& family);
    /** Vectors that the innermost loop adds to. */
    void note_accumulators(double vectors) { accumulators_ += vectors; }

    /** Whether what the innermost loop adds to is all in registers. */
    [[nodiscard]] bool has_accumulators_in_registers() const;
    /** Steps of a reduction in one iteration. */
    [[nodiscard]] double steps() const;

    /** The cycles of what spills, and the instructions, for all iterations. After all is noted. */
    void add_to(NestCycles& cycles, double& instructions) const;

  private:
    [[nodiscard]] double computed_inside() const;
    void spill(NestCycles& cycles, double& instructions) const;
    void spill_temporaries(NestCycles& cycles, double& instructions) const;
    void spill_shared(NestCycles& cycles, double& instructions) const;
    void spill_addresses(NestCycles& cycles, double& instructions) const;
    [[nodiscard]] double waiting(const Family& family) const;
    [[nodiscard]] double waiting() const;
    template <class Visit>
    void visit_shared(const Visit& visit) const;
    [[nodiscard]] bool only_reads(const Family& family) const;
    [[nodiscard]] LoopSet coordinates_of_rows(const Family& family) const;

    ScheduleFacts& facts_;
    const Machine& machine_;
    const NestFacts& nest_;
    const Body& body_;
    const BodyFamilies& families_;
    const OpCounts& own_;
    const double registers_;
    const double load_;        // cycles of a vector
    const double store_;       // cycles of a vector
    const double iterations_;  // of the innermost loop, all
    double accumulators_ = 0;  // vectors
    double invariants_ = 0;    // vectors
    double addresses_ = 0;     // of what each iteration of the innermost loop loads
};

}  // namespace nestor
