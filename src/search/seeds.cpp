#include "search/seeds.h"

#include <algorithm>

#include "schedule/legality.h"
#include "search/seeds/table.h"

namespace nestor {

namespace {

struct Row {
    const char* name;
    Schedule (*make)(const PipelineDag&, const Machine&);
};

constexpr Row kSeeds[] = {
    {"root", root_seed},
    {"strips", strips_seed},
    {"small tiles", small_tiles_seed},
    {"large tiles", large_tiles_seed},
    {"row tiles", row_tiles_seed},
    {"inlined", inlined_seed},
    {"serial", serial_seed},
};

}  // namespace

std::vector<Seed> make_seeds(const PipelineDag& dag, const Machine& machine, const Caps& caps) {
    std::vector<Seed> seeds;
    for (const Row& row : kSeeds) {
        Schedule schedule = row.make(dag, machine);
        const bool repeated = std::any_of(seeds.begin(), seeds.end(), [&](const Seed& seed) {
            return seed.schedule == schedule;
        });
        if (!repeated && check_legality(dag, schedule, caps).empty()) {
            seeds.push_back({row.name, std::move(schedule)});
        }
    }
    return seeds;
}

}  // namespace nestor
