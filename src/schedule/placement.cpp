#include "schedule/placement.h"

#include <algorithm>

#include "base/divide.h"
#include "schedule/loops.h"

namespace nestor {

namespace {

const std::vector<std::int64_t>& buffer_strides(const PipelineDag& graph, Source source,
                                                int index) {
    return source == Source::Input ? graph.inputs[index].strides : graph.functions[index].strides;
}

}  // namespace

Placement::Kind Placement::kind(int function) const {
    const Function& f = graph_.functions[function];
    if (f.pinned) {
        return Kind::Unknown;
    }
    switch (schedule_.functions[function].compute.kind) {
        case Level::Kind::Inline:
            return Kind::Inlined;
        case Level::Kind::Root:
            return Kind::Root;
        case Level::Kind::At:
            return Kind::At;
        case Level::Kind::Default:
            break;
    }
    if (f.is_output) {
        return Kind::Root;
    }
    return f.stages.size() == 1 ? Kind::Inlined : Kind::AtEachUse;
}

bool Placement::is_transparent(int function) const {
    const Kind k = kind(function);
    return k == Kind::Inlined || k == Kind::AtEachUse;
}

const LoopNest& Placement::running_nest(int function, int stage) const {
    const Specialization* const running = running_case(function, stage);
    return running != nullptr ? running->nest : schedule_.functions[function].stages[stage].nest;
}

bool Placement::has_extents(int function, const Specialization& of) const {
    return std::ranges::all_of(of.when, [&](const ExtentCondition& condition) {
        return condition.holds(
            graph_.functions[condition.output_for(function)].region[condition.dim]);
    });
}

const Specialization* Placement::running_case(int function, int stage) const {
    const StageSchedule& s = schedule_.functions[function].stages[stage];
    for (const Specialization& each : s.specializations) {
        const bool laid_out = std::ranges::all_of(each.strides, [&](const BufferStride& known) {
            return buffer_strides(graph_, known.source, known.index)[known.dim] == known.stride;
        });
        if (has_extents(function, each) && laid_out && !each.selected) {
            return &each;
        }
    }
    return nullptr;
}

std::vector<StageDim> Placement::dims(int function, int stage) const {
    return stage_dims(graph_.functions[function].stages[stage]);
}

bool Placement::is_around(int function, int stage, LoopRef outer, LoopRef inner) const {
    const auto is_in_order = [&](const std::vector<LoopRef>& order) {
        const int at = position(order, inner);
        return at >= 0 && position(order, outer) >= at;
    };
    return std::ranges::all_of(nests(function, stage), [&](const LoopNest* nest) {
        return nest->order.empty() ? is_in_order(loop_order(*nest, dims(function, stage)))
                                   : is_in_order(nest->order);
    });
}

// Whether that is true of a site of the chain; looks no further than the first.
template <class Predicate>
bool Placement::any_around(LoopSite site, const Predicate& is_true) const {
    for (std::size_t i = 0; i <= schedule_.functions.size(); i++) {
        if (is_true(site)) {
            return true;
        }
        if (kind(site.function) != Kind::At) {
            break;
        }
        site = schedule_.functions[site.function].compute.site;
    }
    return false;
}

bool Placement::is_inside(const LoopSite& inner, const LoopSite& outer) const {
    return any_around(inner, [&](const LoopSite& site) {
        return site.function == outer.function && site.stage == outer.stage &&
               is_around(site.function, site.stage, outer.loop, site.loop);
    });
}

bool Placement::is_computed_inside(int f, const LoopSite& site) const {
    return kind(f) == Kind::At && is_inside(schedule_.functions[f].compute.site, site);
}

std::vector<Placement::Use> Placement::uses(int function) const {
    std::set<std::pair<int, int>> seen;
    std::vector<Use> uses;
    add_uses(function, kAll, seen, uses);
    std::ranges::sort(uses);
    const auto repeated = std::ranges::unique(uses);
    uses.erase(repeated.begin(), repeated.end());
    return uses;
}

void Placement::add_uses(int function, int element, std::set<std::pair<int, int>>& seen,
                         std::vector<Use>& uses) const {
    if (!seen.emplace(function, element).second) {
        return;
    }
    for (const int consumer : graph_.functions[function].consumers) {
        const Function& f = graph_.functions[consumer];
        if (std::ranges::count(f.extern_inputs, function) > 0) {
            uses.push_back({consumer, -1});
        }
        for (int s = 0; s < static_cast<int>(f.stages.size()); s++) {
            for (const Load& load : f.stages[s].loads) {
                if (load.source != Source::Function || load.index != function ||
                    (element != kAll && load.value != element)) {
                    continue;
                }
                if (kind(consumer) == Kind::Inlined && !load.serves.empty()) {
                    for (const int served : load.serves) {
                        add_uses(consumer, served, seen, uses);
                    }
                } else if (is_transparent(consumer)) {
                    add_uses(consumer, kAll, seen, uses);
                } else {
                    uses.push_back({consumer, s});
                }
            }
        }
    }
}

std::vector<LoopSite> Placement::chain(const LoopSite& site) const {
    std::vector<LoopSite> sites;
    any_around(site, [&](const LoopSite& each) {
        sites.push_back(each);
        return false;
    });
    return sites;
}

Level Placement::store(int function) const {
    const FunctionSchedule& f = schedule_.functions[function];
    return f.store.kind == Level::Kind::Default ? f.compute : f.store;
}

int Placement::root(int function) const {
    while (kind(function) == Kind::At) {
        function = schedule_.functions[function].compute.site.function;
    }
    return function;
}

Level Placement::storage(int function) const {
    const FunctionSchedule& f = schedule_.functions[function];
    return f.hoist.kind == Level::Kind::Default ? store(function) : f.hoist;
}

bool Placement::slides(int function) const {
    return kind(function) == Kind::At && store(function) != schedule_.functions[function].compute;
}

std::vector<LoopSite> Placement::slid_loops(int function) const {
    const Level store = this->store(function);
    std::vector<LoopSite> loops;
    for (const LoopSite& site : chain(schedule_.functions[function].compute.site)) {
        const std::vector<LoopRef> order =
            loop_order(running_nest(site.function, site.stage), dims(site.function, site.stage));
        for (int at = position(order, site.loop); at < static_cast<int>(order.size()); at++) {
            const LoopSite loop{site.function, site.stage, order[at]};
            if (store.kind == Level::Kind::At && store.site == loop) {
                return loops;
            }
            loops.push_back(loop);
        }
    }
    return loops;
}

int Placement::dense_dim(Source source, int index) const {
    if (source == Source::Input) {
        return graph_.inputs[index].dense_dim;
    }
    const std::vector<int>& order = schedule_.functions[index].storage_order;
    return order.empty() ? graph_.functions[index].dense_dim : order.front();
}

std::int64_t Placement::stride(Source source, int index, int dim) const {
    constexpr std::int64_t kSmall = 8;
    const int dense = dense_dim(source, index);
    if (dim == dense) {
        return 1;
    }
    if (source == Source::Input || graph_.functions[index].is_output) {
        const std::vector<std::int64_t>& strides = buffer_strides(graph_, source, index);
        const auto d = static_cast<std::size_t>(dim);
        return d < strides.size() && strides[d] <= kSmall ? std::max<std::int64_t>(0, strides[d])
                                                          : 0;
    }
    const std::vector<int>& order = schedule_.functions[index].storage_order;
    const int second = order.size() > 1 ? order[1] : 1;
    const Function& f = graph_.functions[index];
    std::int64_t channels = f.region[dense].extent;
    for (const Alignment& each : schedule_.functions[index].region_alignment) {
        const std::int64_t n = each.elements;
        channels = each.dim == dense ? divide_up(channels, n) * n : channels;
    }
    return dim == second && has_known_extent(index, dense) && channels <= kSmall ? channels : 0;
}

bool Placement::has_known_extent(int function, int dim) const {
    const Function& f = graph_.functions[function];
    // Memory at root is for all cases.
    const bool assumed = static_cast<std::size_t>(dim) < f.assumed.size() && f.assumed[dim];
    return f.constant[dim] && !(assumed && storage(function).kind != Level::Kind::At);
}

}  // namespace nestor
