#include "schedule/access_along.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace nestor {

namespace {

// Distance in memory, in elements, of what is `rate` points apart along a dimension, if it is one
// that vectors have instructions for; otherwise kScattered. Halves and thirds of points take as
// many vectors apart.
std::int64_t memory_distance(const Placement& placement, Source source, int index, int dim,
                             double rate) {
    constexpr std::int64_t kFurthest = 4;  // that a vector has instructions for
    const double stride =
        static_cast<double>(placement.stride(source, index, dim)) * (rate < 1 ? 1 / rate : rate);
    const auto whole = static_cast<std::int64_t>(std::round(stride));
    const bool known = whole >= 1 && std::abs(stride - static_cast<double>(whole)) < 1e-6;
    return known && whole <= kFurthest ? whole : kScattered;
}

class Reader {
  public:
    explicit Reader(const Placement& placement) : placement_(placement) {}

    AccessAlong found;

    void read(int function, int dim, double points) {
        if (!seen_.insert({function, dim, points}).second) {
            return;
        }
        found.rate = std::max(found.rate, points);
        for (const Stage& stage : placement_.graph().functions[function].stages) {
            for (std::size_t l = 0; l < stage.loops.size(); l++) {
                if (stage.loops[l].is_reduction() || stage.loops[l].position != dim) {
                    continue;
                }
                for (const Load& load : stage.loads) {
                    read(load, l, points);
                }
            }
        }
    }

  private:
    void read(const Load& load, std::size_t loop, double points) {
        const bool expanded =
            load.source == Source::Function && placement_.is_transparent(load.index);
        for (int k = 0; k < static_cast<int>(load.coords.size()); k++) {
            const Coordinate& coordinate = load.coords[k];
            if (!coordinate.changes_with(static_cast<int>(loop))) {
                continue;
            }
            if (!coordinate.affine) {
                found.border = true;
            }
            if (!coordinate.affine && !coordinate.usually_affine) {
                found.distance = kScattered;
                continue;
            }
            if (coordinate.rates[loop] == 0) {
                continue;
            }
            found.border = found.border || coordinate.is_clamped_along(static_cast<int>(loop));
            const double inner = points * std::abs(coordinate.rates[loop]);
            if (expanded) {
                read(load.index, k, inner);
            } else {
                found.rate = std::max(found.rate, inner);
                found.distance = std::max(
                    found.distance, memory_distance(placement_, load.source, load.index, k, inner));
            }
        }
    }

    const Placement& placement_;
    std::set<std::tuple<int, int, double>> seen_;  // function, dim, points
};

}  // namespace

AccessAlong access_along(const Placement& placement, int function, int dim) {
    Reader reader(placement);
    reader.read(function, dim, 1);
    AccessAlong found = reader.found;
    found.distance =
        std::max(found.distance, memory_distance(placement, Source::Function, function, dim, 1));
    return found;
}

}  // namespace nestor
