#pragma once
// What the loops of a group touch: of each function and input, how many bytes one iteration of a
// loop reads or writes, how much of that is new, and in how long runs it lies in memory. Computed
// once, for all caches.

#include <vector>

#include "cost/schedule_facts.h"

namespace nestor {

/** What one iteration of a loop touches of one function or input. */
struct Footprint {
    double bytes = 0;        // its region, but no more than its loads fetch; 0: nothing
    double region = 0;       // bytes of its region
    bool is_whole = false;   // along some dimension, because it is not known what is touched
    double fresh = 0;        // the part that the iteration before did not touch
    double line_bytes = 0;   // of the cache lines, for each byte: narrow strips take more
    double run = 0;          // bytes of each run; what lies in neighbouring cache lines is one
    double runs = 0;         // how many
    double pages = 0;        // of memory
    double fresh_pages = 0;  // the part of them that the iteration before did not touch
    // Bytes of a cache whose sets are chosen by the address, if all its sets were filled as those
    // are that its lines share: lines that lie a multiple of a page apart share a set of the first
    // cache, and one of few of the second (whose pages lie anywhere).
    double crowded = 0;
    double allocation = 0;    // bytes that it takes, where it is computed inside
    bool is_inside = false;   // the function is computed within the iteration
    bool is_private = false;  // what is kept of it lives and dies within the iteration
};

class Footprints {
  public:
    /** Of a nest at root, and of those computed in its loops. Keeps a reference. */
    Footprints(ScheduleFacts& facts, const NestFacts& root);

    /** For each array that the root nest touches, what one iteration of the loop at that position
     * of a nest of the group does. */
    [[nodiscard]] const std::vector<Footprint>& at(const NestFacts& nest, std::size_t position);

    /** Bytes of the nest's own function that one iteration of the loop writes. */
    [[nodiscard]] double own_bytes(const NestFacts& nest, std::size_t position);
    /** Bytes of their cache lines, for each of these, where they lie apart: of all iterations of
     * that loop if a cache holds the lines of one until the next. */
    [[nodiscard]] double own_line_bytes(const NestFacts& nest, std::size_t position, bool held);
    /** As Footprint::crowded. */
    [[nodiscard]] double own_crowded(const NestFacts& nest, std::size_t position);
    /** Pages of memory that it writes. */
    [[nodiscard]] double own_pages(const NestFacts& nest, std::size_t position);
    /** Bytes of all that one iteration of the loop touches. */
    [[nodiscard]] double working_set(const NestFacts& nest, std::size_t position);
    /** Whether what the nest writes lives and dies within one iteration of the loop. */
    [[nodiscard]] bool is_private(const NestFacts& nest, std::size_t position) const;

    /** Beginnings of runs that the prefetchers of a core do not follow, for each byte: of each
     * array, then of what the nest writes. A run goes on from one iteration of a loop to the next
     * where the loop moves along it, unless there are too many of them. */
    [[nodiscard]] const std::vector<double>& beginnings(const NestFacts& nest);

  private:
    struct Array {
        Source source = Source::Function;
        int index = 0;
        double element = 1;                 // bytes
        std::vector<std::int64_t> extents;  // of all of it
        std::vector<int> order;             // dimensions, neighbours in memory first
    };
    // What is touched of an array in memory.
    struct Layout {
        double run = 0;   // bytes of each run
        double runs = 1;  // how many
        // Bytes next to each other: along the first dimension and, where that is touched as a
        // whole, on along the next one.
        double contiguous = 0;
        double pages = 1;
        double crowded = 0;  // as in Footprint
    };
    // Of one nest; empty: not computed yet.
    struct Table {
        double all_bytes = 0;                            // of its function
        std::vector<std::vector<Footprint>> footprints;  // [position][array]
        std::vector<double> working_set;                 // [position]; negative: not computed
        std::vector<Layout> own_layouts;                 // [position, then all]
        std::vector<double> beginnings;                  // [array, then its own]
    };

    [[nodiscard]] Table& table(const NestFacts& nest);
    [[nodiscard]] Footprint footprint(const NestFacts& nest, std::size_t position,
                                      const Array& array);
    template <class Visit>
    void visit_loads(const NestFacts& nest, std::size_t position, const Array& array,
                     const Visit& visit) const;
    [[nodiscard]] double fetched(const NestFacts& nest, std::size_t position,
                                 const Array& array) const;
    [[nodiscard]] bool crosses(const NestFacts& nest, std::size_t position,
                               const Array& array) const;
    [[nodiscard]] bool is_private(int function, const LoopSite& site) const;
    [[nodiscard]] double beginnings_of(const std::vector<double>& runs,
                                       const std::vector<double>& streams) const;
    [[nodiscard]] Array array(Source source, int index) const;
    [[nodiscard]] Layout layout(const Array& array, const std::vector<std::int64_t>& extents) const;
    // Of what one iteration writes of the nest's own function; of loops.size(): of all.
    [[nodiscard]] const Layout& own_layout(const NestFacts& nest, std::size_t position);
    [[nodiscard]] double fresh_pages(const Regions& regions, const Array& array,
                                     const std::vector<std::int64_t>& extents) const;
    void find_own_extents(const NestFacts& nest, std::size_t position,
                          std::vector<std::int64_t>& extents) const;

    ScheduleFacts& facts_;
    const double line_;                  // bytes
    const double page_;                  // bytes
    const double followed_;              // runs, by the prefetchers of a core
    std::vector<Array> arrays_;          // that the root nest touches
    std::vector<Table> tables_;          // [index into ScheduleFacts::nests()]
    std::vector<std::int64_t> extents_;  // of what is looked at, kept so that memory is
};

}  // namespace nestor
