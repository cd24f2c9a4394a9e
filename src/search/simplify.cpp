#include "search/simplify.h"

#include <optional>
#include <utility>

namespace nestor {

namespace {

constexpr double kSmallCode = 20'000;  // nodes of code
// Nodes that have to make a program twice as fast: 20,000, which take Halide and LLVM a few
// seconds, are worth one per cent, which is less than what predictions can tell apart.
constexpr double kNodesOfTwice = 2e6;

/** A plan with what it takes. */
struct Priced {
    Found found;
    double code = 0;

    [[nodiscard]] double price() const { return found.seconds * (1 + code / kNodesOfTwice); }
};

class Simplifying {
  public:
    Simplifying(Builder& builder, Evaluator& evaluator, const Caps& caps, const Limits& limits)
        : builder_(builder), evaluator_(evaluator), caps_(caps), limits_(limits) {}

    Found run(Found found) {
        Priced best{std::move(found)};
        best.code = code_of(best.found.schedule);
        while (best.code > kSmallCode && limits_.check() == StopReason::Finished) {
            std::optional<Priced> simpler = cheapest_half(best);
            if (!simpler) {
                break;
            }
            best = *std::move(simpler);
        }
        return std::move(best.found);
    }

  private:
    [[nodiscard]] double code_of(const Schedule& schedule) const {
        return static_cast<double>(code_size(builder_.dag(), schedule, caps_));
    }

    // With one block halved; none if that is not worth it.
    std::optional<Priced> cheapest_half(Priced& from) {
        std::optional<Priced> best;
        const Plan plan = from.found.plan;
        for (std::size_t f = 0; f < plan.functions.size(); f++) {
            if (plan.functions[f].place == Place::Inlined) {
                continue;
            }
            for (std::size_t s = 0; s < plan.functions[f].stages.size(); s++) {
                const std::vector<int>& blocks = plan.functions[f].stages[s].block;
                for (std::size_t d = 0; d < blocks.size(); d++) {
                    if (blocks[d] > 1) {
                        Plan half = plan;
                        half.functions[f].stages[s].block[d] = blocks[d] / 2;
                        consider(half, from, best);
                    }
                }
            }
        }
        return best;
    }

    void consider(const Plan& plan, Priced& from, std::optional<Priced>& best) {
        const Schedule& schedule = builder_.build(plan);
        from.found.states++;
        Priced made{{from.found.name, plan, schedule, evaluator_.seconds(schedule), 0},
                    code_of(schedule)};
        if (made.price() < (best ? *best : from).price() &&
            check_legality(builder_.dag(), schedule, caps_).empty()) {
            made.found.states = from.found.states;
            best = std::move(made);
        }
    }

    Builder& builder_;
    Evaluator& evaluator_;
    const Caps& caps_;
    const Limits& limits_;
};

}  // namespace

Found simplify(Builder& builder, Evaluator& evaluator, Found found, const Caps& caps,
               const Limits& limits) {
    return Simplifying(builder, evaluator, caps, limits).run(std::move(found));
}

}  // namespace nestor
