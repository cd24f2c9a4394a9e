#include "search/sample.h"

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "search/descent.h"
#include "search/moves.h"
#include "search/space.h"

namespace nestor {

namespace {

class Walk {
  public:
    Walk(const Machine& machine, const Caps& caps, std::uint64_t seed)
        : machine_(machine), caps_(caps), engine_(seed) {}

    // Walks so many legal steps; fewer if too many are not. The pipeline's schedule.
    Schedule from(const Space& space, int steps) {
        const PipelineDag& graph = space.variant.graph();
        Builder builder(graph, machine_);
        Plan plan = space.starts[below(static_cast<int>(space.starts.size()))].plan;
        Schedule schedule = builder.build(plan);
        for (int tries = 4 * steps; steps > 0 && tries > 0; tries--) {
            const int function = below(static_cast<int>(graph.functions.size()));
            std::vector<Plan> neighbours;
            for_each_neighbour(builder, plan, function,
                               [&](const Plan& each) { neighbours.push_back(each); });
            if (neighbours.empty()) {
                continue;
            }
            Plan& next = neighbours[below(static_cast<int>(neighbours.size()))];
            Schedule changed = builder.build(next);
            if (check_legality(graph, changed, caps_).empty()) {
                plan = std::move(next);
                schedule = std::move(changed);
                steps--;
            }
        }
        return space.variant.of_pipeline(std::move(schedule));
    }

    // std::uniform_int_distribution differs between libraries.
    int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }

  private:
    const Machine& machine_;
    const Caps& caps_;
    std::mt19937_64 engine_;
};

}  // namespace

std::vector<Schedule> sample_schedules(const PipelineDag& dag, const Machine& machine,
                                       const Caps& caps, int count, std::uint64_t seed,
                                       int longest_walk) {
    const std::vector<Space> spaces = make_spaces(dag, machine);
    Walk walk(machine, caps, seed);
    std::vector<Schedule> schedules;
    std::set<std::uint64_t> known;
    for (int tries = 0; tries < 4 * count && static_cast<int>(schedules.size()) < count; tries++) {
        const Space& space = spaces[walk.below(static_cast<int>(spaces.size()))];
        Schedule schedule = walk.from(space, walk.below(longest_walk + 1));
        if (check_legality(dag, schedule, caps).empty() &&
            known.insert(hash(schedule, dag)).second) {
            schedules.push_back(std::move(schedule));
        }
    }
    return schedules;
}

std::vector<Schedule> frontier_schedules(const PipelineDag& dag, const Machine& machine,
                                         const Caps& caps, int count, const Limits& limits) {
    if (count <= 0) {
        return {};
    }
    constexpr double kNear = 4;
    std::map<std::uint64_t, std::pair<double, Schedule>> seen;  // by hash: the same in any order
    double best = std::numeric_limits<double>::infinity();
    for (const Space& space : make_spaces(dag, machine)) {
        Evaluator evaluator(space.variant.graph(), machine);
        Builder builder(space.variant.graph(), machine);
        const Observer observer = [&](const Schedule& found, double seconds) {
            if (seconds > kNear * best) {
                return;
            }
            const Schedule schedule = space.variant.of_pipeline(found);
            if (check_legality(dag, schedule, caps).empty()) {
                best = std::min(best, seconds);
                seen.try_emplace(hash(schedule, dag), seconds, schedule);
            }
        };
        for (const Start& start : space.starts) {
            if (const auto found = descend(builder, evaluator, start, caps, limits, {}, observer)) {
                observer(found->schedule, found->seconds);
            }
        }
    }
    std::vector<std::pair<double, const Schedule*>> near;
    for (const auto& [_, each] : seen) {
        if (each.first <= kNear * best) {
            near.emplace_back(each.first, &each.second);
        }
    }
    std::ranges::stable_sort(near, {}, &std::pair<double, const Schedule*>::first);
    std::vector<Schedule> schedules;
    const std::size_t step =
        std::max<std::size_t>(1, near.size() / static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < near.size() && static_cast<int>(schedules.size()) < count;
         i += step) {
        schedules.push_back(*near[i].second);
    }
    return schedules;
}

}  // namespace nestor
