#include "cost/expansion.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "schedule/phases.h"

namespace nestor {

namespace {

// One evaluation: where, as functions of the loops of the stage that is expanded.
struct Instance {
    Source source = Source::Function;
    int index = 0;
    int value = 0;
    bool conditional = false;
    std::vector<Coordinate> coords;
};

// Its identity: two evaluations at the same place are one. What is not affine is never the same.
using Key = std::tuple<Source, int, int, std::vector<double>>;

std::vector<double> rates_of(const std::vector<Coordinate>& coords) {
    std::vector<double> rates;
    for (const Coordinate& coordinate : coords) {
        rates.push_back(coordinate.affine ? 1 : 0);
        rates.insert(rates.end(), coordinate.rates.begin(), coordinate.rates.end());
        for (std::size_t l = 0; l < coordinate.steps.size(); l++) {
            const Steps& each = coordinate.steps[l];
            if (is_far(each, coordinate.rates[l])) {
                rates.push_back(static_cast<double>(l));
                rates.push_back(each.points);
                rates.push_back(each.rate);
            }
        }
    }
    return rates;
}

std::vector<LoopSet> changing_loops(const std::vector<Coordinate>& coords) {
    std::vector<LoopSet> loops;
    std::ranges::transform(coords, std::back_inserter(loops), &Coordinate::changing_loops);
    return loops;
}

std::vector<double> place_of(const std::vector<Coordinate>& coords, int serial) {
    std::vector<double> place = rates_of(coords);
    for (const Coordinate& coordinate : coords) {
        place.push_back(coordinate.affine ? static_cast<double>(coordinate.offset_min) : serial);
        place.push_back(coordinate.affine ? static_cast<double>(coordinate.offset_max) : serial);
    }
    return place;
}

// Those of one argument of a function that moves with it by `rate`, or in blocks.
void add_steps(const Steps& blocks, double rate, const Coordinate& argument, Coordinate& result) {
    result.steps.resize(result.rates.size());
    for (int l = 0; l < std::ssize(argument.rates) && l < std::ssize(result.rates); l++) {
        Steps mine = argument.steps_along(l);
        if (blocks.points > 0) {
            const bool aligned = is_multiple(static_cast<double>(argument.offset_min),
                                             static_cast<double>(argument.offset_max),
                                             argument.rates, argument.steps, l, blocks.points);
            mine = composed(blocks, mine, argument.rates[l], aligned);
        } else {
            mine.rate *= rate;
        }
        // What was added of other arguments moves by its rate.
        result.steps[l] = sum(result.steps[l], result.rates[l], mine, rate * argument.rates[l]);
    }
}

// `inner`, a function of another function's arguments, where these are `outer`.
Coordinate composed(const Coordinate& inner, const std::vector<Coordinate>& outer,
                    std::size_t loops) {
    Coordinate result;
    result.rates.assign(loops, 0);
    result.affine = inner.affine;
    result.clamped = inner.clamped;
    if (inner.clamped || std::ranges::any_of(outer, &Coordinate::clamped)) {
        result.clamped_loops.assign(loops, false);
    }
    result.offset_min = inner.offset_min;
    result.offset_max = inner.offset_max;
    double low = static_cast<double>(inner.offset_min);
    double high = static_cast<double>(inner.offset_max);
    for (std::size_t a = 0; a < inner.rates.size() && a < outer.size(); a++) {
        const double rate = inner.rates[a];
        const Steps blocks = inner.steps_along(static_cast<int>(a));
        if (blocks.points > 0 || (rate != 0 && !outer[a].steps.empty())) {
            add_steps(blocks, rate, outer[a], result);
        }
        if (rate == 0) {
            continue;
        }
        result.affine = result.affine && outer[a].affine;
        result.clamped = result.clamped || outer[a].clamped;
        const auto first = rate * static_cast<double>(outer[a].offset_min);
        const auto last = rate * static_cast<double>(outer[a].offset_max);
        low += std::min(first, last);
        high += std::max(first, last);
        const bool clamped = inner.is_clamped_along(static_cast<int>(a));
        for (std::size_t l = 0; l < loops && l < outer[a].rates.size(); l++) {
            result.rates[l] += rate * outer[a].rates[l];
            if ((clamped && outer[a].rates[l] != 0) ||
                outer[a].is_clamped_along(static_cast<int>(l))) {
                result.clamped_loops[l] = true;
            }
        }
    }
    result.offset_min = static_cast<std::int64_t>(std::floor(low));
    result.offset_max = static_cast<std::int64_t>(std::floor(high));
    if (!result.affine) {
        result.fixed_loops.assign(loops, true);
        for (std::size_t a = 0; a < outer.size(); a++) {
            for (std::size_t l = 0; l < loops && inner.changes_with(static_cast<int>(a)); l++) {
                if (outer[a].changes_with(static_cast<int>(l))) {
                    result.fixed_loops[l] = false;
                }
            }
        }
    }
    return result;
}

class Expander {
  public:
    Expander(const Placement& placement, int function, int stage)
        : placement_(placement),
          function_(function),
          stage_(placement.graph().functions[function].stages[stage]),
          loops_(stage_.loops.size()) {}

    Expansion run() {
        const Function& f = placement_.graph().functions[function_];
        Expansion all = run_for(std::nullopt);
        if (!f.joined) {
            return all;
        }
        for (std::vector<Family>* families : {&all.inlined, &all.loads}) {
            for (Family& family : *families) {
                family.times = 0;
            }
        }
        for (int value = 0; value < std::ssize(f.types); value++) {
            const Expansion mine = Expander(placement_, function_, stage_.index).run_for(value);
            add_times(mine.inlined, all.inlined);
            add_times(mine.loads, all.loads);
        }
        return all;
    }

  private:
    // Of one value of the function; none: of all.
    Expansion run_for(std::optional<int> value) {
        for (const Load& load : stage_.loads) {
            if (value && !serves(load, *value)) {
                continue;
            }
            meet({load.source, load.index, load.value, load.conditional, load.coords});
        }
        while (!open_.empty()) {
            const Instance next = std::move(open_.front());
            open_.pop_front();
            expand(next);
        }
        result_.periods = periods(placement_.graph(), function_, stage_.index,
                                  [&](int f) { return placement_.is_transparent(f); });
        result_.stores = stored_at(stage_, placement_.graph().functions[function_].dimensions());
        for (const LoopSet loops : changing_loops(result_.stores)) {
            result_.stores_change |= loops;
        }
        return std::move(result_);
    }

    static bool serves(const Load& load, int value) {
        return load.serves.empty() || std::ranges::count(load.serves, value) > 0;
    }

    // Adds the share of each family that one of the values needs; families are of all values.
    static void add_times(const std::vector<Family>& some, std::vector<Family>& families) {
        for (Family& family : families) {
            const auto mine = std::ranges::find_if(some, [&](const Family& each) {
                return each.source == family.source && each.index == family.index &&
                       each.value == family.value &&
                       rates_of(each.coords) == rates_of(family.coords);
            });
            family.times += mine == some.end() ? 0 : mine->members / family.members;
        }
    }

    [[nodiscard]] bool is_expanded(const Instance& instance) const {
        return instance.source == Source::Function && placement_.is_transparent(instance.index);
    }

    void meet(Instance instance) {
        Key key{instance.source, instance.index, instance.value,
                place_of(instance.coords, static_cast<int>(met_.size()))};
        if (met_.size() >= kMostMembers) {
            result_.complete = false;
            return;
        }
        if (!met_.insert(std::move(key)).second) {
            return;
        }
        add(instance, is_expanded(instance) ? result_.inlined : result_.loads);
        if (is_expanded(instance)) {
            open_.push_back(std::move(instance));
        }
    }

    void expand(const Instance& instance) {
        const Function& f = placement_.graph().functions[instance.index];
        for (const Stage& stage : f.stages) {
            for (const Load& load : stage.loads) {
                if (!serves(load, instance.value)) {
                    continue;
                }
                Instance inner{load.source,
                               load.index,
                               load.value,
                               load.conditional || instance.conditional,
                               {}};
                for (const Coordinate& coordinate : load.coords) {
                    inner.coords.push_back(composed(coordinate, instance.coords, loops_));
                }
                meet(std::move(inner));
            }
        }
    }

    void add(const Instance& instance, std::vector<Family>& families) {
        const std::vector<double> rates = rates_of(instance.coords);
        Family* mine = nullptr;
        for (Family& family : families) {
            if (family.source == instance.source && family.index == instance.index &&
                family.value == instance.value && rates_of(family.coords) == rates) {
                mine = &family;
                break;
            }
        }
        if (mine == nullptr) {
            families.push_back({instance.source, instance.index, instance.value, instance.coords,
                                changing_loops(instance.coords),
                                std::vector<double>(instance.coords.size(), 1), 1,
                                instance.conditional});
            return;
        }
        mine->members++;
        mine->conditional = mine->conditional && instance.conditional;
        for (std::size_t c = 0; c < mine->coords.size(); c++) {
            Coordinate& whole = mine->coords[c];
            whole.offset_min = std::min(whole.offset_min, instance.coords[c].offset_min);
            whole.offset_max = std::max(whole.offset_max, instance.coords[c].offset_max);
            mine->box[c] = static_cast<double>(whole.offset_max - whole.offset_min + 1);
        }
    }

    const Placement& placement_;
    const int function_;
    const Stage& stage_;
    const std::size_t loops_;
    Expansion result_;
    std::set<Key> met_;
    std::deque<Instance> open_;
};

}  // namespace

bool Family::depends_on(int dim) const {
    return std::ranges::any_of(changes, [&](LoopSet loops) { return contains(loops, dim); });
}

bool Family::is_affine() const {
    return std::ranges::all_of(coords, [](const Coordinate& each) { return each.affine; });
}

LoopSet Family::changing_with(LoopSet coordinates) const {
    LoopSet loops = 0;
    for (int c = 0; c < std::ssize(coords); c++) {
        loops |= contains(coordinates, c) ? changes[c] : 0;
    }
    return loops;
}

namespace {

// How many of the copies along a quotient (which moves by `rate`) or a remainder are known to be at
// another point than the others. Where nobody knows at which point of its period a copy is, x / 2
// and (x + 1) / 2 are two expressions to the compiler, whatever their values.
double told_apart(const Steps& steps, double rate, const Copies& copies) {
    const bool in_blocks = steps.points > 1;
    if (copies.multiple == 1 || (in_blocks && copies.multiple % steps.points != 0)) {
        return copies.count;
    }
    const double run = copies.count * copies.stride;
    if (rate != 0) {
        const double blocks = in_blocks ? run / steps.points : run * std::abs(rate) + 1;
        return std::min(copies.count, std::ceil(blocks));
    }
    const std::int64_t period = in_blocks ? steps.points : copies.multiple;
    const auto stride = static_cast<std::int64_t>(copies.stride);
    const std::int64_t points = period == 0 ? 0 : period / std::gcd(period, stride);
    return points == 0 ? copies.count : std::min(copies.count, static_cast<double>(points));
}

// Points along a coordinate that all copies touch together, of which each touches `extent`, side by
// side. The copies that are nearest to each other first, whatever the order of their loops: three
// points at every second place, of eight places, are 17, not 10. `apart`: no two touch the same.
double extent_of_copies(const Coordinate& coordinate, double extent, std::span<const Copies> copies,
                        bool apart) {
    const auto shift_of = [&](const Copies& each) {
        const bool known = static_cast<std::size_t>(each.dim) < coordinate.rates.size() &&
                           coordinate.steps_along(each.dim).points == 0;
        return known ? std::abs(coordinate.rates[each.dim]) * each.stride : 0;
    };
    const auto nearest_after = [&](double shift) {
        double nearest = std::numeric_limits<double>::infinity();
        for (const Copies& each : copies) {
            const double mine = shift_of(each);
            nearest = mine > shift && mine < nearest ? mine : nearest;
        }
        return nearest;
    };
    double shift = nearest_after(0);
    while (std::isfinite(shift)) {
        for (const Copies& each : copies) {
            if (shift_of(each) == shift) {
                extent += (apart ? extent : std::min(shift, extent)) * (each.count - 1);
            }
        }
        shift = nearest_after(shift);
    }
    for (const Copies& each : copies) {
        if (const Steps steps = coordinate.steps_along(each.dim); steps.points > 0) {
            extent *= told_apart(steps, coordinate.rates[each.dim], each);
        }
    }
    return extent;
}

}  // namespace

double Family::distinct(std::span<const Copies> copies) const {
    return distinct(copies, kAllLoops);
}

double Family::distinct(std::span<const Copies> copies, LoopSet coordinates, LoopSet apart) const {
    double places = 1;  // in the box, without the other coordinates
    bool affine = true;
    for (int c = 0; c < std::ssize(coords); c++) {
        if (contains(coordinates, c)) {
            places *= box[c];
            affine = affine && coords[c].affine;
        }
    }
    const double own = affine ? std::min(members, places) : members;
    const LoopSet loops = changing_with(coordinates);
    double most = own;
    for (const Copies& each : copies) {
        most *= contains(loops, each.dim) ? each.count : 1;
    }
    if (!affine) {
        return most;
    }
    double grown = own;
    for (int c = 0; c < std::ssize(coords); c++) {
        if (!contains(coordinates, c)) {
            continue;
        }
        grown *= extent_of_copies(coords[c], box[c], copies, contains(apart, c)) / box[c];
    }
    return std::min(most, grown);
}

const Expansion& Expansions::of(const Placement& placement, int function, int stage) {
    const PipelineDag& graph = placement.graph();
    std::vector<bool> expanded(graph.functions.size(), false);
    std::vector<const Stage*> open{&graph.functions[function].stages[stage]};
    while (!open.empty()) {
        const Stage& next = *open.back();
        open.pop_back();
        for (const Load& load : next.loads) {
            if (load.source == Source::Function && !expanded[load.index] &&
                placement.is_transparent(load.index)) {
                expanded[load.index] = true;
                for (const Stage& inner : graph.functions[load.index].stages) {
                    open.push_back(&inner);
                }
            }
        }
    }
    std::vector<Known>& known = known_[{function, stage}];
    for (const Known& each : known) {
        if (each.expanded == expanded) {
            return *each.expansion;
        }
    }
    known.push_back({std::move(expanded), std::make_unique<const Expansion>(
                                              Expander(placement, function, stage).run())});
    return *known.back().expansion;
}

}  // namespace nestor
