#include "cost/group_view.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "cost/body.h"

namespace nestor {

namespace {

class Viewing {
  public:
    Viewing(ScheduleFacts& facts, int root) : facts_(facts), root_(root) {}

    GroupView view(const Cost& cost, GroupWork& work) {
        view_.cost = cost;
        view_.traffic = work.traffic;
        view_.threads = work.threads;
        view_.machine = &facts_.machine();
        double busy = 0;  // cycles, as long as they take with the threads that there are
        for (const auto& [nest, cycles] : work.nests) {
            view_.cycles += cycles.total();
            busy += cycles.total() / nest->threads;
        }
        for (const auto& [nest, cycles] : work.nests) {
            NestView each = view_nest(*nest);
            each.cycles = cycles;
            each.share = busy > 0 ? cycles.total() / nest->threads / busy
                                  : 1 / static_cast<double>(work.nests.size());
            view_.nests.push_back(each);
            nests_.push_back(nest);
        }
        add_working_sets(work.footprints);
        add_parallelism();
        add_memory();
        return std::move(view_);
    }

  private:
    // 1. A nest.

    NestView view_nest(const NestFacts& nest) {
        const Stage& stage = stage_of(nest);
        NestView each;
        add_body(each, nest, stage);
        add_loops(each, nest, stage);
        add_work(each, nest, stage);
        const Placement& placement = facts_.placement();
        each.inside = nest.function != root_;
        each.slides = each.inside && placement.slides(nest.function);
        each.executions = nest.executions;
        double points = 1;
        for (const Loop& loop : stage.loops) {
            points *= static_cast<double>(loop.range.extent);
        }
        each.recomputation = nest.iterations(0) / std::max(points, 1.0);
        return each;
    }

    [[nodiscard]] const Stage& stage_of(const NestFacts& nest) const {
        return facts_.graph().functions[nest.function].stages[nest.stage];
    }

    void add_body(NestView& each, const NestFacts& nest, const Stage& stage) const {
        ElementType widest = ElementType::Int8;
        for (const ScalarType& type : facts_.graph().functions[nest.function].types) {
            if (bytes_of(type.element()) >= bytes_of(widest)) {
                widest = type.element();
            }
        }
        each.element_bytes = bytes_of(widest);
        each.floats = widest == ElementType::Float32 || widest == ElementType::Float64;
        each.lanes = nest.lanes();
        each.natural_lanes =
            std::max(1.0, facts_.machine().vector_bytes[widest].value / bytes_of(widest));
        each.registers = instructions(facts_.machine(), widest, each.lanes).count;
        each.sums = stage.reads_itself;
        for (const LoopFacts& loop : nest.loops) {
            each.copies *= loop.run == LoopRun::Unrolled ? loop.trips : 1;
        }
    }

    void add_loops(NestView& each, const NestFacts& nest, const Stage& stage) const {
        const std::size_t rolled = nest.innermost_rolled();
        bool is_next = false;
        for (std::size_t i = rolled; i < nest.loops.size(); i++) {
            const LoopFacts& loop = nest.loops[i];
            if (i == rolled) {
                each.inner_trips = loop.trips;
                each.reduces = stage.loops[loop.site.loop.dim].is_reduction();
                const bool moves = nest.stores_change_with(loop.site.loop.dim);
                each.inner_bytes = (moves ? loop.trips : 1) * each.lanes * each.element_bytes;
                is_next = true;
            } else if (is_next && loop.trips > 1) {
                each.outer_trips = loop.trips;
                is_next = false;
            }
            each.depth += loop.trips > 1 ? 1 : 0;
        }
        double splits = 0;
        for (const std::vector<Split>& of_dim : nest.nest->splits) {
            for (const Split& split : of_dim) {
                splits++;
                each.guarded_splits += split.tail == Tail::GuardWithIf ||
                                               split.tail == Tail::Predicate ||
                                               split.tail == Tail::PredicateLoads ||
                                               split.tail == Tail::PredicateStores
                                           ? 1
                                           : 0;
            }
        }
        each.guarded_splits /= std::max(splits, 1.0);
        each.partitioned = std::ranges::none_of(nest.nest->partition, [](const LoopPartition& one) {
            return one.policy == PartitionPolicy::Never;
        });
    }

    void add_work(NestView& each, const NestFacts& nest, const Stage& stage) {
        each.operations = stage.ops.arithmetic();
        int vector_dim = -1;
        std::vector<Copies> copies;
        for (const LoopFacts& loop : nest.loops) {
            if (loop.run == LoopRun::Vector) {
                vector_dim = loop.site.loop.dim;
            } else if (loop.run == LoopRun::Unrolled) {
                copies.push_back({loop.site.loop.dim, loop.trips, loop.stride});
            }
        }
        double distinct = 0;
        for (const Family& family : nest.expansion->loads) {
            each.loads += family.members;
            each.families++;
            distinct += family.distinct(copies);
            add_layout(each, family, vector_dim);
        }
        for (const Family& family : nest.expansion->inlined) {
            each.inlined += family.members;
        }
        if (each.loads > 0) {
            each.shared = 1 - std::min(1.0, distinct / (each.loads * each.copies));
            for (double* share : {&each.strided, &each.gathered, &each.same, &each.clamped}) {
                *share /= each.loads;
            }
        }
        each.code = stage.distinct_nodes * each.copies * each.registers;
    }

    // Counts its members by how the elements of a vector lie.
    void add_layout(NestView& each, const Family& family, int vector_dim) {
        if (std::ranges::any_of(family.coords, [](const Coordinate& one) { return one.clamped; })) {
            each.clamped += family.members;
        }
        if (vector_dim < 0 || !family.depends_on(vector_dim)) {
            each.same += vector_dim < 0 ? 0 : family.members;
            return;
        }
        if (!family.is_affine()) {
            each.gathered += family.members;
            return;
        }
        const int dense = facts_.placement().dense_dim(family.source, family.index);
        for (std::size_t c = 0; c < family.coords.size(); c++) {
            const double rate = family.coords[c].rates[vector_dim];
            const bool along = static_cast<int>(c) == dense;
            if (rate == 0 || (along && std::abs(rate) == 1)) {
                continue;
            }
            const bool near =
                along || facts_.stride(family.source, family.index, static_cast<int>(c)) != 0;
            (near ? each.strided : each.gathered) += family.members;
            return;
        }
    }

    // 2. The group.

    void add_working_sets(GroupFootprints& footprints) {
        auto mine = footprints.begin();
        for (const NestFacts& nest : facts_.nests_at_root()) {
            if (nest.function == root_) {
                add_working_sets(*mine++, nest);
            }
        }
    }

    // Of a nest and of those in its loops.
    void add_working_sets(Footprints& footprints, const NestFacts& nest) {
        const auto at = std::ranges::find(nests_, &nest) - nests_.begin();
        if (at < std::ssize(nests_) && !nest.loops.empty()) {
            NestView& each = view_.nests[at];
            const std::size_t last = nest.loops.size() - 1;
            const std::size_t rolled = std::min(nest.innermost_rolled(), last);
            each.body_bytes = footprints.working_set(nest, rolled);
            each.inner_set = footprints.working_set(nest, std::min(rolled + 1, last));
            each.outer_set = footprints.working_set(nest, last);
        }
        for (const LoopFacts& loop : nest.loops) {
            for (const NestFacts& inner : facts_.nests_at(loop.site)) {
                add_working_sets(footprints, inner);
            }
        }
    }

    void add_parallelism() {
        for (const NestFacts* nest : nests_) {
            const double tasks = nest->tasks(0);
            view_.tasks = std::max(view_.tasks, tasks);
            view_.starts += tasks > 1 ? nest->executions : 0;
        }
    }

    void add_memory() {
        std::set<int> functions;
        std::set<std::pair<Source, int>> loaded;
        for (const NestFacts* nest : nests_) {
            functions.insert(nest->function);
            for (const Family& family : nest->expansion->loads) {
                loaded.emplace(family.source, family.index);
            }
        }
        view_.functions = static_cast<double>(functions.size());
        for (const int f : functions) {
            if (f != root_) {
                view_.allocated += facts_.allocated_bytes(f);
            }
            loaded.erase({Source::Function, f});
        }
        for (const auto& [source, index] : loaded) {
            view_.loaded += facts_.whole_bytes(source, index);
        }
        view_.stored = facts_.whole_bytes(Source::Function, root_);
        const Machine& machine = facts_.machine();
        view_.stays_in_l2 = stays_in(machine.l2, facts_.everything());
        view_.stays_in_l3 = stays_in(machine.l3, facts_.everything());
    }

    ScheduleFacts& facts_;
    const int root_;
    std::vector<const NestFacts*> nests_;  // those of view_.nests
    GroupView view_;
};

}  // namespace

GroupView view_group(ScheduleFacts& facts, int root, const Cost& cost, GroupWork& work) {
    return Viewing(facts, root).view(cost, work);
}

}  // namespace nestor
