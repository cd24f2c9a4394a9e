#include "halide/observe.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

namespace nestor {

using Halide::Expr;
using Halide::Internal::IRNodeType;
using Halide::Internal::Stmt;
namespace ir = Halide::Internal;

namespace {

constexpr int kLargestWalk = 300'000;  // nodes

/// Of a loop that Halide cut, what has come so far.
struct Part {
    std::int64_t end = INT64_MIN;
    std::int64_t length = 0;
    std::int64_t longest = 0;
};
using Parts = std::map<std::string, Part>;

// Loops in which memory is allocated.
class AllocatingLoops : public ir::IRVisitor {
  public:
    std::unordered_set<const ir::For*> loops;

  private:
    using ir::IRVisitor::visit;

    void visit(const ir::Allocate* node) override {
        found_ = true;
        node->body.accept(this);
    }

    void visit(const ir::For* node) override {
        const bool before = std::exchange(found_, false);
        node->body.accept(this);
        if (found_) {
            loops.insert(node);
        }
        found_ = found_ || before;
    }

    bool found_ = false;
};

// Of a loop's name the function and the stage: "f.s0" of "f.s0.x.xi".
std::string stage_of(const std::string& loop) {
    for (std::size_t at = loop.find(".s"); at != std::string::npos; at = loop.find(".s", at + 1)) {
        const std::size_t end = loop.find_first_not_of("0123456789", at + 2);
        if (end != at + 2 && end != std::string::npos && loop[end] == '.') {
            return loop.substr(0, end);
        }
    }
    return {};
}

// Loops with others inside, and those that have no other one of the same stage inside.
class LoopsByPlace : public ir::IRVisitor {
  public:
    std::unordered_set<const ir::For*> around;
    std::unordered_set<const ir::For*> innermost;

  private:
    using ir::IRVisitor::visit;

    void visit(const ir::For* node) override {
        const std::string stage = stage_of(node->name);
        std::set<std::string> outside = std::exchange(inside_, {});
        node->body.accept(this);
        if (!inside_.empty()) {
            around.insert(node);
        }
        if (!stage.empty() && !inside_.contains(stage)) {
            innermost.insert(node);
        }
        inside_.insert(stage);
        inside_.merge(outside);
    }

    std::set<std::string> inside_;  // stages that have a loop in what was visited
};

class Walk {
  public:
    // `wanted`: the loops to look into; null: all. `counted`: of which runs are to be counted, and
    // nothing else is wanted.
    Walk(const ResolvedCall& call, const std::unordered_set<const ir::For*>* wanted,
         const LoopsByPlace* counted, Observed& observed)
        : wanted_(wanted), counted_(counted), observed_(observed) {
        for (const auto& [name, buffer] : call.buffers) {
            interpreter_.bind_buffer(buffer);
        }
        for (const auto& [name, value] : call.scalars) {
            interpreter_.bind(name, value);
        }
    }

    void statement(const Stmt& s) {
        if (!s.defined() || ++nodes_ > kLargestWalk) {
            observed_.complete = observed_.complete && nodes_ <= kLargestWalk;
            return;
        }
        switch (s->node_type) {
            case IRNodeType::LetStmt:
                return let(s.as<ir::LetStmt>());
            case IRNodeType::Block:
                return block(s);
            case IRNodeType::IfThenElse:
                return branch(s.as<ir::IfThenElse>());
            case IRNodeType::For:
                return loop(s.as<ir::For>());
            case IRNodeType::Allocate:
                return allocation(s.as<ir::Allocate>());
            case IRNodeType::Evaluate:
                // Fills the buffers in which a bounds query answers.
                (void)interpreter_.evaluate(s.as<ir::Evaluate>()->value);
                return;
            case IRNodeType::Fork:
                statement(s.as<ir::Fork>()->first);
                return statement(s.as<ir::Fork>()->rest);
            case IRNodeType::ProducerConsumer:
                return statement(s.as<ir::ProducerConsumer>()->body);
            case IRNodeType::HoistedStorage:
                return statement(s.as<ir::HoistedStorage>()->body);
            case IRNodeType::Atomic:
                return statement(s.as<ir::Atomic>()->body);
            case IRNodeType::Acquire:
                return statement(s.as<ir::Acquire>()->body);
            default:
                return;
        }
    }

  private:
    void let(const ir::LetStmt* node) {
        const std::size_t mark = interpreter_.mark();
        interpreter_.bind(node->name, interpreter_.evaluate(node->value));
        statement(node->body);
        interpreter_.restore(mark);
    }

    void block(Stmt s) {
        // The parts of a loop that was cut follow each other.
        Parts parts;
        Parts* const outer = parts_;
        parts_ = &parts;
        while (const auto* node = s.as<ir::Block>()) {
            statement(node->first);
            s = node->rest;
        }
        statement(s);
        parts_ = outer;
        for (const auto& [name, part] : parts) {
            note(name, part.longest);
        }
    }

    void branch(const ir::IfThenElse* node) {
        const Value condition = interpreter_.evaluate(node->condition);
        const std::int64_t* known = as_integer(condition);
        const double weight = weight_;
        weight_ *= known == nullptr ? 0.5 : 1;
        if (known == nullptr || *known != 0) {
            statement(node->then_case);
        }
        if (known == nullptr || *known == 0) {
            statement(node->else_case);
        }
        weight_ = weight;
    }

    void loop(const ir::For* node) {
        if (wanted_ != nullptr && !wanted_->contains(node)) {
            return;
        }
        const Value min = interpreter_.evaluate(node->min);
        const Value extent = interpreter_.evaluate(node->extent);
        const std::int64_t* first = as_integer(min);
        const std::int64_t* count = as_integer(extent);
        if (first == nullptr || count == nullptr || *count <= 0) {
            return;  // it depends on data
        }
        if (counted_ != nullptr) {
            return count_runs(node, *first, *count);
        }
        record(node->name, *first, *count);
        Parts* const outer = parts_;
        parts_ = nullptr;
        std::set<std::int64_t> positions;
        for (const std::int64_t at : {std::int64_t{0}, std::int64_t{1}, *count / 2, *count - 1}) {
            if (at < *count && positions.insert(at).second) {
                iteration(node, *first + at);
            }
        }
        parts_ = outer;
    }

    void iteration(const ir::For* node, std::int64_t at) {
        const std::size_t mark = interpreter_.mark();
        interpreter_.bind(node->name, at);
        statement(node->body);
        interpreter_.restore(mark);
    }

    void count_runs(const ir::For* node, std::int64_t first, std::int64_t count) {
        if (counted_->innermost.contains(node)) {
            observed_.runs[stage_of(node->name)] += weight_ * static_cast<double>(count);
        }
        if (!counted_->around.contains(node)) {
            return;
        }
        const double weight = weight_;
        iteration(node, first);
        if (count > 1) {
            iteration(node, first + count - 1);
        }
        // Halide's name for a loop that begins earlier, to warm up what slides: not everything
        // runs in all of its iterations.
        const bool warms_up = node->name.find(".$n") != std::string::npos;
        const std::int64_t between = count - 2;
        const std::int64_t samples = std::min<std::int64_t>(between, warms_up ? 8 : 1);
        for (std::int64_t i = 0; i < samples; i++) {
            weight_ = weight * static_cast<double>(between) / static_cast<double>(samples);
            iteration(node, first + 1 + (2 * i + 1) * between / (2 * samples));
        }
        weight_ = weight;
    }

    void allocation(const ir::Allocate* node) {
        std::int64_t bytes = node->type.bytes();
        bool known = true;
        for (const Expr& e : node->extents) {
            const Value extent = interpreter_.evaluate(e);
            known = known && as_integer(extent) != nullptr;
            bytes *= known ? *as_integer(extent) : 0;
        }
        const Value condition = interpreter_.evaluate(node->condition);
        if (known && (as_integer(condition) == nullptr || *as_integer(condition) != 0)) {
            std::int64_t& largest = observed_.allocated[node->name];
            largest = std::max(largest, bytes);
        }
        statement(node->body);
    }

    // Ranges of one loop that follow each other are parts of it; others are copies, as unrolling
    // makes them.
    void record(const std::string& name, std::int64_t first, std::int64_t count) {
        if (parts_ == nullptr) {
            note(name, count);
            return;
        }
        Part& part = (*parts_)[name];
        part.length = first == part.end ? part.length + count : count;
        part.end = first + count;
        part.longest = std::max(part.longest, part.length);
    }

    void note(const std::string& name, std::int64_t count) {
        std::int64_t& largest = observed_.iterations[name];
        largest = std::max(largest, count);
    }

    const std::unordered_set<const ir::For*>* wanted_;
    const LoopsByPlace* counted_;
    Observed& observed_;
    Interpreter interpreter_;
    Parts* parts_ = nullptr;  // of loops in the block around, in this iteration
    double weight_ = 1;       // how often the statement runs, as far as runs are counted
    int nodes_ = 0;
};

}  // namespace

Observed observe(const Stmt& lowered, const ResolvedCall& call, Observe what) {
    Observed observed;
    if (what == Observe::Everything) {
        Walk(call, nullptr, nullptr, observed).statement(lowered);
        return observed;
    }
    AllocatingLoops allocating;
    lowered.accept(&allocating);
    Walk(call, &allocating.loops, nullptr, observed).statement(lowered);
    LoopsByPlace counted;
    lowered.accept(&counted);
    Observed runs;
    Walk(call, nullptr, &counted, runs).statement(lowered);
    if (runs.complete) {
        observed.runs = std::move(runs.runs);
    }
    return observed;
}

std::optional<double> innermost_runs(const Observed& observed, const Function& function,
                                     int stage) {
    const auto found = observed.runs.find(function.halide_name + ".s" + std::to_string(stage));
    return found == observed.runs.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::int64_t> allocated_bytes(const Observed& observed, const Function& function) {
    if (!observed.complete) {
        return {};
    }
    std::optional<std::int64_t> bytes;
    for (std::size_t i = 0; i < function.types.size(); i++) {
        const std::string name = function.types.size() == 1
                                     ? function.halide_name
                                     : function.halide_name + "." + std::to_string(i);
        const auto found = observed.allocated.find(name);
        if (found != observed.allocated.end()) {
            bytes = bytes.value_or(0) + found->second;
        }
    }
    return bytes;
}

}  // namespace nestor
