#pragma once
// Bounds: what one iteration of a loop touches, of every function and input at once.

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "schedule/placement.h"

namespace nestor {

/** The coordinates that one iteration of a loop touches along one dimension: whole, or
 *    [lo, hi] + sum over the dimensions d of the loop's stage of rates[d] * (where the iteration
 *  is along d). */
struct Span {
    bool whole = false;  // everything that there is
    // Only so much of it as is loaded, but the data tell where: directly, or through a function
    // that is inlined.
    bool anywhere = false;
    double lo = 0;
    double hi = 0;
    bool varies = false;  // hi - lo is not the same in every run
    // It moves by no whole number of points from one iteration to the next, or what reads it does.
    bool uneven = false;
    std::span<const double> rates;
};

/** The loads of each stage of a graph, those that move in the same way as one, with the ranges of
 * all their offsets: as regions see them, nothing is lost. */
class UnitedLoads {
  public:
    explicit UnitedLoads(const PipelineDag& graph);

    [[nodiscard]] const std::vector<Load>& of(int function, int stage) const {
        return loads_[function][stage];
    }

  private:
    std::vector<std::vector<std::vector<Load>>> loads_;  // [function][stage]
};

/** What the bounds of many schedules of one graph have in common. */
struct SharedBounds {
    /** For regions, until they are destroyed. */
    std::pmr::memory_resource* memory = std::pmr::get_default_resource();
    /** Of the graph; none: loads are looked at one by one. */
    const UnitedLoads* loads = nullptr;
    /** The graph's functions, consumers first; none: found anew. */
    const std::vector<int>* consumers_first = nullptr;
    /** Regions are those of the cases that run at the estimates: what these say of where outputs
     * begin is known. Else they are enough for every case, as memory has to be. */
    bool of_running_cases = false;
};

class Bounds;

/** See SharedBounds. */
[[nodiscard]] std::vector<int> consumers_first(const PipelineDag& graph);

/** What one iteration of the loop `site` touches: everything that is loaded in that loop, directly,
 *  through transparent functions, or by functions that are computed inside it. Where a function is
 * computed itself does not matter to its own region, so that it can be asked before that is
 * decided.
 *
 *  At the estimates, and exact on stencils, tiles and sliding windows; tests/bounds says how often
 * Halide's own are larger (it rounds what tails add up from one function to the next). A tile of
 * extents t_l along the loops l of a stage loads coordinates of extent  sum |rate_l| (t_l - 1) +
 * offset_max - offset_min + 1, and loads at different offsets are united as intervals, so that a
 * stencil costs its own width only once. What moves at different rates from one iteration to the
 * next (f(x) + f(width - x)) is united over all iterations. Wherever a coordinate is not affine it
 * is the whole region; also in dimensions that an update addresses by something else than its pure
 * variable. */
class Regions {
  public:
    [[nodiscard]] bool touches(Source source, int index) const;
    /** Of something that is touched. */
    [[nodiscard]] Span span(Source source, int index, int dim) const;
    /** Along a dimension of a function that is touched: no more than the whole region, except that
     * its alignment, and tails of the function that round up or move inwards, enlarge it to what
     * they store. */
    [[nodiscard]] std::int64_t extent(int function, int dim) const;
    /** Of all dimensions. Empty if nothing in the loop loads the function. */
    [[nodiscard]] std::vector<std::int64_t> extents(int function) const;
    /** What is loaded of something that is touched along a dimension, without the tails. */
    [[nodiscard]] std::int64_t loaded_extent(Source source, int index, int dim) const;
    /** The same, as a span. Of a function whose updates reach further than what is loaded (scans),
     * and that is not computed inside, it is what is loaded only. */
    [[nodiscard]] Span loaded_span(Source source, int index, int dim) const;
    /** For each dimension, whether its extent in extents() is bounded by a constant in every run,
     * as memory on the stack or in registers has to be. */
    [[nodiscard]] std::vector<bool> constant(int function) const;
    /** How far along `dim` what is touched moves from one iteration of the site's loop to the next;
     * negative: down. 0 where it stays, and where it is the whole. */
    [[nodiscard]] double advance(Source source, int index, int dim) const;
    /** The same of loaded_span(). */
    [[nodiscard]] double loaded_advance(Source source, int index, int dim) const;

  private:
    friend class Bounds;
    struct Box {
        bool whole = false;
        bool varies = false;
        bool uneven = false;
        double lo = 0;
        double hi = 0;
        bool anywhere = false;
        bool clamped = false;  // a coordinate that made it is, along a loop
        // What its first point is a multiple of in each iteration, as far as Halide knows where the
        // running case is taken; 0: it is always 0.
        std::int64_t multiple = 1;
    };

    // A dimension before widen_for_updates().
    struct Loaded {
        std::size_t at = 0;  // into boxes_
        Box box;
        std::vector<double> rates;
    };

    // What one iteration of the site's loop runs through of one dimension of its own nest.
    struct Part {
        std::int64_t extent = 1;
        int outermost = 0;       // level of the outermost loop inside of the site's
        int inside = 0;          // loops inside of the site's
        bool complete = false;   // all of the dimension
        bool varies = false;     // the extent is not the same in every run
        std::int64_t step = 0;   // how far the iterations around are apart; 0: at the same place
        std::int64_t apart = 0;  // the same, of loops with several iterations at the estimates
    };

    // Used while regions are made, and kept so that memory is.
    struct Scratch {
        std::vector<Box> values;      // of the loops of the stage that is being looked at
        std::vector<double> rates;    // [loop][dimension of the site's stage]
        std::vector<double> of_load;  // [dimension of the site's stage]
        std::vector<Part> parts;      // [dimension of the site's stage], of all its nests
        std::vector<Part> of_nest;    // the same of one of them
    };

    Regions(Bounds& bounds, const LoopSite& site);
    void load(int consumer, int stage);
    void load_everything(int function);
    bool iterations_of(int consumer, int stage);
    void set_tile();
    void add_parts(const LoopNest& nest, const std::vector<StageDim>& dims);
    void add(const Load& load);
    void add_along(const Coordinate& coordinate, std::size_t loop, Box& box) const;
    [[nodiscard]] std::int64_t multiple_of_tile(int loop) const;
    void unite(std::size_t at, Box box, const double* rates);
    void cover_all_positions(std::size_t dim, Box& box, double& rate) const;
    void widen_for_updates(int function, bool computed_inside);
    [[nodiscard]] std::size_t first_dim(Source source, int index) const;
    [[nodiscard]] const Stage& stage() const;
    [[nodiscard]] static Span span_of(const Box& box, std::span<const double> rates);
    [[nodiscard]] std::int64_t extent_of(const Box& box, std::int64_t whole) const;
    [[nodiscard]] const Loaded* before_widening(std::size_t at) const;
    [[nodiscard]] double advance_of(const Span& span) const;
    [[nodiscard]] Range aligned(int function, int dim) const;

    Bounds& bounds_;
    LoopSite site_;
    std::size_t dims_ = 0;            // of the site's stage
    std::pmr::vector<bool> touched_;  // [function, then input]
    std::pmr::vector<Box> boxes_;     // [dimensions of all functions, then of all inputs]
    std::pmr::vector<double> rates_;  // [box][dimension of the site's stage]
    std::vector<Loaded> loaded_;      // of what is widened, and not computed inside
    // How far its iterations are apart along each dimension of its stage, at least; 0: not at all.
    std::pmr::vector<std::int64_t> steps_;
    std::pmr::vector<std::int64_t> apart_;  // the same at the estimates (Part::apart)
};

/** The regions of all loops of a schedule, each computed when first asked for. */
class Bounds {
  public:
    /** Keeps references. `graph` is *ScheduledDag(dag, schedule), and the placement's. */
    explicit Bounds(const Placement& placement, const SharedBounds& shared = {});

    [[nodiscard]] const Regions& within(const LoopSite& site);
    /** Extents of what is stored of a function at once, tails included: what within() says of the
     * loop where it is stored, otherwise all of it. Empty if nothing there loads it. */
    [[nodiscard]] std::vector<std::int64_t> stored(int function);
    /** The function's region, aligned and enlarged by its tails. */
    [[nodiscard]] std::vector<std::int64_t> whole_region(int function) const;
    /** Of that region, along one dimension. */
    [[nodiscard]] std::int64_t whole_extent(int function, int dim) const;
    /** Bytes of one allocation of a function: its footprint at the level where it is stored, at the
     * estimates, folded and aligned as the schedule says. 0 if it has no memory of its own
     * (inlined, outputs). */
    [[nodiscard]] std::int64_t allocation_bytes(int function);
    /** Dimensions of a stage, as large as one computation of its function is. */
    [[nodiscard]] const std::vector<StageDim>& dims(int function, int stage);
    /** Extents, one a dimension, with_tails: what a function's stages store at least. */
    [[nodiscard]] std::int64_t with_tails(int function, int dim, std::int64_t extent) const;

    /** What the schedule aligns a dimension of a function to (align_bounds), or 1. */
    [[nodiscard]] std::int64_t modulus(int function, int dim) const;
    /** What the region of a function begins at a multiple of, and is multiples long: its modulus,
     * or what the case that runs at the estimates says of an output with one definition. Else 1. */
    [[nodiscard]] std::int64_t region_multiple(int function, int dim) const;

    [[nodiscard]] const Placement& placement() const { return placement_; }
    /** The graph's functions. */
    [[nodiscard]] const std::vector<int>& consumers_first() const {
        return shared_.consumers_first != nullptr ? *shared_.consumers_first : own_order_;
    }

  private:
    friend class Regions;

    /** A stage that splits a pure dimension. */
    struct SplitStage {
        int dim;  // of the function
        const std::vector<Split>* splits;
        int stage;
    };

    void find_extra_points();
    /** What is computed of a dimension where so much of it is needed. */
    [[nodiscard]] std::int64_t computed_extent(int function, int dim, const Range& needed) const;
    void add_extra_points(const Stage& stage, std::size_t consumer, const Load& load);
    /** Extent of all that is needed of it, with what the alignment of its consumers asks for. */
    [[nodiscard]] std::int64_t needed_extent(Source source, int index, int dim) const;
    [[nodiscard]] std::vector<StageDim> make_dims(int function, int stage);
    [[nodiscard]] std::vector<SplitStage> find_splits(int function) const;

    const Placement& placement_;
    const SharedBounds shared_;
    std::vector<int> own_order_;          // unless it is shared
    std::vector<std::size_t> first_dim_;  // [function, then input, then the end]
    // By first_dim_, points more than the graph's regions have; empty: nowhere any.
    std::vector<std::int64_t> extra_points_;
    struct KnownRegions {
        LoopSite site;
        std::unique_ptr<const Regions> regions;
    };
    std::vector<std::vector<KnownRegions>> regions_;                       // [function of the site]
    std::vector<std::vector<std::optional<std::vector<StageDim>>>> dims_;  // [function][stage]
    // [function], each when first asked for.
    mutable std::vector<std::optional<std::vector<SplitStage>>> splits_;
    Regions::Scratch scratch_;
};

}  // namespace nestor
