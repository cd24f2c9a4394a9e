#include "halide/unread.h"

#include <set>
#include <utility>
#include <vector>

#include "halide/apply.h"
#include "halide/calls.h"

namespace nestor {

namespace {

constexpr int kAll = -1;                   // elements of a tuple
using Read = std::pair<std::string, int>;  // function, element

using Halide::Internal::Definition;

void count_simplified(const Definition& definition, CountCalls& count) {
    for (const auto* expressions : {&definition.args(), &definition.values()}) {
        for (const Halide::Expr& each : *expressions) {
            Halide::Internal::simplify(each).accept(&count);
        }
    }
    if (definition.predicate().defined()) {
        definition.predicate().accept(&count);
    }
    for (const Halide::Internal::Specialization& each : definition.specializations()) {
        if (each.definition.defined()) {
            count_simplified(each.definition, count);
        }
    }
}

// As Halide reads it when it infers bounds.
void count_calls(const Definition& definition, CountCalls& count) {
    if (definition.specializations().empty()) {
        definition.accept(&count);
    } else {
        count_simplified(definition, count);
    }
}

/** Follows what is read from the outputs on. */
class Reading {
  public:
    explicit Reading(const Environment& functions) : functions_(functions) {}

    void start(const std::string& output) { read({output, kAll}); }

    void run() {
        while (!waiting_.empty()) {
            const Read next = waiting_.back();
            waiting_.pop_back();
            follow(next);
        }
    }

    [[nodiscard]] bool reads(const std::string& name) const {
        return functions_read_.contains(name);
    }

  private:
    void read(const Read& what) {
        const auto found = functions_.find(what.first);
        if (found == functions_.end()) {
            return;
        }
        // Whatever is read of a function that is computed, all of it is.
        const Read whole{what.first, is_inlined(found->second) ? what.second : kAll};
        if (seen_.insert(whole).second) {
            functions_read_.insert(what.first);
            waiting_.push_back(whole);
        }
    }

    void follow(const Read& what) {
        const HalideFunction& f = functions_.at(what.first);
        CountCalls count;
        if (!f.has_pure_definition()) {
            f.accept(&count);
        } else if (what.second == kAll) {
            count_calls(f.definition(), count);
            for (const Definition& update : f.updates()) {
                count_calls(update, count);
            }
        } else {
            f.definition().values().at(what.second).accept(&count);
        }
        for (const auto& [each, times] : count.calls) {
            read(each);
        }
        for (const Halide::ExternFuncArgument& arg : f.extern_arguments()) {
            if (arg.is_func()) {
                read({HalideFunction(arg.func).name(), kAll});
            }
        }
        for (const auto& [consumer, wrapper] : f.schedule().wrappers()) {
            read({HalideFunction(wrapper).name(), kAll});
        }
    }

    const Environment& functions_;
    std::set<Read> seen_;
    std::set<std::string> functions_read_;
    std::vector<Read> waiting_;
};

}  // namespace

std::string unread_function(const Halide::Pipeline& pipeline) {
    const Halide::Pipeline copy = deep_copy(pipeline);  // levels are inspected once locked
    const Environment functions = locked_environment(copy);
    Reading reading(functions);
    for (const Halide::Func& output : copy.outputs()) {
        reading.start(output.name());
    }
    reading.run();
    for (const auto& [name, function] : functions) {
        if (!is_inlined(function) && !reading.reads(name)) {
            return name;
        }
    }
    return {};
}

}  // namespace nestor
