#include "plugin/featurization.h"

#include <sstream>

#include "base/hash.h"
#include "schedule/placement.h"
#include "schedule/scheduled_dag.h"

namespace nestor {

namespace {

const char* level_text(const Level& level) {
    switch (level.kind) {
        case Level::Kind::Default:
            return "default";
        case Level::Kind::Inline:
            return "inline";
        case Level::Kind::Root:
            return "root";
        case Level::Kind::At:
            return "at";
    }
    return "?";
}

void stage_line(std::ostream& out, const Function& f, const Stage& stage, const Level& compute,
                const LoopNest& nest) {
    double iterations = 1;
    for (const Loop& loop : stage.loops) {
        iterations *= static_cast<double>(loop.range.extent);
    }
    const std::int64_t lanes = nest.vector ? nest.splits[nest.vector->dim].back().factor : 1;
    using enum Arithmetic;
    const OpCounts& ops = stage.ops;
    const float adds = ops.of(Add) + ops.of(Minimum) + ops.of(Shift);
    const float multiplies = ops.of(Multiply) + ops.of(MultiplyAdd);
    const float calls = ops.of(SquareRoot) + ops.of(Exponential) + ops.call;
    out << f.id.text() << '\t' << stage.index << '\t' << iterations << '\t' << adds << '\t'
        << multiplies << '\t' << ops.of(Divide) << '\t' << ops.of(Select) << '\t' << ops.of(Widen)
        << '\t' << calls << '\t' << ops.load << '\t' << f.bytes_per_point() << '\t'
        << level_text(compute) << '\t' << lanes << '\t' << nest.parallel.size() << '\n';
}

}  // namespace

std::vector<std::uint8_t> featurize(const PipelineDag& dag, const Schedule& schedule) {
    std::ostringstream out;
    out << "nestor-featurization 1 algorithm=" << hash_text(dag.algorithm_hash)
        << " schedule=" << hash_text(hash(schedule, dag)) << '\n';
    out << "function\tstage\titerations\tadds\tmultiplies\tdivides\tcompares\tcasts\tcalls\tloads\t"
           "bytes_per_point\t"
           "compute\tvector_lanes\tparallel_loops\n";
    const ScheduledDag derived(dag, schedule);
    const Placement placement(*derived, schedule);
    for (int i = 0; i < static_cast<int>(dag.functions.size()); i++) {
        const Level& compute = schedule.functions[i].compute;
        if (compute.kind == Level::Kind::Inline) {
            continue;
        }
        for (const Stage& stage : dag.functions[i].stages) {
            stage_line(out, dag.functions[i], stage, compute,
                       placement.running_nest(i, stage.index));
        }
    }
    const std::string text = out.str();
    return {text.begin(), text.end()};
}

}  // namespace nestor
