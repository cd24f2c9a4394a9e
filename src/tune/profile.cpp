#include "tune/profile.h"

#include <dlfcn.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/process.h"
#include "bench/child_answer.h"
#include "halide/apply.h"
#include "halide/lower.h"
#include "measure/call.h"
#include "measure/timing.h"

namespace nestor {

namespace {

using nlohmann::json;

constexpr const char* kProfiledFunction = "nestor_profiled";
constexpr const char* kEntry = "nestor_profiled_argv";
constexpr double kBuildSeconds = 120;
constexpr double kRunSeconds = 120;
constexpr std::int64_t kMemory = std::int64_t{8} << 30U;

/** 1. compile, in a child, because LLVM may end the process; 2. link; 3. run, in another child. */
class Profile {
  public:
    Profile(const ProfileSetup& setup, const Schedule& schedule)
        : setup_(setup), schedule_(schedule), library_(setup.folder + "/profiled.so") {}

    Result<std::vector<FunctionTime>> run() {
        const std::string object = setup_.folder + "/profiled.o";
        const ChildAnswer names =
            ask_child([&] { return compile(object); }, kBuildSeconds, kMemory);
        if (!names.failure.empty()) {
            return Error{"compiling with the profiler: " + names.failure};
        }
        if (Status status = link(object); !status) {
            return Error{status.error()};
        }
        const ChildAnswer times =
            ask_child([&] { return run_library(); }, kRunSeconds + setup_.seconds, kMemory);
        if (!times.failure.empty()) {
            return Error{"running with the profiler: " + times.failure};
        }
        std::vector<FunctionTime> result;
        for (const json& each : times.answer) {
            const auto name = each.at(0).get<std::string>();
            result.push_back({name, function_of(name, names.answer), each.at(1).get<double>()});
        }
        std::ranges::stable_sort(result, std::greater<>(), &FunctionTime::seconds);
        return result;
    }

  private:
    /** Yields Halide's names of the algorithm's functions. */
    [[nodiscard]] json compile(const std::string& object) const {
        const Halide::Pipeline copy = deep_copy(setup_.pipeline);
        json names = json::array();
        for (const Halide::Func& each : must(bind_functions(copy, setup_.dag))) {
            names.push_back(each.name());
        }
        (void)must(apply(copy, setup_.dag, schedule_));
        std::vector<Halide::Argument> inputs = caller_arguments(copy);  // Halide adds the rest
        std::erase_if(inputs, [](const Halide::Argument& each) { return each.is_output(); });
        Halide::Pipeline(copy).compile_to_object(
            object, inputs, kProfiledFunction,
            setup_.target.without_feature(Halide::Target::NoRuntime)
                .with_feature(Halide::Target::Profile));
        return names;
    }

    [[nodiscard]] Status link(const std::string& object) const {
        return run_tool({setup_.compiler, "-shared", "-Wl,-Bsymbolic", "-o", library_, object,
                         "-ldl", "-lpthread"});
    }

    template <class F>
    static F symbol(void* library, const char* name) {
        void* found = dlsym(library, name);
        if (found == nullptr) {
            throw std::runtime_error(std::string("the library lacks ") + name);
        }
        return reinterpret_cast<F>(found);
    }

    /** Yields [name, seconds] of each function. */
    [[nodiscard]] json run_library() const {
        const CallShape shape = must(call_shape(setup_.pipeline, setup_.target, {}));
        const Memories inputs = allocate(shape, Direction::Inputs, BufferMemory::Kind::Private);
        const Memories outputs = allocate(shape, Direction::Outputs, BufferMemory::Kind::Private);
        (void)must(fill_inputs(shape, inputs, 0, {}));
        const CallPointers pointers(shape, inputs, outputs);
        void* library = dlopen(library_.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            throw std::runtime_error(dlerror());
        }
        symbol<int (*)(int)>(library, "halide_set_num_threads")(setup_.threads);
        const auto entry = symbol<int (*)(void* const*)>(library, kEntry);
        const double end = steady_seconds() + setup_.seconds;
        do {
            if (entry(pointers.argv()) != 0) {
                throw std::runtime_error("a run-time check failed");
            }
        } while (steady_seconds() < end);
        const auto* stats =  // the library has no other pipeline
            symbol<halide_profiler_state* (*)()>(library, "halide_profiler_get_state")()->pipelines;
        if (stats == nullptr || stats->samples == 0) {
            throw std::runtime_error("there are no samples");
        }
        json times = json::array();
        for (int f = 0; f < stats->num_funcs; f++) {
            constexpr double kNano = 1e-9;
            const halide_profiler_func_stats& each = stats->funcs[f];
            if (each.time > 0) {
                times.push_back({each.name, kNano * static_cast<double>(each.time) / stats->runs});
            }
        }
        return times;
    }

    /** Derived functions have names that begin with their parents' ("f_in_g", "f_intm"). */
    [[nodiscard]] int function_of(const std::string& name, const json& names) const {
        int parent = -1;
        std::size_t longest = 0;
        for (std::size_t f = 0; f < names.size(); f++) {
            const auto known = names[f].get<std::string>();
            if (known == name) {
                return static_cast<int>(f);
            }
            if (name.starts_with(known + "_") && known.size() > longest) {
                parent = static_cast<int>(f);
                longest = known.size();
            }
        }
        for (std::size_t f = names.size(); parent >= 0 && f < schedule_.functions.size(); f++) {
            if (schedule_.functions[f].derivation->parent == parent) {
                return static_cast<int>(f);
            }
        }
        return -1;
    }

    const ProfileSetup& setup_;
    const Schedule& schedule_;
    std::string library_;
};

}  // namespace

Result<std::vector<FunctionTime>> profile(const ProfileSetup& setup, const Schedule& schedule) {
    return Profile(setup, schedule).run();
}

}  // namespace nestor
