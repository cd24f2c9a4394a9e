#include "cost/multiples.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "schedule/loops.h"
#include "schedule/tails.h"

namespace nestor {

namespace {

// What one iteration of a loop needs.
class Needed {
  public:
    Needed(ScheduleFacts& facts, const LoopSite& site) : facts_(facts), site_(site) {}

    std::int64_t begin(int function, int dim) {
        const auto [known, is_new] = begins_.try_emplace({function, dim}, 1);
        if (!is_new) {
            return known->second;
        }
        std::int64_t all = 0;
        for (const int reader : facts_.graph().functions[function].consumers) {
            if (reader == function || !is_inside(reader)) {
                continue;
            }
            for (const Stage& stage : facts_.graph().functions[reader].stages) {
                for (const Coordinate* each : first_of(stage, function, dim)) {
                    all = std::gcd(all, at(reader, stage, *each));
                }
            }
        }
        return known->second = all;
    }

  private:
    [[nodiscard]] bool is_inside(int reader) const {
        return reader == site_.function || facts_.placement().is_transparent(reader) ||
               facts_.placement().is_computed_inside(reader, site_);
    }

    // Of all places where a stage reads a function that move in the same way, the first.
    static std::vector<const Coordinate*> first_of(const Stage& stage, int function, int dim) {
        std::vector<const Coordinate*> first;
        for (const Load& load : stage.loads) {
            if (load.source != Source::Function || load.index != function) {
                continue;
            }
            const Coordinate& mine = load.coords[dim];
            const auto same = std::ranges::find_if(first, [&](const Coordinate* each) {
                return each->affine && mine.affine && each->clamped == mine.clamped &&
                       each->rates == mine.rates;
            });
            if (same == first.end()) {
                first.push_back(&mine);
            } else if (mine.offset_min < (*same)->offset_min) {
                *same = &mine;
            }
        }
        return first;
    }

    std::int64_t at(int reader, const Stage& stage, const Coordinate& coordinate) {
        if (!coordinate.affine || coordinate.clamped) {
            return 1;
        }
        std::int64_t all = std::abs(coordinate.offset_min);
        for (std::size_t l = 0; l < coordinate.rates.size(); l++) {
            const double rate = coordinate.rates[l];
            const auto whole = static_cast<std::int64_t>(rate);
            if (rate == 0) {
                continue;
            }
            if (rate < 0 || static_cast<double>(whole) != rate) {
                return 1;
            }
            all = std::gcd(all, whole * of_loop(reader, stage, static_cast<int>(l)));
        }
        return all;
    }

    std::int64_t of_loop(int reader, const Stage& stage, int l) {
        const Loop& loop = stage.loops[l];
        const bool is_site = reader == site_.function && stage.index == site_.stage;
        if (loop.is_reduction()) {
            return std::gcd(std::abs(loop.range.min), is_site ? step(l) : 0);
        }
        if (!is_site) {
            return reader == site_.function ? 1 : aligned_begin(reader, loop.position);
        }
        const LoopNest& nest = facts_.placement().running_nest(reader, stage.index);
        const bool any_end = std::ranges::any_of(
            splits_of(nest, l), [](const Split& split) { return moves_inwards(split.tail); });
        const bool at_loop = facts_.placement().kind(reader) == Placement::Kind::At;
        return at_loop && any_end
                   ? 1
                   : std::gcd(step(l), known_multiple(facts_, reader, loop.position));
    }

    std::int64_t aligned_begin(int reader, int dim) {
        const std::int64_t modulus = facts_.bounds().modulus(reader, dim);
        return modulus > 1 ? modulus : begin(reader, dim);
    }

    // How far the iterations around the site's are apart along that loop of its stage; 0: not at
    // all.
    [[nodiscard]] std::int64_t step(int l) const {
        const Placement& placement = facts_.placement();
        return stride_around(placement.running_nest(site_.function, site_.stage),
                             placement.dims(site_.function, site_.stage), site_.loop, l);
    }

    ScheduleFacts& facts_;
    const LoopSite& site_;
    std::map<std::pair<int, int>, std::int64_t> begins_;
};

}  // namespace

std::int64_t known_multiple(ScheduleFacts& facts, int function, int dim) {
    const std::int64_t known = facts.bounds().region_multiple(function, dim);
    if (known > 1 || facts.graph().functions[function].is_output) {
        return known;
    }
    if (facts.placement().kind(function) != Placement::Kind::At) {
        return 1;
    }
    const LoopSite& site = facts.schedule().functions[function].compute.site;
    // What slides begins where the iteration before has ended.
    const bool slides = facts.placement().slides(function) &&
                        facts.bounds().within(site).advance(Source::Function, function, dim) != 0;
    return slides ? 1 : Needed(facts, site).begin(function, dim);
}

}  // namespace nestor
