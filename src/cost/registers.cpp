#include "cost/registers.h"

#include <algorithm>

#include "cost/body.h"
#include "cost/conditions.h"

namespace nestor {

namespace {

// The dimension of the function that the vectors of one of its stages lie along, and their length.
struct Vectors {
    int dim = -1;  // -1: scalars
    double lanes = 1;

    bool operator==(const Vectors&) const = default;
};

class Registers {
  public:
    Registers(ScheduleFacts& facts, int function)
        : facts_(facts), function_(function), f_(facts.graph().functions[function]) {}

    [[nodiscard]] bool hold_all() {
        if (!know_stores() || registers_ > facts_.machine().registers.value_or(16)) {
            return false;
        }
        return std::ranges::all_of(
            facts_.placement().uses(function_), [&](const Placement::Use& use) {
                return use.stage >= 0 && reads_as_stored(facts_.nest(use.function, use.stage));
            });
    }

    // In one iteration of a loop, in which no rolled loop is over them.
    [[nodiscard]] bool know_stores() {
        const Placement& placement = facts_.placement();
        if (placement.kind(function_) != Placement::Kind::At || placement.slides(function_)) {
            return false;
        }
        const Level storage = placement.storage(function_);
        if (storage.kind != Level::Kind::At ||
            storage.site != facts_.schedule().functions[function_].compute.site) {
            return false;
        }
        site_ = storage.site;
        for (int s = 0; s < std::ssize(f_.stages); s++) {
            if (!stores_at_known_places(facts_.nest(function_, s), s == 0)) {
                return false;
            }
        }
        return true;
    }

  private:
    [[nodiscard]] static bool is_guarded(ScheduleFacts& facts, const NestFacts& nest) {
        return std::ranges::any_of(nest.loops, [&](const LoopFacts& loop) {
            return loop.run == LoopRun::Unrolled && loop.trips > 1 &&
                   copies_are_guarded(facts, nest, loop.site.loop.dim);
        });
    }

    bool stores_at_known_places(const NestFacts& nest, bool first) {
        Vectors mine;
        double copies = 1;
        for (const LoopFacts& loop : nest.loops) {
            const int dim = loop.site.loop.dim;
            if (!nest.stores_change_with(dim)) {
                continue;
            }
            if (loop.is_rolled() || loop.run == LoopRun::Dot) {
                return false;
            }
            if (loop.run == LoopRun::Vector) {
                for (int c = 0; c < std::ssize(nest.stores()); c++) {
                    if (nest.stores()[c].changes_with(dim)) {
                        const bool dense =
                            c == facts_.placement().dense_dim(Source::Function, function_) &&
                            nest.stores()[c].rates[dim] == 1 && loop.stride == 1;
                        if (!dense) {
                            return false;
                        }
                        mine = {c, loop.trips};
                    }
                }
            } else {
                copies *= loop.trips;
            }
        }
        bool known = std::ranges::all_of(nest.stores(), &Coordinate::affine);
        for (int d = 0; d < f_.dimensions(); d++) {
            known = known && facts_.stride_is_constant(function_, d);
        }
        if (!known || is_guarded(facts_, nest) || (!first && mine != vectors_)) {
            return false;
        }
        if (first) {
            vectors_ = mine;
            for (const ScalarType& type : f_.types) {
                registers_ +=
                    copies * instructions(facts_.machine(), type.element(), mine.lanes).count;
            }
        }
        return true;
    }

    // In the loop where it is computed, and at places that do not change with rolled loops.
    bool reads_as_stored(const NestFacts& nest) {
        std::size_t inside = 0;  // loops that are inside of the site
        if (nest.function == site_.function && nest.stage == site_.stage) {
            while (inside < nest.loops.size() && nest.loops[inside].site.loop != site_.loop) {
                inside++;
            }
        } else if (facts_.schedule().functions[nest.function].compute.site == site_ &&
                   facts_.placement().kind(nest.function) == Placement::Kind::At) {
            inside = nest.loops.size();
        } else {
            return false;
        }
        if (is_guarded(facts_, nest)) {
            return false;
        }
        Vectors theirs;
        int vector_loop = -1;
        for (std::size_t i = 0; i < inside; i++) {
            if (nest.loops[i].run == LoopRun::Vector) {
                vector_loop = nest.loops[i].site.loop.dim;
                theirs.lanes = nest.loops[i].trips;
            }
        }
        for (const Family& family : nest.expansion->loads) {
            if (family.source != Source::Function || family.index != function_) {
                continue;
            }
            for (std::size_t i = 0; i < inside; i++) {
                if (nest.loops[i].is_rolled() && family.depends_on(nest.loops[i].site.loop.dim)) {
                    return false;
                }
            }
            if (!family.is_affine() || !reads_whole(family, vector_loop, theirs.lanes)) {
                return false;
            }
        }
        return true;
    }

    // Vectors as they were stored, or all lanes the same scalar.
    [[nodiscard]] bool reads_whole(const Family& family, int vector_loop, double lanes) const {
        const bool changes = vector_loop >= 0 && family.depends_on(vector_loop);
        if (!changes) {
            return vectors_.dim < 0;
        }
        if (vectors_.dim < 0 || lanes != vectors_.lanes) {
            return false;
        }
        for (int c = 0; c < std::ssize(family.coords); c++) {
            const Coordinate& each = family.coords[c];
            const bool moves = each.changes_with(vector_loop);
            if (moves != (c == vectors_.dim)) {
                return false;
            }
            if (moves && (each.rates[vector_loop] != 1 || family.box[c] != 1 || each.clamped)) {
                return false;
            }
        }
        return true;
    }

    ScheduleFacts& facts_;
    const int function_;
    const Function& f_;
    LoopSite site_;
    Vectors vectors_;  // of its pure definition; those of updates are the same
    double registers_ = 0;
};

}  // namespace

bool stays_in_registers(ScheduleFacts& facts, int function) {
    return Registers(facts, function).hold_all();
}

bool is_stored_at_known_places(ScheduleFacts& facts, int function) {
    return Registers(facts, function).know_stores();
}

}  // namespace nestor
