#include "search/channel_vectors.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "search/make_nest.h"
#include "search/pointwise.h"

namespace nestor {

namespace {

constexpr std::int64_t kMostChannels = 16;
constexpr int kPixels[] = {4, 8};  // unrolled, so that loads need not wait for each other

// What a load does as a loop moves on.
struct Move {
    int along = -1;        // the only dimension that moves, point by point; -1: there is none
    bool changes = false;  // at all
    bool by_data = false;  // some other coordinate is not known before the data are
};

Move move_of(const Load& load, int loop) {
    Move move;
    for (int k = 0; k < std::ssize(load.coords); k++) {
        const Coordinate& each = load.coords[k];
        move.by_data = move.by_data || !each.affine;
        if (!each.changes_with(loop)) {
            continue;
        }
        const bool only = each.affine && each.rates[loop] == 1 && !move.changes;
        move.along = only ? k : -1;
        move.changes = true;
    }
    return move;
}

class ChannelVectors {
  public:
    ChannelVectors(Builder& builder, const Plan& plan, int function,
                   const std::function<void(const Plan&)>& visit)
        : builder_(builder),
          dag_(builder.dag()),
          f_(dag_.functions[function]),
          plan_(plan),
          function_(function),
          visit_(visit) {}

    void run() {
        if (f_.stages.size() != 1 || !may_be_arranged(f_)) {
            return;
        }
        for (int d = 0; d < f_.dimensions(); d++) {
            const std::int64_t channels = f_.region[d].extent;
            if (channels < 2 || channels > kMostChannels) {
                continue;
            }
            gathered_.clear();
            shared_.clear();
            seen_.clear();
            find(function_, d);
            if (!gathered_.empty()) {
                offer(d);
            }
        }
    }

  private:
    // Which functions are read at places that the data tell, and along which of their dimensions by
    // a move along that one.
    void find(int reader, int dim) {
        if (!seen_.insert({reader, dim}).second) {
            return;
        }
        for (const Stage& stage : dag_.functions[reader].stages) {
            const int loop = loop_along(stage, dim);
            for (const Load& load : stage.loads) {
                if (loop >= 0 && load.source == Source::Function) {
                    find(load, loop);
                }
            }
        }
    }

    void find(const Load& load, int loop) {
        const Move move = move_of(load, loop);
        if (!move.changes) {
            if (plan_.functions[load.index].place == Place::Inlined) {
                shared_.insert(load.index);
            }
            return;
        }
        if (move.along < 0) {
            return;
        }
        if (!move.by_data && plan_.functions[load.index].place == Place::Inlined) {
            find(load.index, move.along);
        }
        if (move.by_data && may_be_arranged(dag_.functions[load.index])) {
            gathered_.emplace(load.index, move.along);
        }
    }

    void offer(int dim) {
        const std::int64_t channels = f_.region[dim].extent;
        const auto padded = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(channels)));
        Plan changed = plan_;
        bool whole = arrange(function_, dim, padded, changed);
        for (const auto& [source, along] : gathered_) {
            FunctionPlan& theirs = changed.functions[source];
            theirs.place = theirs.place == Place::Inlined ? Place::Root : theirs.place;
            whole = arrange(source, along, padded, changed) && whole;
            for (const Stage& stage : dag_.functions[source].stages) {
                spread(stage, along, padded, changed.functions[source]);
            }
        }
        const int lanes = whole || padded == channels ? padded : static_cast<int>(channels);
        for (const int pixels : kPixels) {
            const Stage& stage = f_.stages[0];
            NestPlan& nest = changed.functions[function_].stages[0];
            const int across = long_loop(stage, dim);
            std::ranges::fill(nest.block, 1);
            nest.vector_dim = loop_along(stage, dim);
            nest.lanes = lanes;
            if (across >= 0) {
                nest.block[across] = pixels;
            }
            place(dim, changed);
        }
    }

    // Side by side in memory. Whether it is padded, or needs no padding.
    [[nodiscard]] bool arrange(int function, int dim, int padded, Plan& changed) const {
        const Function& f = dag_.functions[function];
        FunctionPlan& mine = changed.functions[function];
        mine.dense = dim;
        if (f.region[dim].extent == padded) {
            return true;
        }
        if (builder_.reach().beyond(function, dim)) {
            return false;
        }
        mine.modulus[dim] = padded;
        return true;
    }

    // A source is made in vectors along another dimension, all channels of a vector's points at
    // once.
    static void spread(const Stage& stage, int dim, int padded, FunctionPlan& plan) {
        NestPlan& nest = plan.stages[stage.index];
        const int channels = loop_along(stage, dim);
        const int across = long_loop(stage, dim);
        if (channels < 0 || across < 0) {
            return;
        }
        if (nest.vector_dim == channels) {
            nest.vector_dim = across;
        }
        std::ranges::fill(nest.block, 1);
        nest.block[channels] = padded;
    }

    // The first long pure loop but that along `dim`; -1: there is none.
    [[nodiscard]] static int long_loop(const Stage& stage, int dim) {
        for (int l = 0; l < std::ssize(stage.loops); l++) {
            const Loop& loop = stage.loops[l];
            if (!loop.is_reduction() && loop.position != dim && loop.range.extent > kShort) {
                return l;
            }
        }
        return -1;
    }

    void place(int dim, Plan& changed) {
        FunctionPlan& mine = changed.functions[function_];
        if (mine.place != Place::Inlined) {
            visit_(changed);
            return;
        }
        mine.place = Place::Root;
        const std::vector<Spot> spots = builder_.possible_spots(changed, function_);
        if (spots.empty()) {
            visit_(changed);
        } else {
            Plan inside = changed;
            FunctionPlan& here = inside.functions[function_];
            here.place = Place::At;
            here.compute = here.store = spots.front();
            unroll_reader(spots.front(), dim, inside);
            compute_shared(spots.front(), inside);
            know_distances(spots.back(), inside);
            visit_(inside);
        }
        mine.place = Place::Inlined;
    }

    // What all channels of a pixel have in common, such as its place, is computed beforehand: in
    // vectors along the pixels, where it would be computed one by one.
    void compute_shared(const Spot& spot, Plan& changed) {
        for (const int shared : shared_) {
            const std::vector<Spot> spots = builder_.possible_spots(changed, shared);
            const auto here = std::ranges::find(spots, spot);
            if (here == spots.end()) {
                continue;
            }
            // A whole row at a time, if there is such a loop: short loops begin and end too often.
            const bool rows = std::next(here) != spots.end() &&
                              std::next(here)->function == spot.function &&
                              std::next(here)->kind == SiteKind::Rows;
            FunctionPlan& theirs = changed.functions[shared];
            theirs.place = Place::At;
            theirs.compute = theirs.store = rows ? *std::next(here) : spot;
        }
    }

    // Channels whose number is only assumed are no constant distance in memory at root, which is
    // for all cases. A loop around all of them, in the nest of the case, is as good a place.
    void know_distances(const Spot& outermost, Plan& plan) {
        const Spot slab{outermost.function, outermost.stage, SiteKind::Slab};
        Plan changed = plan;
        NestPlan& nest = changed.functions[slab.function].stages[slab.stage];
        nest.short_outside = nest.in_slabs = true;
        bool any = false;
        for (const auto& [source, along] : gathered_) {
            FunctionPlan& theirs = changed.functions[source];
            if (theirs.place != Place::Root || !dag_.functions[source].assumed[along]) {
                continue;
            }
            const std::vector<Spot> spots = builder_.possible_spots(changed, source);
            if (std::ranges::count(spots, slab) > 0) {
                theirs.place = Place::At;
                theirs.compute = theirs.store = slab;
                any = true;
            }
        }
        if (any) {
            plan = std::move(changed);
        }
    }

    // All channels of the reader's pixels in one iteration.
    void unroll_reader(const Spot& spot, int dim, Plan& changed) const {
        const auto reading =
            pointwise_reading(dag_.functions[spot.function], function_, f_.dimensions());
        if (reading && reading->stage == spot.stage) {
            NestPlan& nest = changed.functions[spot.function].stages[spot.stage];
            const int loop = reading->loops[dim];
            if (loop != nest.vector_dim) {
                nest.block[loop] = static_cast<int>(f_.region[dim].extent);
            }
        }
    }

    Builder& builder_;
    const PipelineDag& dag_;
    const Function& f_;
    const Plan& plan_;
    const int function_;
    const std::function<void(const Plan&)>& visit_;
    std::map<int, int> gathered_;         // function: its dimension along the channels
    std::set<int> shared_;                // inlined functions that do not change with the channel
    std::set<std::pair<int, int>> seen_;  // function and dimension
};

}  // namespace

bool reads_channels_by_data(const PipelineDag& dag) {
    const auto reads = [](const Stage& stage, const Load& load) {
        for (int l = 0; l < std::ssize(stage.loops); l++) {
            const Loop& loop = stage.loops[l];
            const Move move = move_of(load, l);
            if (!loop.is_reduction() && loop.range.extent > 1 &&
                loop.range.extent <= kMostChannels && move.by_data && move.along >= 0) {
                return true;
            }
        }
        return false;
    };
    return std::ranges::any_of(dag.functions, [&](const Function& f) {
        return std::ranges::any_of(f.stages, [&](const Stage& stage) {
            return std::ranges::any_of(stage.loads,
                                       [&](const Load& load) { return reads(stage, load); });
        });
    });
}

void for_each_channel_vector(Builder& builder, const Plan& plan, int function,
                             const std::function<void(const Plan&)>& visit) {
    ChannelVectors(builder, plan, function, visit).run();
}

}  // namespace nestor
