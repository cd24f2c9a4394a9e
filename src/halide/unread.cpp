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
        if (what.second == kAll) {
            f.accept(&count);
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
