#pragma once
// What a schedule makes of a pipeline: which loops run how often, and what they touch. The terms of
// the cost model (terms.h) look at this and at the machine only.

#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <vector>

#include "cost/expansion.h"
#include "machine/machine.h"
#include "schedule/bounds.h"
#include "schedule/scheduled_dag.h"

namespace nestor {

/** Dot: steps of a reduction that run in the same vector (LoopNest::dot). */
enum class LoopRun { Serial, Parallel, Vector, Unrolled, Dot };

struct LoopFacts {
    LoopSite site;
    LoopRun run = LoopRun::Serial;
    double trips = 1;          // iterations of one execution, on average
    double stride = 1;         // points of its dimension that one iteration moves
    bool is_constant = false;  // as many of them in every run

    /** Whether its iterations run one after the other, or in tasks. */
    [[nodiscard]] bool is_rolled() const {
        return (run == LoopRun::Serial || run == LoopRun::Parallel) && trips > 1;
    }

    /** Of one iteration in every run: no loop in the code. */
    [[nodiscard]] bool is_none() const {
        return run == LoopRun::Serial && trips == 1 && is_constant;
    }
};

/** A stage that has loops of its own. */
struct NestFacts {
    int function = 0;
    int stage = 0;
    const LoopNest* nest = nullptr;
    bool selected = false;         // specialised on the values of Stage::selector
    std::vector<LoopFacts> loops;  // innermost first
    double executions = 1;         // of the whole nest
    double threads_outside = 1;    // that run executions of it at the same time
    double threads = 1;            // that run its iterations at the same time
    // How much longer tasks take than if they could be shared out evenly, of the loops around it
    // and of all.
    double imbalance_outside = 1;
    double imbalance = 1;
    int root = 0;  // the function at root in whose loops it runs
    const Expansion* expansion = nullptr;

    /** Where it stores, see stored_at(). */
    [[nodiscard]] const std::vector<Coordinate>& stores() const { return expansion->stores; }
    /** How often one iteration of the loop at this position runs, all together. Of loops.size():
     * `executions`. */
    [[nodiscard]] double iterations(std::size_t position) const;
    /** Tasks of its own parallel loops from that position outwards, at least 1. */
    [[nodiscard]] double tasks(std::size_t position) const;
    /** Position of the innermost loop that is neither unrolled nor a vector; loops.size() if there
     * is none. */
    [[nodiscard]] std::size_t innermost_rolled() const;
    /** Whether what it writes changes with that dimension of the stage. */
    [[nodiscard]] bool stores_change_with(int dim) const;
    /** Elements of its vectors, at least 1. */
    [[nodiscard]] double lanes() const;
};

/** Bytes of a function or input, at the estimates. */
[[nodiscard]] double whole_bytes(const Bounds& bounds, Source source, int index);

/** Bytes of all that has memory of its own and is not computed inside of something else, inputs
 * included. */
[[nodiscard]] double bytes_at_root(const Bounds& bounds);

/** Memory of functions at root, outputs apart, as far as the C library on Linux may keep what is
 * freed for the next allocation: blocks of up to 32 MiB (mallopt(3), M_MMAP_THRESHOLD). */
struct RootMemory {
    static constexpr double kLargestKept = 32.0 * (1 << 20);

    double bytes = 0;    // of all of them
    double largest = 0;  // of one

    /** Whether the C library gives all of it back to the system when the last of it is freed: two
     * buffers of one size are enough. */
    [[nodiscard]] bool is_given_back() const;
};
[[nodiscard]] RootMemory root_memory(const Bounds& bounds);

/** Of so many bytes of a function, those of the largest block: each value of a tuple has one. */
[[nodiscard]] double largest_block(const Function& f, double bytes);

/** Bytes of freed memory at the end of a heap from which on the C library on Linux gives it back to
 * the system (mallopt(3), M_TRIM_THRESHOLD): twice the largest block that was ever freed, of those
 * that begin at 128 KiB, or else 128 KiB. `largest`: the largest block that is kept. */
[[nodiscard]] double trim_threshold(double largest);

/** Facts about all stages of a schedule at the estimates. */
class ScheduleFacts {
  public:
    /** Keeps references. The schedule is a legal one. */
    ScheduleFacts(const PipelineDag& dag, const Schedule& schedule, const Machine& machine,
                  Expansions& expansions);
    /** Without nests until they are added. `shared`: of `dag`; see Bounds. */
    ScheduleFacts(const PipelineDag& dag, const Schedule& schedule, const Machine& machine,
                  Expansions& expansions, const SharedBounds& shared);

    /** Nests of functions at root, and of all that is computed in their loops; once. */
    void add_nests(const std::vector<int>& roots);

    [[nodiscard]] const PipelineDag& graph() const { return *derived_; }
    [[nodiscard]] const Schedule& schedule() const { return schedule_; }
    [[nodiscard]] const Machine& machine() const { return machine_; }
    [[nodiscard]] const Placement& placement() const { return placement_; }
    [[nodiscard]] Bounds& bounds() { return bounds_; }
    [[nodiscard]] const Bounds& bounds() const { return bounds_; }
    /** Producers first. */
    [[nodiscard]] const std::vector<NestFacts>& nests() const { return nests_; }
    /** Nests of the functions that are computed at a loop, or of those at root. */
    [[nodiscard]] auto nests_at(const LoopSite& site) const {
        return std::views::filter(nests_, [this, site](const NestFacts& nest) {
            return schedule_.functions[nest.function].compute.site == site &&
                   placement_.kind(nest.function) == Placement::Kind::At;
        });
    }
    [[nodiscard]] auto nests_at_root() const {
        return std::views::filter(nests_, [this](const NestFacts& nest) {
            return placement_.kind(nest.function) != Placement::Kind::At;
        });
    }
    /** Functions at root, producers first. */
    [[nodiscard]] const std::vector<int>& roots() const { return roots_; }
    [[nodiscard]] const NestFacts& nest(int function, int stage) const;

    /** See whole_bytes(). */
    [[nodiscard]] double whole_bytes(Source source, int index) const;
    /** See bytes_at_root(). */
    [[nodiscard]] double everything();
    /** See nestor::root_memory(). */
    [[nodiscard]] RootMemory root_memory() const { return nestor::root_memory(bounds_); }
    /** Bytes of one allocation of a function. Where it slides, Halide keeps no more than a circular
     * buffer of what one computation needs (storage folding), by itself or because it is told to:
     * set_allocated_bytes() is for where it does not. 0 if it has none. */
    [[nodiscard]] double allocated_bytes(int function);
    /** What is known of it from elsewhere. */
    void set_allocated_bytes(int function, double bytes) { allocated_bytes_[function] = bytes; }
    /** Whether it is kept in a circular buffer along that dimension. */
    [[nodiscard]] bool is_folded(int function, int dim);

    /** How often the innermost rolled loop of a stage runs in all; 0 if it has none. */
    [[nodiscard]] double innermost_runs(int function, int stage) const;
    /** The stage is executed so many times as often: Halide slides less, or cuts loops off. */
    void scale_executions(int function, int stage, double factor);

    /** The circular buffer that a function needs that slides: along the dimension that it shortens
     * most, as long as one computation and what a tail may add to it, in a power of two. Nothing if
     * it does not slide, is folded already, or no buffer is shorter than what is stored. */
    [[nodiscard]] std::optional<Fold> circular_buffer(int function);
    /** Bytes of its allocation with this fold and no other one. */
    [[nodiscard]] double folded_bytes(int function, const Fold& fold);

    /** As Placement::stride, also of what is stored in a loop: of blocks and panels that are a few
     * points long, in every run, along the dimensions that are denser in memory. */
    [[nodiscard]] std::int64_t stride(Source source, int index, int dim);
    /** Elements of memory between what is accessed at two neighbouring points of a loop; along
     * coordinates that are not affine, or where stride() is 0, it counts for nothing. */
    [[nodiscard]] double distance(Source source, int index, const std::vector<Coordinate>& coords,
                                  int loop);
    /** Whether the distance in memory between neighbours along a dimension of a function is a
     * constant: that they are apart is known to LLVM then. */
    [[nodiscard]] bool stride_is_constant(int function, int dim);

  private:
    struct Slide {
        int dim = 0;
        double steady = 1;  // extent that is computed in an iteration that is not the first
        double every = 1;   // iterations from one first to the next
        bool open = false;  // Halide keeps everything, and slides nothing behind it in that loop
        LoopSite loop;
    };

    /** Dimensions, densest first. */
    [[nodiscard]] const std::vector<int>& storage_order(int function);
    [[nodiscard]] std::vector<bool> constant_strides(int function);
    [[nodiscard]] std::vector<std::int64_t> strides_in_block(int function);
    void add_nests_of(int function, const std::vector<int>& wanted);
    [[nodiscard]] double threads_of(const NestFacts& nest, std::size_t position) const;
    [[nodiscard]] double imbalance_of(const NestFacts& nest, std::size_t position) const;
    [[nodiscard]] std::vector<Slide> find_slides(int function);
    [[nodiscard]] bool moves_inwards_at_end(const LoopSite& loop);
    [[nodiscard]] bool begins_anywhere(int function, int dim, int reader) const;
    void add_open_slides_of_readers(int function);
    [[nodiscard]] double find_allocated_bytes(int function);
    [[nodiscard]] std::vector<LoopFacts> loops_of(int function, int stage);

    const Schedule& schedule_;
    const Machine& machine_;
    const ScheduledDag derived_;
    const Placement placement_;
    Bounds bounds_;
    Expansions& expansions_;
    std::vector<NestFacts> nests_;
    std::vector<std::vector<int>> nest_of_;   // [function][stage]: index into nests_, or -1
    std::vector<std::vector<Slide>> slides_;  // [function]
    // [function]: the loops in which what reads it slides openly, and then it itself.
    std::vector<std::vector<LoopSite>> open_slides_;
    // [function][dimension], of what is stored in a loop; 0: not known.
    std::vector<std::optional<std::vector<std::int64_t>>> block_strides_;
    std::vector<std::vector<int>> storage_orders_;        // [function]; empty: not asked for
    std::vector<std::vector<bool>> constant_strides_;     // [function]; empty: not asked for
    std::vector<std::optional<double>> allocated_bytes_;  // [function]
    std::vector<int> roots_;
    std::optional<double> everything_;
};

}  // namespace nestor
