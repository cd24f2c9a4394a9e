#include "measure/subject.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "halide/apply.h"
#include "halide/baseline.h"
#include "halide/errors.h"
#include "halide/jit_program.h"
#include "halide/parse_target.h"
#include "halide/parts.h"
#include "halide/pipeline_file.h"
#include "halide/read_pipeline.h"
#include "halide/verify.h"
#include "measure/candidate_timing.h"
#include "measure/compare.h"
#include "measure/runtime_hooks.h"
#include "schedule/legality.h"
#include "schedule/print.h"

namespace nestor {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Status load_library(const std::string& path) {
    if (dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
        return Error{std::string("cannot load a library: ") + dlerror()};
    }
    return Ok{};
}

/** Functions that are called by name and are not Halide's own. */
class ExternCalls : public Halide::Internal::IRGraphVisitor {
  public:
    std::set<std::string> names;

  protected:
    using Halide::Internal::IRGraphVisitor::visit;
    void visit(const Halide::Internal::Call* call) override {
        using Halide::Internal::Call;
        if (call->call_type == Call::Extern || call->call_type == Call::PureExtern ||
            call->call_type == Call::ExternCPlusPlus) {
            names.insert(call->name);
        }
        Halide::Internal::IRGraphVisitor::visit(call);
    }
};

/** sin_f32 and the like are in Halide's run-time or replaced by the compiler. */
bool is_halides_own(const std::string& name) {
    return name.starts_with("halide_") || name.ends_with("_f16") || name.ends_with("_f32") ||
           name.ends_with("_f64");
}

std::vector<std::string> missing_externs(const Halide::Pipeline& pipeline) {
    ExternCalls calls;
    for (const auto& [name, function] : read_parts(pipeline).functions) {
        function.accept(&calls);
        if (function.has_extern_definition()) {
            calls.names.insert(function.extern_function_name());
        }
    }
    std::vector<std::string> missing;
    for (const std::string& name : calls.names) {
        if (!is_halides_own(name) && dlsym(RTLD_DEFAULT, name.c_str()) == nullptr) {
            missing.push_back(name);
        }
    }
    return missing;
}

Outcome or_out_of_memory(Outcome outcome, const std::string& message) {
    return means_memory(message) ? Outcome::OutOfMemory : outcome;
}

}  // namespace

const char* Subject::reference_text(Reference reference) {
    return reference == Reference::Unscheduled ? "the unscheduled pipeline"
                                               : "the pipeline with every function at root";
}

std::array<Subject::Reference, 2> Subject::references() const {
    const bool repeats = std::ranges::any_of(dag_.functions, [](const Function& f) {
        return f.stages.size() > 1 && !f.is_output && !f.pinned;
    });
    return repeats ? std::array{Reference::AtRoot, Reference::Unscheduled}
                   : std::array{Reference::Unscheduled, Reference::AtRoot};
}

Result<Subject> Subject::create(const MeasureOptions& options) {
    Subject subject(options);
    for (const std::string& path : options.load) {
        if (Status status = load_library(path); !status) {
            return Error{status.error()};
        }
    }
    const Result<Halide::Target> target = parse_target(options.target);
    if (!target) {
        return Error{target.error()};
    }
    subject.target_ = target.value();
    Result<LoadedPipeline> loaded = load_pipeline(options.pipeline);
    if (!loaded) {
        return Error{loaded.error()};
    }
    subject.pipeline_ = loaded.value().pipeline;
    Result<PipelineDag> dag = read_pipeline(subject.pipeline_, subject.target_);
    if (!dag) {
        return Error{dag.error()};
    }
    subject.dag_ = std::move(dag).value();
    Result<CallShape> shape = call_shape(subject.pipeline_, subject.target_, options.scalars);
    if (!shape) {
        return Error{shape.error()};
    }
    subject.shape_ = std::move(shape).value();
    subject.inputs_ = allocate(subject.shape_, Direction::Inputs, BufferMemory::Kind::Private);
    if (options.runner.used()) {  // the others are made where they are needed
        std::erase_if(subject.inputs_,
                      [&](const auto& input) { return !options.inputs.contains(input.first); });
    } else {
        subject.expected_ =
            allocate(subject.shape_, Direction::Outputs, BufferMemory::Kind::Shared);
        if (type_facts(subject.pipeline_).rounds) {
            subject.again_ =
                allocate(subject.shape_, Direction::Outputs, BufferMemory::Kind::Shared);
        }
    }
    if (Status status = fill_inputs(subject.shape_, subject.inputs_, options.seed, options.inputs);
        !status) {
        return Error{status.error()};
    }
    subject.missing_ = nestor::missing_externs(subject.pipeline_);
    return subject;
}

Halide::Pipeline Subject::reference_pipeline(Reference reference) const {
    const Halide::Pipeline copy = deep_copy(pipeline_);
    if (reference == Reference::AtRoot) {
        compute_inlined_at_root(copy, Expand::AllFunctions);
    } else if (inlined_calls(copy) > kMostInlinedCalls) {
        compute_inlined_at_root(copy, Expand::SharedFunctions);
    }
    never_partition(copy);
    return copy;
}

Status Subject::find_reference(const RunApart& run_apart) {
    std::string reasons;
    for (const Reference reference : references()) {
        const std::string failure = run_apart([&] { return compute_reference(reference); });
        if (failure.empty()) {
            verified_against_ = reference_text(reference);
            if (!again_.empty() && run_apart([&] { return compute_again(); }).empty()) {
                learn_exceptions();
            }
            return Ok{};
        }
        reasons += std::string("\n  ") + reference_text(reference) + ": " + failure;
    }
    return Error{"there is no result to compare with:" + reasons};
}

Status Subject::compute_reference(Reference reference) const {
    const Result<JitProgram> program = JitProgram::compile(reference_pipeline(reference), target_);
    if (!program) {
        return Error{program.error()};
    }
    fill_garbage(expected_, kGarbageSeed);
    return program.value().run(CallPointers(shape_, inputs_, expected_).argv());
}

// Products and sums are not contracted, and the functions of the C library are those for vectors.
Status Subject::compute_again() const {
    const Halide::Pipeline copy = reference_pipeline(Reference::AtRoot);
    vectorize_at_root(copy, target_);
    const Result<JitProgram> program =
        JitProgram::compile(copy, target_.with_feature(Halide::Target::StrictFloat));
    if (!program) {
        return Error{program.error()};
    }
    fill_garbage(again_, kGarbageSeed);
    return program.value().run(CallPointers(shape_, inputs_, again_).argv());
}

void Subject::learn_exceptions() {
    const RoundingFacts facts = rounding(empty_schedule(dag_));
    for (const CallArgument& argument : shape_) {
        if (argument.is_buffer && argument.buffer.is_output) {
            const BufferShape& shape = argument.buffer;
            const std::int64_t differ =
                count_differences(shape, expected_.at(shape.name), again_.at(shape.name),
                                  tolerance(shape.type, facts));
            exceptions_[shape.name] = exceptions(differ, shape.elements());
        }
    }
}

Result<Halide::Pipeline> Subject::scheduled(const Candidate& candidate, Schedule& schedule) const {
    schedule = empty_schedule(dag_);
    if (candidate.schedule != "none") {
        Result<Schedule> parsed = parse_json(dag_, candidate.schedule);
        if (!parsed) {
            return Error{parsed.error()};
        }
        schedule = std::move(parsed).value();
    }
    const std::vector<Violation> violations = check_legality(dag_, schedule, {});
    if (!violations.empty()) {
        return Error{violations.front().where + ": " + violations.front().what};
    }
    const Halide::Pipeline copy = deep_copy(pipeline_);
    if (Status status = apply_for_estimates(copy, dag_, schedule); !status) {
        return Error{status.error()};
    }
    return copy;
}

Measurement Subject::lowered_only(const Candidate& candidate) const {
    Schedule schedule;
    const Result<Halide::Pipeline> copy = scheduled(candidate, schedule);
    if (!copy) {
        return Measurement::failure(Outcome::Refused, copy.error());
    }
    const Result<Verifier> verifier = Verifier::create(pipeline_, target_);
    if (!verifier) {
        return Measurement::failure(Outcome::CompileError, verifier.error());
    }
    if (const Status status = verifier.value().verify(copy.value()); !status) {
        return Measurement::failure(Outcome::Refused, status.error());
    }
    std::string names;
    for (const std::string& name : missing_) {
        names += (names.empty() ? "" : ", ") + name;
    }
    return Measurement::failure(Outcome::NotRun,
                                "no library defines " + names +
                                    ": lowered and its checks evaluated only. Name the library "
                                    "with --load.");
}

std::string Subject::wrong(const Memories& outputs, const Schedule& schedule) const {
    const RoundingFacts facts = rounding(schedule);
    for (const CallArgument& argument : shape_) {
        if (argument.is_buffer && argument.buffer.is_output) {
            const std::string& name = argument.buffer.name;
            Tolerance allowed = tolerance(argument.buffer.type, facts);
            const auto exceptions = exceptions_.find(name);
            allowed.exceptions = exceptions == exceptions_.end() ? 0 : exceptions->second;
            const std::string text =
                difference(argument.buffer, expected_.at(name), outputs.at(name), allowed);
            if (!text.empty()) {
                return text;
            }
        }
    }
    return "";
}

Status Subject::load_libraries(const Candidate& candidate) {
    for (const std::string& path : candidate.load) {
        if (Status status = load_library(path); !status) {
            return status;
        }
    }
    return Ok{};
}

Result<JitProgram> Subject::compile(const Candidate& candidate, Schedule& schedule,
                                    Outcome& failure) const {
    const Result<Halide::Pipeline> copy = scheduled(candidate, schedule);
    if (!copy) {
        failure = Outcome::Refused;
        return Error{copy.error()};
    }
    Result<JitProgram> program = JitProgram::compile(copy.value(), target_);
    if (!program) {
        failure = or_out_of_memory(Outcome::CompileError, program.error());
    }
    return program;
}

Measurement Subject::measure(const Candidate& candidate, const MeasureProgress& progress) const {
    const auto start = std::chrono::steady_clock::now();
    // 1. Build.
    if (const Status status = load_libraries(candidate); !status) {
        return Measurement::failure(Outcome::CompileError, status.error());
    }
    if (!missing_.empty()) {
        return lowered_only(candidate);
    }
    Schedule schedule;
    Outcome failure = Outcome::Lost;
    const Result<JitProgram> program = compile(candidate, schedule, failure);
    if (!program) {
        return Measurement::failure(failure, program.error());
    }
    Measurement result;
    result.build_seconds = seconds_since(start);
    progress.built();

    // 2. Run once, and compare.
    const Memories outputs = allocate(shape_, Direction::Outputs, BufferMemory::Kind::Private);
    const CallPointers pointers(shape_, inputs_, outputs);
    fill_garbage(outputs, kGarbageSeed);
    JitProgram::set_threads(options_.threads);
    JitProgram::set_allocator(counted_malloc, counted_free);
    if (const Status status = program.value().run(pointers.argv()); !status) {
        return Measurement::failure(or_out_of_memory(Outcome::RunError, status.error()),
                                    status.error());
    }
    result.peak_bytes = static_cast<std::int64_t>(counted_peak());
    JitProgram::set_allocator(nullptr, nullptr);
    if (const std::string text = wrong(outputs, schedule); !text.empty()) {
        return Measurement::failure(Outcome::Wrong, text);
    }

    // 3. Time it, alone; a race may show only now.
    progress.wait_for_turn();
    TimingLimits limits;
    limits.seconds = options_.timing_seconds;
    limits.precision = options_.precision;
    const auto run = [&] { (void)program.value().run(pointers.argv()); };
    if (candidate.give_up_seconds > 0) {
        limits.slow_run = candidate.give_up_seconds;
    }
    const AnchorSamples& anchor = progress.anchor;
    const CandidateTiming timing =
        anchor.take ? time_beside_anchor(run, limits, options_.flush_caches, anchor)
                    : time_candidate(run, limits, options_.flush_caches);
    if (const std::string text = wrong(outputs, schedule); !text.empty()) {
        return Measurement::failure(Outcome::Wrong, "not at once, but in a later run: " + text);
    }
    const Timed& timed = timing.timed;
    result.outcome = Outcome::Timed;
    result.samples = timed.samples;
    result.runs_per_sample = timed.runs_per_sample;
    result.seconds = timing.seconds;
    result.uncertainty = timed.uncertainty;
    result.drift = anchor.take ? timing.anchor / anchor.seconds : timing.reference_kernel;
    result.anchor_seconds = timing.anchor;
    result.verified_against = verified_against_;
    return result;
}

Error Subject::be_anchor(const Candidate& candidate, const AnchorLink& link) const {
    if (const Status status = load_libraries(candidate); !status) {
        return Error{status.error()};
    }
    Schedule schedule;
    Outcome failure = Outcome::Lost;
    const Result<JitProgram> program = compile(candidate, schedule, failure);
    if (!program) {
        return Error{program.error()};
    }
    link.built();
    const Memories outputs = allocate(shape_, Direction::Outputs, BufferMemory::Kind::Private);
    const CallPointers pointers(shape_, inputs_, outputs);
    JitProgram::set_threads(options_.threads);
    if (const Status status = program.value().run(pointers.argv()); !status) {
        return Error{status.error()};
    }
    while (true) {
        const int runs = link.wait();
        link.tell(sample_run([&] { (void)program.value().run(pointers.argv()); }, runs,
                             options_.flush_caches, true));
    }
}

}  // namespace nestor
