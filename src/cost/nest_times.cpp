#include "cost/nest_times.h"

#include "cost/schedule_facts.h"
#include "schedule/joined.h"
#include "schedule/schedule.h"

namespace nestor {

namespace {

NestCycles scaled(NestCycles cycles, double factor) {
    for (const NestUnit& unit : kNestUnits) {
        cycles.*unit.cycles *= factor;
    }
    return cycles;
}

}  // namespace

std::vector<NestTime> nest_times(const PipelineDag& dag, const Schedule& schedule,
                                 const Machine& machine) {
    if (const auto together = joined(dag, schedule)) {
        return nest_times(together->dag, together->schedule, machine);
    }
    const PipelineDag usually = usual(dag);
    Expansions expansions;
    ScheduleFacts facts(usually, schedule, machine, expansions);
    std::vector<NestTime> times;
    for (const NestFacts& nest : facts.nests()) {
        const double seconds = 1 / (machine.clock.value * nest.threads);
        times.push_back({function_text(dag, schedule, nest.function), nest.stage,
                         nest.iterations(nest.innermost_rolled()), nest.threads,
                         scaled(nest_cycles(facts, nest), seconds)});
    }
    return times;
}

}  // namespace nestor
