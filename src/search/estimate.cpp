#include "search/estimate.h"

#include <algorithm>

#include "schedule/footprint.h"
#include "search/trips.h"
#include "search/uses.h"

namespace nestor {

namespace {

constexpr double kLoopCycles = 2;  // of one iteration of a loop that is not unrolled

class Estimate {
  public:
    Estimate(const PipelineDag& dag, const Schedule& schedule, const Machine& machine)
        : dag_(dag), schedule_(schedule), machine_(machine), inlined_(dag.functions.size()) {
        for (std::size_t i = 0; i < dag.functions.size(); i++) {
            const Level::Kind kind = schedule.functions[i].compute.kind;
            inlined_[i] = kind == Level::Kind::Inline ||
                          (kind == Level::Kind::Default && dag.functions[i].can_inline);
        }
        work_ = expanded_work(dag, inlined_);
    }

    [[nodiscard]] double cycles() const {
        double total = 0;
        for (int i = 0; i < static_cast<int>(dag_.functions.size()); i++) {
            if (inlined_[i] || dag_.functions[i].is_extern) {
                continue;
            }
            const Level& compute = schedule_.functions[i].compute;
            total +=
                compute.kind == Level::Kind::At ? fused_cycles(i, compute.site) : root_cycles(i);
        }
        return total;
    }

  private:
    [[nodiscard]] double stage_cycles(int function, int stage, double points) const {
        const LoopNest& nest = schedule_.functions[function].stages[stage].nest;
        double lanes = 1;
        if (nest.vector) {
            lanes = static_cast<double>(nest.splits[nest.vector->dim].back().factor);
        }
        return points * (work_[function][stage] + kLoopCycles) / lanes;
    }

    // Reduction loops multiply the points of a stage.
    static double reduction_factor(const Stage& stage) {
        double factor = 1;
        for (const Loop& loop : stage.loops) {
            factor *= loop.is_reduction() ? static_cast<double>(loop.range.extent) : 1;
        }
        return factor;
    }

    [[nodiscard]] static double pure_points(const Stage& stage) {
        double points = 1;
        for (const Loop& loop : stage.loops) {
            points *= loop.is_reduction() ? 1 : static_cast<double>(loop.range.extent);
        }
        return points;
    }

    [[nodiscard]] double share(double tasks) const {
        return std::min(std::max(1.0, tasks), static_cast<double>(machine_.parallelism));
    }

    [[nodiscard]] double seconds_as_cycles(const Quantity& seconds) const {
        return seconds.value * machine_.clock.value;
    }

    [[nodiscard]] double root_cycles(int i) const {
        const Function& f = dag_.functions[i];
        double total = 0;
        double tasks = 1;
        for (const Stage& stage : f.stages) {
            const LoopNest& nest = schedule_.functions[i].stages[stage.index].nest;
            tasks = parallel_tasks(nest, stage_dims(dag_, schedule_, i, stage.index));
            total += stage_cycles(i, stage.index, pure_points(stage) * reduction_factor(stage)) /
                     share(tasks);
            if (!nest.parallel.empty()) {
                total += seconds_as_cycles(machine_.launch) +
                         tasks * seconds_as_cycles(machine_.task) / share(tasks);
            }
        }
        // Written once, and read back by consumers at least once; in cache it costs little.
        const double bytes =
            static_cast<double>(f.points()) * static_cast<double>(f.bytes_per_point());
        const bool in_cache = bytes < machine_.l2.bytes.value;
        const double traffic = f.is_output ? bytes : 2 * bytes;
        const double dram_bytes_per_cycle =
            machine_.dram[Threads::One].read.value / machine_.clock.value;
        return total + (in_cache ? 0.1 : 1) * traffic / dram_bytes_per_cycle / share(tasks);
    }

    // Computed once for each iteration of the loop that stores it: a sliding window computes each
    // point of it once.
    [[nodiscard]] double fused_cycles(int i, const LoopSite& site) const {
        const Level& store = schedule_.functions[i].store;
        const LoopSite& held = store.kind == Level::Kind::At ? store.site : site;
        double points = 1;
        for (const std::int64_t extent : footprint(dag_, schedule_, i, held)) {
            points *= static_cast<double>(extent);
        }
        const LoopNest& nest = schedule_.functions[held.function].stages[held.stage].nest;
        const std::vector<StageDim> dims = stage_dims(dag_, schedule_, held.function, held.stage);
        const double trips = enclosing_trips(nest, dims, held.loop);
        double total = 0;
        for (const Stage& stage : dag_.functions[i].stages) {
            total += stage_cycles(i, stage.index, points * trips * reduction_factor(stage));
        }
        return total / share(parallel_tasks(nest, dims));
    }

    const PipelineDag& dag_;
    const Schedule& schedule_;
    const Machine& machine_;
    std::vector<bool> inlined_;
    std::vector<std::vector<double>> work_;
};

}  // namespace

double estimate_seconds(const PipelineDag& dag, const Schedule& schedule, const Machine& machine) {
    return Estimate(dag, schedule, machine).cycles() / machine.clock.value;
}

}  // namespace nestor
