#include "tune/finals.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/process.h"
#include "bench/child_answer.h"
#include "bench/runner.h"
#include "halide/apply.h"
#include "halide/lower.h"
#include "measure/compiled_library.h"
#include "measure/subject.h"
#include "measure/timing.h"

namespace nestor {

namespace {

using nlohmann::json;

constexpr std::uint64_t kGarbage = 0xbad;
constexpr const char* kFinalistFunction = "nestor_finalist";

struct FinalistFailed {
    std::size_t finalist;
    std::string message;
};

/** See run_finals(). */
class Finals {
  public:
    Finals(const FinalsSetup& setup, const std::vector<Schedule>& finalists)
        : setup_(setup), finalists_(finalists), results_(finalists.size()) {}

    std::vector<Measurement> run() {
        if (const Status status = prepare(); !status) {
            fail_all(status.error());
            return std::move(results_);
        }
        for (std::size_t i = 0; i < finalists_.size(); i++) {
            results_[i] = compile(i);
            if (results_[i].ok()) {
                results_[i] = try_once(i);
            }
        }
        time();
        const MachineState machine = machine_state(setup_.measure.threads);
        for (Measurement& each : results_) {
            each.machine = machine;
        }
        return std::move(results_);
    }

  private:
    void fail_all(const std::string& message) {
        for (Measurement& each : results_) {
            each = Measurement::failure(Outcome::Lost, message);
        }
    }

    Status prepare() {
        Result<Subject> subject = Subject::create(setup_.measure);
        if (!subject) {
            return Error{subject.error()};
        }
        subject_ = std::move(subject).value();
        Status found =
            subject_->find_reference([this](const auto& compute) { return run_apart(compute); });
        return found ? build_runtime() : found;
    }

    // Why it failed; empty: it did not.
    [[nodiscard]] std::string run_apart(const std::function<Status()>& compute) const {
        const MeasureOptions& limits = setup_.measure;
        return ask_child(
                   [&]() -> json {
                       if (const Status status = compute(); !status) {
                           throw std::runtime_error(status.error());
                       }
                       return true;
                   },
                   limits.build_seconds + limits.reference_seconds, limits.memory_bytes)
            .failure;
    }

    // In a child, because LLVM may end the process.
    Status build(const std::string& name, const std::function<void(const std::string&)>& emit) {
        const std::string object = setup_.folder + "/" + name + ".o";
        const ChildAnswer built = ask_child(
            [&]() -> json {
                emit(object);
                return true;
            },
            setup_.measure.build_seconds, setup_.measure.memory_bytes);
        if (!built.failure.empty()) {
            return Error{built.failure};
        }
        return run_tool(
            {setup_.compiler, "-shared", "-o", library(name), object, "-ldl", "-lpthread"});
    }

    [[nodiscard]] std::string library(const std::string& name) const {
        return setup_.folder + "/" + name + ".so";
    }
    static std::string name_of(std::size_t finalist) {
        return "finalist_" + std::to_string(finalist);
    }

    Status build_runtime() {
        return build("runtime", [&](const std::string& object) {
            Halide::compile_standalone_runtime(object, setup_.target);
        });
    }

    Measurement compile(std::size_t i) {
        const double start = steady_seconds();
        const Status status = build(name_of(i), [&](const std::string& object) {
            const Halide::Pipeline copy = deep_copy(setup_.pipeline);
            if (const Status applied = apply(copy, setup_.dag, finalists_[i]); !applied) {
                throw std::runtime_error(applied.error());
            }
            std::vector<Halide::Argument> inputs = caller_arguments(copy);  // Halide adds the rest
            std::erase_if(inputs, [](const Halide::Argument& each) { return each.is_output(); });
            Halide::Pipeline(copy).compile_to_object(
                object, inputs, kFinalistFunction,
                setup_.target.with_feature(Halide::Target::NoRuntime));
        });
        if (!status) {
            return Measurement::failure(Outcome::CompileError, status.error());
        }
        Measurement result;
        result.outcome = Outcome::Timed;
        result.build_seconds = steady_seconds() - start;
        return result;
    }

    Measurement try_once(std::size_t i) {
        const Memories outputs =
            allocate(subject_->shape(), Direction::Outputs, BufferMemory::Kind::Shared);
        fill_garbage(outputs, kGarbage);
        const ChildAnswer ran = ask_child(
            [&]() -> json {
                const auto runtime = must(CompiledRuntime::load(library("runtime")));
                const auto pipeline =
                    must(CompiledPipeline::load(library(name_of(i)), kFinalistFunction));
                const CallPointers pointers(subject_->shape(), subject_->inputs(), outputs);
                runtime.set_threads(setup_.measure.threads);
                runtime.count_allocations();
                if (const Status status = pipeline.run(pointers.argv()); !status) {
                    throw std::runtime_error(status.error());
                }
                return CompiledRuntime::peak_bytes();
            },
            setup_.measure.run_seconds, setup_.measure.memory_bytes);
        if (!ran.failure.empty()) {
            return Measurement::failure(Outcome::RunError, ran.failure);
        }
        if (const std::string text = subject_->wrong(outputs, finalists_[i]); !text.empty()) {
            return Measurement::failure(Outcome::Wrong, text);
        }
        Measurement result = std::move(results_[i]);
        result.peak_bytes = ran.answer.get<std::int64_t>();
        result.verified_against = subject_->verified_against();
        return result;
    }

    [[nodiscard]] RunnerSetup runner_setup(std::size_t i) const {
        return {library("runtime"),     library(name_of(i)),         kFinalistFunction,
                setup_.measure.threads, setup_.measure.memory_bytes, setup_.measure.run_seconds};
    }

    // One that fails is left out, and the others are timed again.
    void time() {
        while (true) {
            try {
                time_once();
                return;
            } catch (const FinalistFailed& failed) {
                results_[failed.finalist] = Measurement::failure(Outcome::RunError, failed.message);
            }
        }
    }

    void time_once() {
        std::vector<std::size_t> healthy;
        std::vector<std::unique_ptr<Runner>> runners;
        for (std::size_t i = 0; i < results_.size(); i++) {
            if (results_[i].ok()) {
                healthy.push_back(i);
            }
        }
        if (healthy.empty()) {
            return;
        }
        const double all = setup_.seconds * kShareOfTurns;
        const std::vector<Timed> turns = race(healthy, all);
        std::size_t first = 0;
        for (std::size_t i = 1; i < healthy.size(); i++) {
            if (speed_relative_to(turns[first], turns[i]) > 1) {
                first = i;
            }
        }
        const Timed alone = race({healthy[first]}, setup_.seconds - all).front();
        for (std::size_t i = 0; i < healthy.size(); i++) {
            Measurement& result = results_[healthy[i]];
            const Timed& timed = i == first ? alone : turns[i];
            result.samples = timed.samples;
            result.runs_per_sample = timed.runs_per_sample;
            result.uncertainty = timed.uncertainty;
            result.seconds =
                i == first ? median_of(alone.samples)
                           : median_of(alone.samples) / speed_relative_to(turns[first], turns[i]);
        }
    }

    // Each in a new process.
    std::vector<Timed> race(const std::vector<std::size_t>& which, double seconds) {
        std::vector<std::unique_ptr<Runner>> runners;
        std::vector<Runnable> runnables;
        for (const std::size_t i : which) {
            auto runner = Runner::start(runner_setup(i), subject_->shape(), subject_->inputs());
            if (!runner) {
                throw FinalistFailed{i, runner.error()};
            }
            runners.push_back(std::move(runner).value());
            runnables.push_back({name_of(i), [i, &own = *runners.back()](int runs) {
                                     // What the others left in the caches is not its fault.
                                     (void)own.sample(1);
                                     const Result<double> time = own.sample(runs);
                                     if (!time) {
                                         throw FinalistFailed{i, time.error()};
                                     }
                                     return time.value();
                                 }});
        }
        TimingLimits limits;
        limits.seconds = seconds;
        return time_interleaved(runnables, limits).versions;
    }

    static constexpr double kShareOfTurns = 0.75;

    const FinalsSetup& setup_;
    const std::vector<Schedule>& finalists_;
    std::vector<Measurement> results_;
    std::optional<Subject> subject_;
};

}  // namespace

std::vector<Measurement> run_finals(const FinalsSetup& setup,
                                    const std::vector<Schedule>& finalists) {
    return Finals(setup, finalists).run();
}

}  // namespace nestor
