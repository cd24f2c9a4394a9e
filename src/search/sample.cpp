#include "search/sample.h"

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "search/descent.h"
#include "search/moves.h"

namespace nestor {

namespace {

class Walk {
  public:
    Walk(const PipelineDag& dag, const Machine& machine, const Caps& caps, std::uint64_t seed)
        : dag_(dag), builder_(dag, machine), caps_(caps), engine_(seed) {}

    // Walks so many legal steps; fewer if too many are not.
    Schedule from(Plan plan, int steps) {
        Schedule schedule = builder_.build(plan);
        for (int tries = 4 * steps; steps > 0 && tries > 0; tries--) {
            const int function = below(static_cast<int>(dag_.functions.size()));
            std::vector<Plan> neighbours;
            for_each_neighbour(builder_, plan, function,
                               [&](const Plan& each) { neighbours.push_back(each); });
            if (neighbours.empty()) {
                continue;
            }
            Plan& next = neighbours[below(static_cast<int>(neighbours.size()))];
            Schedule changed = builder_.build(next);
            if (check_legality(dag_, changed, caps_).empty()) {
                plan = std::move(next);
                schedule = std::move(changed);
                steps--;
            }
        }
        return schedule;
    }

    // std::uniform_int_distribution differs between libraries.
    int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }

  private:
    const PipelineDag& dag_;
    Builder builder_;
    const Caps& caps_;
    std::mt19937_64 engine_;
};

}  // namespace

std::vector<Schedule> sample_schedules(const PipelineDag& dag, const Machine& machine,
                                       const Caps& caps, int count, std::uint64_t seed,
                                       int longest_walk) {
    const std::vector<Start> starts = make_starts(dag, machine);
    Walk walk(dag, machine, caps, seed);
    std::vector<Schedule> schedules;
    std::set<std::uint64_t> known;
    for (int tries = 0; tries < 4 * count && static_cast<int>(schedules.size()) < count; tries++) {
        const Start& start = starts[walk.below(static_cast<int>(starts.size()))];
        Schedule schedule = walk.from(start.plan, walk.below(longest_walk + 1));
        if (check_legality(dag, schedule, caps).empty() &&
            known.insert(hash(schedule, dag)).second) {
            schedules.push_back(std::move(schedule));
        }
    }
    return schedules;
}

std::vector<Schedule> frontier_schedules(const PipelineDag& dag, const Machine& machine,
                                         const Caps& caps, int count, const Limits& limits) {
    constexpr double kNear = 4;
    std::map<std::uint64_t, std::pair<double, Schedule>> seen;  // by hash: the same in any order
    double best = std::numeric_limits<double>::infinity();
    Evaluator evaluator(dag, machine);
    Builder builder(dag, machine);
    const Observer observer = [&](const Schedule& schedule, double seconds) {
        if (seconds <= kNear * best && check_legality(dag, schedule, caps).empty()) {
            best = std::min(best, seconds);
            seen.try_emplace(hash(schedule, dag), seconds, schedule);
        }
    };
    for (const Start& start : make_starts(dag, machine)) {
        if (const auto found = descend(builder, evaluator, start, caps, limits, {}, observer)) {
            observer(found->schedule, found->seconds);
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
