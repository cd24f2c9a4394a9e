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

class Walk {
  public:
    // `wanted`: the loops to look into; null: all.
    Walk(const ResolvedCall& call, const std::unordered_set<const ir::For*>* wanted,
         Observed& observed)
        : wanted_(wanted), observed_(observed) {
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
        if (known == nullptr || *known != 0) {
            statement(node->then_case);
        }
        if (known == nullptr || *known == 0) {
            statement(node->else_case);
        }
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
        record(node->name, *first, *count);
        Parts* const outer = parts_;
        parts_ = nullptr;
        std::set<std::int64_t> positions;
        for (const std::int64_t at : {std::int64_t{0}, std::int64_t{1}, *count / 2, *count - 1}) {
            if (at < *count && positions.insert(at).second) {
                const std::size_t mark = interpreter_.mark();
                interpreter_.bind(node->name, *first + at);
                statement(node->body);
                interpreter_.restore(mark);
            }
        }
        parts_ = outer;
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
    Observed& observed_;
    Interpreter interpreter_;
    Parts* parts_ = nullptr;  // of loops in the block around, in this iteration
    int nodes_ = 0;
};

}  // namespace

Observed observe(const Stmt& lowered, const ResolvedCall& call, Observe what) {
    Observed observed;
    AllocatingLoops allocating;
    if (what == Observe::Allocations) {
        lowered.accept(&allocating);
    }
    Walk(call, what == Observe::Allocations ? &allocating.loops : nullptr, observed)
        .statement(lowered);
    return observed;
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
