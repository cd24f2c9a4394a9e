#include "measure/compare.h"

#include <algorithm>
#include <cmath>

#include "halide/parts.h"

namespace nestor {

namespace {

/** 2^-(bits of the mantissa): the relative size of one rounding, doubled. */
double rounding_unit(const Halide::Type& type) {
    if (type.is_bfloat()) {
        return 0x1p-7;
    }
    return type.bits() == 64 ? 0x1p-52 : type.bits() == 32 ? 0x1p-23 : 0x1p-10;
}

class TypeVisitor : public Halide::Internal::IRGraphVisitor {
  public:
    TypeFacts facts;

  protected:
    using Base = Halide::Internal::IRGraphVisitor;
    using Base::visit;
    void visit(const Halide::Internal::Cast* cast) override {
        const Halide::Type& from = cast->value.type();
        facts.rounds = facts.rounds || rounds(from, cast->type);
        if (from.is_float() && cast->type.is_float() && cast->type.bits() < from.bits()) {
            add(cast->type);
        }
        Base::visit(cast);
    }
    void visit(const Halide::Internal::Add* node) override { compute(node); }
    void visit(const Halide::Internal::Sub* node) override { compute(node); }
    void visit(const Halide::Internal::Mul* node) override { compute(node); }
    void visit(const Halide::Internal::Div* node) override { compute(node); }
    void visit(const Halide::Internal::Mod* node) override { compute(node); }
    void visit(const Halide::Internal::Call* node) override {
        const bool loads = node->call_type == Halide::Internal::Call::Halide ||
                           node->call_type == Halide::Internal::Call::Image;
        if (loads) {
            Base::visit(node);
            return;
        }
        facts.rounds = facts.rounds || std::ranges::any_of(node->args, [&](const auto& each) {
                           return rounds(each.type(), node->type);  // saturating_cast, say
                       });
        compute(node);
    }

  private:
    static bool rounds(const Halide::Type& from, const Halide::Type& to) {
        return from.is_float() && to.is_int_or_uint() && !to.is_bool();
    }
    template <class Node>
    void compute(const Node* node) {
        add(node->type);
        Base::visit(node);
    }
    void add(const Halide::Type& type) {
        if (type.is_float()) {
            facts.unit = std::max(facts.unit, rounding_unit(type));
        }
    }
};

bool reorders(const LoopNest& nest, const std::vector<StageDim>& dims) {
    const auto is_reduction = [&](const LoopRef& loop) {
        return dims[static_cast<std::size_t>(loop.dim)].kind != LoopKind::Pure;
    };
    if (nest.atomic || (nest.vector && is_reduction(*nest.vector)) ||
        std::any_of(nest.parallel.begin(), nest.parallel.end(), is_reduction)) {
        return true;
    }
    const auto reduction_order = [&](const LoopNest& ordered) {
        std::vector<LoopRef> order = loop_order(ordered, dims);
        std::erase_if(order, [&](const LoopRef& loop) { return !is_reduction(loop); });
        return order;
    };
    LoopNest natural = nest;
    natural.order.clear();
    return reduction_order(nest) != reduction_order(natural);
}

}  // namespace

TypeFacts type_facts(const Halide::Pipeline& pipeline) {
    TypeVisitor types;
    for (const auto& [name, function] : read_parts(pipeline).functions) {
        function.accept(&types);
    }
    return types.facts;
}

RoundingFacts rounding_facts(const PipelineDag& dag, const Schedule& schedule,
                             const Halide::Pipeline& pipeline, const Halide::Target& target) {
    RoundingFacts facts;
    facts.strict = target.has_feature(Halide::Target::StrictFloat);
    facts.types = type_facts(pipeline);
    for (int f = 0; f < static_cast<int>(schedule.functions.size()); f++) {
        const FunctionSchedule& function = schedule.functions[static_cast<std::size_t>(f)];
        const bool split =
            function.derivation && function.derivation->kind == Derivation::Kind::Rfactor;
        for (int s = 0; s < static_cast<int>(function.stages.size()); s++) {
            const std::vector<StageDim> dims = stage_dims(dag, schedule, f, s);
            const StageSchedule& stage = function.stages[static_cast<std::size_t>(s)];
            bool changed = split || reorders(stage.nest, dims);
            for (const Specialization& special : stage.specializations) {
                changed = changed || reorders(special.nest, dims);
            }
            double terms = 1;
            for (const StageDim& dim : dims) {
                terms *= dim.kind == LoopKind::Pure ? 1 : static_cast<double>(dim.extent);
            }
            if (changed) {
                facts.reassociates = true;
                facts.terms = std::max(facts.terms, terms);
            }
        }
    }
    return facts;
}

Tolerance tolerance(const Halide::Type& type, const RoundingFacts& facts) {
    constexpr double kRoundings = 1024;        // of a result, relative to itself
    constexpr double kLargestRoundings = 128;  // relative to the largest one, where numbers cancel
    constexpr double kMost = 0.02;             // of types with hardly any digits
    if (!type.is_float() && !facts.types.rounds) {
        return {};
    }
    if (facts.strict && !facts.reassociates) {
        return {};
    }
    // Errors of a sum grow like the root of the number of its terms (N. Higham, "Accuracy and
    // Stability of Numerical Algorithms", section 4.2).
    const double growth = facts.reassociates ? std::max(1.0, std::sqrt(facts.terms) / 16) : 1;
    const double own = type.is_float() ? rounding_unit(type) : 0x1p-23;
    const double unit = growth * std::max(own, facts.types.unit);
    Tolerance result;
    result.relative = std::min(kMost, kRoundings * unit);
    result.of_largest = std::min(kMost, kLargestRoundings * unit);
    // Terms that take few values (pixels) are all rounded in the same direction: then errors grow
    // like their number (section 4.2, the bound). In double precision that is still little.
    if (type.is_float() && type.bits() == 64 && facts.reassociates) {
        result.relative = std::max(result.relative, facts.terms * rounding_unit(type));
        result.of_largest = std::max(result.of_largest, facts.terms * rounding_unit(type) / 8);
    }
    if (!type.is_float()) {
        result.absolute = 1;
        result.of_largest = result.relative;  // a rounding tips over wherever it stands
        result.relative = 0;
    }
    return result;
}

std::int64_t exceptions(std::int64_t differ, std::int64_t all) {
    constexpr std::int64_t kTimes = 4;  // schedules are rounded more differently than these two
    constexpr std::int64_t kFew = 16;
    constexpr std::int64_t kPart = 1000;
    return differ > 0 ? std::min(kTimes * differ + kFew, all / kPart) : 0;
}

std::int64_t count_differences(const BufferShape& shape, const BufferMemory& one,
                               const BufferMemory& other, const Tolerance& tolerance) {
    return differences(layout_of(shape), one.data(), other.data(), tolerance).count;
}

std::string difference(const BufferShape& shape, const BufferMemory& expected,
                       const BufferMemory& actual, const Tolerance& tolerance) {
    return difference(layout_of(shape), expected.data(), actual.data(), tolerance);
}

}  // namespace nestor
