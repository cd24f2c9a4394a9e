#include <algorithm>

#include "cost/footprints.h"
#include "cost/terms.h"

namespace nestor {

namespace {

constexpr double kUsable = 0.75;    // of a cache: lines conflict, and others want some
constexpr double kLineTraffic = 2;  // a line that is written is read before
// Times the traffic of lines that are gone before they are filled: stores wait for their lines one
// after the other (scans of 32 rows a page apart, vectors down the columns: 2.3 times as long as
// with rows a little longer; Xeon 5).
constexpr double kOneByOne = 2;
// Bytes of cache lines for each byte of a vector of their size, which lies across two of them.
constexpr double kWholeLines = 1.5;
// What it costs, in bytes that could have been fetched meanwhile, when a run of bytes begins that
// the prefetchers do not follow yet (measured: docs/cost-model.md).
constexpr double kStartL3 = 160;
constexpr double kStartDram = 384;

// Sums moved(nest, position) over the outermost loops of a nest, from that position inwards, and of
// those computed in its loops, for which fits(nest, position) says that one iteration does; over
// the innermost ones where none does.
template <class Fits, class Moved>
double beyond(const ScheduleFacts& facts, const NestFacts& nest, std::size_t position,
              const Fits& fits, const Moved& moved) {
    double sum = 0;
    while (position > 0) {
        position--;
        if (position == 0 || fits(nest, position)) {
            return sum + moved(nest, position);
        }
        for (const NestFacts& inner : facts.nests_at(nest.loops[position].site)) {
            sum += beyond(facts, inner, inner.loops.size(), fits, moved);
        }
    }
    return sum;
}

// Of one nest, beyond one cache.
class CacheTraffic {
  public:
    /** Where lines of a cache go: to the set that their address says, or spread by a hash of it,
     * as in the last caches of current processors. */
    enum class Sets { ByAddress, Hashed };

    /** `start`: bytes that the beginning of a run costs beyond that cache; `sharing`: threads that
     * have the cache between them, each a part. */
    CacheTraffic(ScheduleFacts& facts, Footprints& footprints, const CacheLevel& cache, Sets sets,
                 double start, double sharing)
        : facts_(facts),
          footprints_(footprints),
          stays_(stays_in(cache, facts.everything())),
          sets_(sets),
          cache_(kUsable * cache.bytes.value / sharing),
          start_(start) {}

    double bytes(const NestFacts& nest) {
        if (stays_) {
            return 0;
        }
        return beyond(
            facts_, nest, nest.loops.size(),
            [&](const NestFacts& each, std::size_t position) {
                return footprints_.working_set(each, position) <= cache_;
            },
            [&](const NestFacts& each, std::size_t position) { return moved(each, position); });
    }

  private:
    double moved(const NestFacts& nest, std::size_t position) {
        const bool buffers_stay = keeps_buffers(nest, position);
        double bytes = own_moved(nest, position);
        for (std::size_t i = 0; i < footprints_.at(nest, position).size(); i++) {
            const Footprint& each = footprints_.at(nest, position)[i];
            if (!buffers_stay || !is_buffer(each)) {
                bytes += is_crowded(nest, position, i) ? moved_inside(nest, position, i)
                                                       : moved(nest, position, i);
            }
        }
        return bytes;
    }

    // Of one array.
    double moved(const NestFacts& nest, std::size_t position, std::size_t array) {
        const Footprint& each = footprints_.at(nest, position)[array];
        if (each.bytes == 0 || each.is_private) {
            return 0;
        }
        const double entries = nest.iterations(position + 1);
        const double all = 1 + (nest.loops[position].trips - 1) * fresh(each);
        // What is computed inside, but kept outside, is written as often.
        const double written = each.is_inside ? entries * each.bytes * all : 0;
        return entries * each.bytes * line_bytes(nest, position, array) * begun(nest, array) * all +
               written;
    }

    // Of the lines that an array's bytes are in, for each byte. Lines of which an iteration takes
    // but a part are brought once for all iterations, if the cache holds them from one to the next.
    double line_bytes(const NestFacts& nest, std::size_t position, std::size_t array) {
        const Footprint& each = footprints_.at(nest, position)[array];
        if (position + 1 >= nest.loops.size() || each.bytes * each.line_bytes > cache_) {
            return each.line_bytes;
        }
        const double all = footprints_.at(nest, position + 1)[array].line_bytes;
        return std::min(each.line_bytes, std::max(all, kWholeLines));
    }

    // What the nest itself writes. Lines that push each other out, because they share too few sets,
    // are brought by the loops inside; and those of which an iteration fills but a part are gone
    // before they are filled.
    double own_moved(const NestFacts& nest, std::size_t position) {
        if (footprints_.is_private(nest, position)) {
            return 0;
        }
        std::size_t at = position;
        while (at > 0 && is_own_crowded(nest, at)) {
            at--;
        }
        const bool in_parts = at < position && footprints_.own_line_bytes(nest, position, false) >
                                                   footprints_.own_line_bytes(nest, position, true);
        const LoopFacts& loop = nest.loops[at];
        const bool moves = nest.stores_change_with(loop.site.loop.dim);
        return nest.iterations(at + 1) * (moves ? loop.trips : 1) * kLineTraffic *
               (in_parts ? kOneByOne : 1) * footprints_.own_bytes(nest, at) *
               footprints_.own_line_bytes(nest, at, holds_own_lines(nest, at)) *
               begun(nest, footprints_.at(nest, position).size());
    }

    // Whether the lines that one iteration writes are there in the next one.
    [[nodiscard]] bool holds_own_lines(const NestFacts& nest, std::size_t position) {
        return footprints_.own_bytes(nest, position) *
                   footprints_.own_line_bytes(nest, position, false) <=
               cache_;
    }

    [[nodiscard]] bool is_own_crowded(const NestFacts& nest, std::size_t position) {
        const double bytes = footprints_.own_bytes(nest, position) *
                             footprints_.own_line_bytes(nest, position, false);
        return is_more_than_fits(footprints_.own_crowded(nest, position), bytes);
    }

    // `crowded`: see Footprint; of so many bytes in all.
    [[nodiscard]] bool is_more_than_fits(double crowded, double bytes) const {
        return sets_ == Sets::ByAddress && crowded > std::max(cache_ / kUsable, bytes);
    }

    // Whether lines of an array push each other out, because they share too few sets.
    [[nodiscard]] bool is_crowded(const NestFacts& nest, std::size_t position, std::size_t array) {
        const Footprint& each = footprints_.at(nest, position)[array];
        return position > 0 && is_more_than_fits(each.crowded, each.bytes);
    }

    // Of an array that the cache does not hold from one iteration of the loop to the next: what the
    // loops inside bring.
    double moved_inside(const NestFacts& nest, std::size_t position, std::size_t array) {
        return beyond(
            facts_, nest, position + 1,
            [&](const NestFacts& each, std::size_t at) { return !is_crowded(each, at, array); },
            [&](const NestFacts& each, std::size_t at) { return moved(each, at, array); });
    }

    // What is computed inside of the loop and stored around it, in no more memory than the cache
    // has: a circular buffer.
    [[nodiscard]] bool is_buffer(const Footprint& each) const {
        return each.is_inside && each.allocation > 0 && each.allocation <= cache_;
    }

    // Whether all of these buffers fit the cache, beside what else an iteration touches: the next
    // one finds them there.
    [[nodiscard]] bool keeps_buffers(const NestFacts& nest, std::size_t position) {
        double bytes = footprints_.working_set(nest, position);
        for (const Footprint& each : footprints_.at(nest, position)) {
            if (is_buffer(each)) {
                bytes += std::max(0.0, each.allocation - each.bytes);
            }
        }
        return bytes <= cache_;
    }

    // How many times the bytes of a thing its traffic is, with the beginnings of runs.
    [[nodiscard]] double begun(const NestFacts& nest, std::size_t array) {
        return start_ > 0 ? 1 + start_ * footprints_.beginnings(nest)[array] : 1;
    }

    // The part of what an iteration touches that the one before did not. Where everything is
    // touched, but not all of it at once, it is something else each time.
    [[nodiscard]] double fresh(const Footprint& what) const {
        if (what.is_whole) {
            return what.region > cache_ ? 1 : 0;
        }
        return what.fresh;
    }

    ScheduleFacts& facts_;
    Footprints& footprints_;
    const bool stays_;
    const Sets sets_;
    const double cache_;
    const double start_;
};

// Entries of the first data TLB: 64 to 96 of current x86 cores, 48 of Arm's.
constexpr double kTranslations = 64;
// Of the second, as far as data have it to themselves: 1,536 to 2,048 of Intel's cores since
// Skylake, 2,048 and more of AMD's since Zen 2.
constexpr double kSecondTranslations = 1536;

class PageVisits {
  public:
    /** `held`: pages whose translations a table has. */
    PageVisits(ScheduleFacts& facts, Footprints& footprints, double held)
        : facts_(facts), footprints_(footprints), held_(held) {}

    double count(const NestFacts& nest) {
        return beyond(
            facts_, nest, nest.loops.size(),
            [&](const NestFacts& each, std::size_t position) {
                return pages(each, position) <= held_;
            },
            [&](const NestFacts& each, std::size_t position) { return begun(each, position); });
    }

  private:
    double pages(const NestFacts& nest, std::size_t position) {
        double pages = footprints_.own_pages(nest, position);
        for (const Footprint& each : footprints_.at(nest, position)) {
            pages += each.bytes > 0 && !each.is_private ? each.pages : 0;
        }
        return pages;
    }

    double begun(const NestFacts& nest, std::size_t position) {
        const double entries = nest.iterations(position + 1);
        const double trips = nest.loops[position].trips;
        double visits = 0;
        for (const Footprint& each : footprints_.at(nest, position)) {
            if (each.bytes > 0 && !each.is_private) {
                visits += entries * each.pages * (1 + (trips - 1) * each.fresh_pages);
            }
        }
        return visits;
    }

    ScheduleFacts& facts_;
    Footprints& footprints_;
    const double held_;
};

// That run the nest or what is computed in its loops, at most at the same time.
double threads_in(const ScheduleFacts& facts, const NestFacts& nest) {
    double threads = nest.threads;
    for (const NestFacts& each : facts.nests()) {
        if (each.root == nest.root && !nest.loops.empty() &&
            facts.placement().is_computed_inside(each.function, nest.loops.back().site)) {
            threads = std::max(threads, each.threads);
        }
    }
    return threads;
}

}  // namespace

bool stays_in(const CacheLevel& cache, double bytes) {
    return bytes <= kUsable * cache.bytes.value;
}

Traffic& Traffic::operator+=(const Traffic& other) {
    l2 += other.l2;
    l3 += other.l3;
    dram += other.dram;
    page_visits += other.page_visits;
    page_walks += other.page_walks;
    return *this;
}

std::vector<NestTraffic> group_traffic(ScheduleFacts& facts, int root, GroupFootprints& all) {
    const Machine& machine = facts.machine();
    std::vector<NestTraffic> result;
    for (const NestFacts& nest : facts.nests_at_root()) {
        if (nest.function != root) {
            continue;
        }
        Footprints& footprints = all.emplace_back(facts, nest);
        using enum CacheTraffic::Sets;
        const auto past = [&](const CacheLevel& cache, CacheTraffic::Sets sets, double start,
                              double sharing) {
            return CacheTraffic(facts, footprints, cache, sets, start, sharing).bytes(nest);
        };
        const double threads = threads_in(facts, nest);
        const double sharing = std::min(threads, std::max(1.0, machine.l3.cores.value_or(threads)));
        result.push_back(
            {{past(machine.l1, ByAddress, 0, 1), past(machine.l2, ByAddress, kStartL3, 1),
              past(machine.l3, Hashed, kStartDram, sharing),
              PageVisits(facts, footprints, kTranslations).count(nest),
              PageVisits(facts, footprints, kSecondTranslations).count(nest)},
             threads});
    }
    return result;
}

}  // namespace nestor
