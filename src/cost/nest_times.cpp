#include "cost/nest_times.h"

#include "cost/schedule_facts.h"
#include "schedule/joined.h"
#include "schedule/schedule.h"

namespace nestor {

namespace {

NestCycles scaled(NestCycles cycles, double factor) {
    for (double* each : {&cycles.arithmetic, &cycles.scalars, &cycles.loads, &cycles.stores,
                         &cycles.issue, &cycles.latency, &cycles.loops}) {
        *each *= factor;
    }
    return cycles;
}

}  // namespace

std::vector<NestTime> nest_times(const PipelineDag& dag, const Schedule& schedule,
                                 const Machine& machine, const Lowered& lowered) {
    if (const auto together = joined(dag, schedule)) {
        return nest_times(together->dag, together->schedule, machine);
    }
    const PipelineDag usually = usual(dag);
    Expansions expansions;
    ScheduleFacts facts(usually, schedule, machine, expansions);
    set_lowered(facts, lowered);
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
