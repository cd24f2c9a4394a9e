#include "search/simplify.h"

#include <optional>
#include <utility>

namespace nestor {

namespace {

constexpr double kSmallCode = 20'000;  // nodes of code
// Nodes that have to make a program twice as fast: 20,000, which take Halide and LLVM a few
// seconds, are worth one per cent, which is less than what predictions can tell apart.
constexpr double kNodesOfTwice = 2e6;

double price_of(double seconds, double code) {
    return seconds * (1 + code / kNodesOfTwice);
}

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
        best.found.states += states_;
        return std::move(best.found);
    }

  private:
    struct Priced {
        Found found;
        double code = 0;

        [[nodiscard]] double price() const { return price_of(found.seconds, code); }
    };

    [[nodiscard]] double code_of(const Schedule& schedule) const {
        return static_cast<double>(code_size(builder_.dag(), schedule, caps_));
    }

    // With one block halved; none if that is not worth it.
    std::optional<Priced> cheapest_half(const Priced& from) {
        std::optional<Priced> best;
        Plan plan = from.found.plan;
        for (FunctionPlan& f : plan.functions) {
            if (f.place == Place::Inlined) {
                continue;
            }
            for (NestPlan& nest : f.stages) {
                for (int& block : nest.block) {
                    if (block > 1) {
                        const int whole = std::exchange(block, block / 2);
                        consider(plan, from, best);
                        block = whole;
                    }
                }
            }
        }
        return best;
    }

    void consider(const Plan& plan, const Priced& from, std::optional<Priced>& best) {
        const double price = (best ? *best : from).price();
        const Schedule& schedule = builder_.build(plan);
        states_++;
        const double seconds = evaluator_.seconds(schedule, price);
        if (seconds >= price) {
            return;  // with any code
        }
        const double code = code_of(schedule);
        if (price_of(seconds, code) < price &&
            check_legality(builder_.dag(), schedule, caps_).empty()) {
            best = Priced{{from.found.name, plan, schedule, seconds, from.found.states}, code};
        }
    }

    Builder& builder_;
    Evaluator& evaluator_;
    const Caps& caps_;
    const Limits& limits_;
    int states_ = 0;  // schedules that were looked at
};

}  // namespace

Found simplify(Builder& builder, Evaluator& evaluator, Found found, const Caps& caps,
               const Limits& limits) {
    return Simplifying(builder, evaluator, caps, limits).run(std::move(found));
}

}  // namespace nestor
