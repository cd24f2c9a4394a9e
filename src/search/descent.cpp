#include "search/descent.h"

#include <algorithm>
#include <limits>
#include <random>

#include "base/hash.h"
#include "search/channel_inlining.h"
#include "search/inlining.h"
#include "search/joint_blocks.h"
#include "search/moves.h"
#include "search/products.h"
#include "search/scans.h"

namespace nestor {

namespace {

constexpr int kMostRounds = 12;
constexpr double kEnough = 0.995;  // of the time before, for a move to be taken
// Perturbations in a row that gained nothing, after which the local search ends: in 36 pipelines
// none that gained something came later.
constexpr int kMostInVain = 48;
// Around a perturbation: of the time before, what a move was known to lead to for it not to be
// looked at again (docs/RESULTS.md, "Moves that were worse").
constexpr double kWorse = 1.03;
// Nodes of code that have to make the program twice as fast: 100,000, which take half a minute to
// compile, one per cent. What makes no difference should not be there.
constexpr double kCodeOfTwice = 1e7;

class Descent {
  public:
    Descent(Builder& builder, Evaluator& evaluator, const Caps& caps, const Limits& limits,
            const Dropout& dropout, const Observer& observer, Outcomes* outcomes)
        : dag_(builder.dag()),
          builder_(builder),
          evaluator_(evaluator),
          caps_(caps),
          limits_(limits),
          dropout_(dropout),
          observer_(observer),
          outcomes_(outcomes != nullptr ? *outcomes : own_outcomes_),
          state_{0, std::vector<int>(dag_.functions.size(), 0),
                 std::vector<int>(dag_.functions.size(), -1)} {}

    Found finish(Found best) {
        charge_ = charge(best.schedule);
        bool improved = true;
        for (int round = 0; improved && round < kMostRounds; round++) {
            improved = false;
            for (int f = 0; f < std::ssize(dag_.functions) && !is_over(); f++) {
                improved = improve(f, for_each_finishing_move, best) || improved;
            }
            if (improved) {
                converge(best);
            }
        }
        return best;
    }

    std::optional<Found> run(const Start& start) {
        Found best{start.name, start.plan, builder_.build(start.plan), 0, 1};
        if (!is_legal(best.schedule)) {
            return std::nullopt;
        }
        best.seconds = evaluator_.seconds(best.schedule);
        charge_ = charge(best.schedule);
        has_joint_moves_ = false;
        converge(best);
        return best;
    }

    Found shake(Found best, std::uint64_t seed, std::int64_t work) {
        std::mt19937_64 random(seed);
        charge_ = charge(best.schedule);
        settle(best);
        const std::int64_t functions = std::ssize(dag_.functions);
        const std::int64_t first = moves_;
        int in_vain = 0;
        while ((moves_ - first) * functions < work && in_vain < kMostInVain && !is_over()) {
            const State kept = state_;
            const double kept_charge = charge_;
            std::optional<Found> other = perturbed(best, random);
            if (other) {
                leaves_out_worse_ = true;
                converge(*other);
                leaves_out_worse_ = false;
            }
            const bool is_better =
                other && other->seconds * charge_ < kEnough * best.seconds * kept_charge;
            if (is_better) {
                state_.looked_at = kept.looked_at;
                converge(*other);
            }
            const int states = other ? other->states : best.states;
            if (is_better) {
                best = std::move(*other);
                in_vain = 0;
            } else {
                in_vain++;
                state_ = kept;
                charge_ = kept_charge;
            }
            best.states = states;
        }
        return best;
    }

  private:
    [[nodiscard]] bool is_over() const { return limits_.check() != StopReason::Finished; }

    // Two moves at random, of functions near each other; nothing if that is not legal.
    std::optional<Found> perturbed(const Found& from, std::mt19937_64& random) {
        moves_++;
        Found other = from;
        int function = static_cast<int>(random() % dag_.functions.size());
        for (int i = 0; i < 2; i++) {
            std::vector<Plan> plans;
            for_each_move(other.plan, function, [&](const Plan& plan) {
                if (!dropout_.drops(function, plan.functions[function])) {
                    plans.push_back(plan);
                }
            });
            if (plans.empty()) {
                return std::nullopt;
            }
            other.plan = std::move(plans[random() % plans.size()]);
            const std::vector<bool> close = near(function, from);
            const auto count = static_cast<std::uint64_t>(std::ranges::count(close, true));
            auto skip = static_cast<int>(random() % count);
            for (function = 0; !close[function] || skip-- > 0; function++) {
            }
        }
        other.schedule = builder_.build(other.plan);
        if (other.schedule == from.schedule || !is_legal(other.schedule)) {
            return std::nullopt;
        }
        other.states++;
        other.seconds = evaluator_.seconds(other.schedule);
        charge_ = charge(other.schedule);
        note_changes(from.plan, other.plan);
        return other;
    }

    void for_each_move(const Plan& plan, int function,
                       const std::function<void(const Plan&)>& visit) const {
        for_each_neighbour(builder_, plan, function, visit);
        if (has_joint_moves_) {
            for_each_joint_move(plan, function, visit);
        }
    }

    void for_each_joint_move(const Plan& plan, int function,
                             const std::function<void(const Plan&)>& visit) const {
        if (builder_.moves().has(MoveKind::Blocks)) {
            for_each_joint_block(dag_, plan, function, visit);
        }
    }

    // As for_each_joint_move(), but not for perturbations: at random it is seldom of use.
    void inline_into_channels(const Plan& plan, int function,
                              const std::function<void(const Plan&)>& visit) const {
        if (has_joint_moves_ && builder_.moves().has(MoveKind::Inlining) &&
            builder_.moves().has(MoveKind::Blocks)) {
            for_each_inlining_into_channels(dag_, plan, function, visit);
        }
    }

    // As converge(), where all but joint moves may be known not to improve it.
    void settle(Found& best) {
        if (best.plan != outcomes_.settled) {
            converge(best);
            return;
        }
        state_.step++;
        std::ranges::fill(state_.looked_at, state_.step);
        if (outcomes_.of_joint) {
            return;
        }
        const auto joint = [this](Builder&, const Plan& plan, int function, const auto& visit) {
            for_each_joint_move(plan, function, visit);
            inline_into_channels(plan, function, visit);
        };
        bool improved = false;
        for (int f = static_cast<int>(dag_.functions.size()) - 1; f >= 0 && !is_over(); f--) {
            improved = improve(f, joint, best) || improved;
        }
        if (improved) {
            converge(best);
        } else {
            note_settled(best, !is_over());
        }
    }

    // Until no move improves it.
    void converge(Found& best) {
        const auto moves = [this](Builder&, const Plan& plan, int function, const auto& visit) {
            for_each_move(plan, function, visit);
            inline_into_channels(plan, function, visit);
        };
        bool improved = true;
        for (int round = 0; improved && round < kMostRounds; round++) {
            improved = false;
            // Consumers first: where they have tiles, producers may follow.
            for (int f = static_cast<int>(dag_.functions.size()) - 1; f >= 0; f--) {
                if (is_over()) {
                    return;
                }
                improved = (!is_settled(f, best) && improve(f, moves, best)) || improved;
            }
        }
        if (!leaves_out_worse_) {
            note_settled(best, !improved);
        }
    }

    void note_settled(const Found& best, bool is_so) {
        outcomes_.settled = is_so ? best.plan : Plan();
        outcomes_.of_joint = has_joint_moves_;
    }

    [[nodiscard]] bool is_legal(const Schedule& schedule) const {
        return check_legality(dag_, schedule, caps_).empty();
    }

    // Time is charged for code.
    [[nodiscard]] double charge(const Schedule& schedule) const {
        return 1 + static_cast<double>(code_size(dag_, schedule, caps_)) / kCodeOfTwice;
    }

    // The best legal one that `moves` visits, if it is better.
    template <class Moves>
    bool improve(int function, const Moves& moves, Found& best) {
        const Plan from = best.plan;
        const double before = best.seconds;
        bool improved = false;
        state_.step++;
        state_.looked_at[function] = state_.step;
        moves(builder_, from, function, [&](const Plan& plan) {
            if (dropout_.drops(function, plan.functions[function])) {
                return;
            }
            moves_++;
            const std::uint64_t move = key_of_move(from, plan);
            if (leaves_out_worse_ && is_known_worse(move)) {
                return;
            }
            const Schedule& schedule = builder_.build(plan);
            best.states++;
            if (schedule == best.schedule) {
                return;
            }
            const double enough = kEnough * best.seconds * charge_;
            const double seconds =
                evaluator_.seconds(schedule, observer_ ? Evaluator::kAny : enough);
            if (observer_) {
                observer_(schedule, seconds);
            }
            outcomes_.of_moves[move] = seconds / before;
            if (seconds >= enough) {
                return;
            }
            // The rules take longest, and where there is much code, nearly all that changes little
            // comes here.
            const double mine = charge(schedule);
            if (seconds * mine < enough && is_legal(schedule)) {
                best.plan = plan;
                best.schedule = schedule;
                best.seconds = seconds;
                charge_ = mine;
                improved = true;
            }
        });
        if (improved) {
            note_changes(from, best.plan);
        }
        return improved;
    }

    // By what it makes of the functions that it changes.
    [[nodiscard]] static std::uint64_t key_of_move(const Plan& from, const Plan& to) {
        Mixer key;
        for (std::size_t f = 0; f < from.functions.size(); f++) {
            if (!(to.functions[f] == from.functions[f])) {
                key.add(f);
                key.add(hash(to.functions[f]));
            }
        }
        return key.hash();
    }

    [[nodiscard]] bool is_known_worse(std::uint64_t move) const {
        const auto known = outcomes_.of_moves.find(move);
        return known != outcomes_.of_moves.end() && known->second > kWorse;
    }

    void note_changes(const Plan& from, const Plan& to) {
        for (std::size_t f = 0; f < state_.changed.size(); f++) {
            if (!(to.functions[f] == from.functions[f])) {
                state_.changed[f] = state_.step;
            }
        }
    }

    // Nothing near has changed since its neighbours were looked at.
    [[nodiscard]] bool is_settled(int function, const Found& best) const {
        const std::vector<bool> close = near(function, best);
        for (std::size_t f = 0; f < close.size(); f++) {
            if (close[f] && state_.changed[f] >= state_.looked_at[function]) {
                return false;
            }
        }
        return true;
    }

    // What it reads and what reads it, and what these read and are read by, where what is inlined
    // does not count as a step; and what is computed in the loops of the same function at root.
    [[nodiscard]] std::vector<bool> near(int function, const Found& best) const {
        constexpr int kSteps = 2;
        std::vector<int> steps(dag_.functions.size(), kSteps + 1);
        spread(function, 0, best.plan, steps);
        const Placement placement(dag_, best.schedule);
        const int root = placement.root(function);
        std::vector<bool> close;
        for (int f = 0; f < static_cast<int>(steps.size()); f++) {
            close.push_back(steps[f] <= kSteps || placement.root(f) == root);
        }
        return close;
    }

    void spread(int function, int step, const Plan& plan, std::vector<int>& steps) const {
        if (steps[function] <= step) {
            return;
        }
        steps[function] = step;
        const bool inlined = plan.functions[function].place == Place::Inlined;
        const int next = step + (inlined && step > 0 ? 0 : 1);
        for (const int consumer : dag_.functions[function].consumers) {
            spread(consumer, next, plan, steps);
        }
        for (const Stage& stage : dag_.functions[function].stages) {
            for (const Load& load : stage.loads) {
                if (load.source == Source::Function) {
                    spread(load.index, next, plan, steps);
                }
            }
        }
    }

    const PipelineDag& dag_;
    Builder& builder_;
    Evaluator& evaluator_;
    const Caps& caps_;
    const Limits& limits_;
    const Dropout& dropout_;
    const Observer& observer_;
    Outcomes own_outcomes_;
    Outcomes& outcomes_;
    double charge_ = 1;  // of the best one
    bool has_joint_moves_ = true;
    std::int64_t moves_ = 0;  // that were on offer
    bool leaves_out_worse_ = false;
    struct State {
        int step;                    // functions looked at
        std::vector<int> changed;    // [function]: the step that last changed its plan
        std::vector<int> looked_at;  // [function]: the step of its last look; -1: none
    };
    State state_;
};

constexpr std::int64_t kAllRows = std::numeric_limits<std::int64_t>::max();

// Tiles for the last stage of each function, where its dimensions are long enough; a width of 0:
// whole rows.
void set_tiles(const PipelineDag& dag, Plan& plan, std::int64_t width, std::int64_t height) {
    for (std::size_t i = 0; i < dag.functions.size(); i++) {
        const Function& f = dag.functions[i];
        if (f.stages.empty() || f.pinned) {
            continue;
        }
        const Stage& stage = f.stages.back();
        NestPlan& nest = plan.functions[i].stages.back();
        bool has_rows = false;
        for (const int d : free_dims(f, stage, nest.vector_dim)) {
            const std::int64_t extent = stage.loops[d].range.extent;
            if (d == nest.vector_dim) {
                nest.tile[d] = width > 0 && width < extent ? width : 0;
            } else if (!has_rows && (extent > height || height == kAllRows)) {
                nest.tile[d] = std::min(height, extent);
                has_rows = true;
            }
        }
    }
}

// Whether a load is of the same points in all iterations of the loops that are no reduction's.
bool stands_still(const Stage& stage, const Load& load) {
    for (const Coordinate& coordinate : load.coords) {
        for (std::size_t l = 0; l < coordinate.rates.size(); l++) {
            if (coordinate.rates[l] != 0 && !stage.loops[l].is_reduction()) {
                return false;
            }
        }
    }
    return true;
}

// Functions that are the same wherever they are computed: tables, and numbers without a place.
std::vector<bool> find_tables(const PipelineDag& dag) {
    std::vector<bool> tables(dag.functions.size(), true);
    for (int f = static_cast<int>(dag.functions.size()) - 1; f >= 0; f--) {  // consumers first
        const Function& consumer = dag.functions[f];
        tables[f] = tables[f] && !consumer.is_output;
        for (const Stage& stage : consumer.stages) {
            for (const Load& load : stage.loads) {
                if (load.source == Source::Function && load.index != f && !tables[f] &&
                    !stands_still(stage, load)) {
                    tables[load.index] = false;
                }
            }
        }
    }
    return tables;
}

class StartMaker {
  public:
    StartMaker(const PipelineDag& dag, const Machine& machine)
        : dag_(dag),
          plain_(plain_plan(dag, choose_inlined(dag), machine)),
          tables_(find_tables(dag)) {}

    [[nodiscard]] Start root() const { return {"root", plain_}; }

    // All that can be is computed in tiles of its readers.
    [[nodiscard]] Start fused(const char* name, SiteKind compute, std::int64_t width,
                              std::int64_t height) const {
        Plan plan = plain_;
        set_tiles(dag_, plan, width, height);
        for (std::size_t i = 0; i < dag_.functions.size(); i++) {
            FunctionPlan& f = plan.functions[i];
            if (f.place == Place::Root && !dag_.functions[i].is_output && !tables_[i]) {
                f.place = Place::At;
                f.compute.kind = compute;
                f.store.kind = SiteKind::Tile;
            }
        }
        return {name, std::move(plan)};
    }

    [[nodiscard]] Start columns() const { return fused("columns", SiteKind::Tile, 128, kAllRows); }

  private:
    const PipelineDag& dag_;
    const Plan plain_;
    const std::vector<bool> tables_;
};

}  // namespace

bool Dropout::drops(int function, const FunctionPlan& plan) const {
    if (chance >= 100) {
        return false;
    }
    const std::string words = std::to_string(function) + ' ' + std::to_string(hash(plan));
    return hash_bytes(words, seed) % 100 >= static_cast<std::uint64_t>(chance);
}

std::vector<Start> make_starts(const PipelineDag& dag, const Machine& machine) {
    const StartMaker maker(dag, machine);
    std::vector<Start> starts{maker.root(), maker.fused("strips", SiteKind::Rows, 0, 32),
                              maker.fused("sliding tiles", SiteKind::Rows, 256, 32),
                              maker.fused("tiles", SiteKind::Tile, 128, 32)};
    // Scans need all rows at once.
    if (has_scans(dag)) {
        starts.push_back(maker.columns());
    }
    return starts;
}

std::optional<Start> make_further_start(const PipelineDag& dag, const Machine& machine) {
    if (has_scans(dag) || !has_products(dag)) {
        return std::nullopt;
    }
    return StartMaker(dag, machine).columns();
}

std::optional<Found> descend(Builder& builder, Evaluator& evaluator, const Start& start,
                             const Caps& caps, const Limits& limits, const Dropout& dropout,
                             const Observer& observer, Outcomes* outcomes) {
    return Descent(builder, evaluator, caps, limits, dropout, observer, outcomes).run(start);
}

Found shake(Builder& builder, Evaluator& evaluator, Found found, const Caps& caps,
            const Limits& limits, std::uint64_t seed, std::int64_t work, const Dropout& dropout,
            Outcomes* outcomes) {
    return Descent(builder, evaluator, caps, limits, dropout, {}, outcomes)
        .shake(std::move(found), seed, work);
}

Found finish(Builder& builder, Evaluator& evaluator, Found found, const Caps& caps,
             const Limits& limits, const Dropout& dropout) {
    return Descent(builder, evaluator, caps, limits, dropout, {}, nullptr).finish(std::move(found));
}

}  // namespace nestor
