#include "run.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <sstream>

#include "halide/apply.h"
#include "halide/baseline.h"
#include "halide/unread.h"
#include "isolate.h"

namespace nestor::testing {

namespace {

using Buffers = std::vector<std::unique_ptr<PaddedBuffer>>;

// Seeds of the fillings: values are shared by reference and scheduled runs, garbage must not be.
constexpr uint64_t kInputValues = 0x1000;
constexpr uint64_t kOutputValues = 0x2000;
constexpr uint64_t kReferenceGarbage = 0x3000;
constexpr uint64_t kScheduledGarbage = 0x4000;

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

halide_scalar_value_t scalar_bits(Halide::Type type, double value) {
    halide_scalar_value_t bits;
    bits.u.u64 = 0;
    if (type.is_float()) {
        if (type.bits() == 32) {
            bits.u.f32 = static_cast<float>(value);
        } else {
            bits.u.f64 = value;
        }
    } else if (type.bits() == 1) {
        bits.u.b = value != 0;
    } else {
        bits.u.i64 = static_cast<int64_t>(value);
    }
    return bits;
}

void set_scalars(const BuiltPipeline& built, size_t variant) {
    for (const ScalarInput& scalar : built.scalars) {
        Halide::Parameter parameter = scalar.parameter;
        const double value = scalar.values[variant % scalar.values.size()];
        parameter.set_scalar(parameter.type(), scalar_bits(parameter.type(), value));
    }
}

/// Values that a pipeline may find in outputs that it updates without initialising them.
ValueRange output_range(Halide::Type type) {
    return default_range(type);
}

Buffers allocate_outputs(const BuiltPipeline& built, const RunCase& run) {
    Buffers outputs;
    for (size_t i = 0; i < built.outputs.size(); i++) {
        for (Halide::Type type : built.outputs[i].func.types()) {
            outputs.push_back(
                std::make_unique<PaddedBuffer>(type, run.outputs[i], built.outputs[i].layout));
        }
    }
    return outputs;
}

/// Garbage everywhere, and, where the pipeline reads them, the same old contents in every run.
void prepare_outputs(const BuiltPipeline& built, Buffers& outputs, uint64_t garbage,
                     uint64_t seed) {
    for (size_t i = 0; i < outputs.size(); i++) {
        outputs[i]->fill_garbage(mix(garbage + i));
        if (built.expect.keeps_output) {
            outputs[i]->fill_values(mix(seed + kOutputValues + i),
                                    output_range(outputs[i]->type()));
        }
        outputs[i]->arm();
    }
}

std::vector<Halide::Buffer<>> views(Buffers& buffers) {
    std::vector<Halide::Buffer<>> result;
    result.reserve(buffers.size());
    for (auto& buffer : buffers) {
        result.push_back(buffer->view());
    }
    return result;
}

void realize(BuiltPipeline& built, Buffers& outputs, Halide::JITUserContext& context) {
    Halide::Realization realization(views(outputs));
    built.pipeline.realize(&context, realization);
}

Box box_of(const Halide::Buffer<>& buffer) {
    Box box;
    for (int d = 0; d < buffer.dimensions(); d++) {
        box.push_back({buffer.dim(d).min(), buffer.dim(d).extent()});
    }
    return box;
}

/// Asks until the answer stays the same, as Pipeline::infer_input_bounds does. That one allocates
/// what it finds, and crashes where an input is not needed: its extent may be negative.
void query(BuiltPipeline& built, const std::vector<Halide::Buffer<>>& outputs) {
    constexpr int kMostRounds = 16;
    const auto boxes = [&] {
        std::vector<Box> all;
        for (PipelineInput& input : built.inputs) {
            all.push_back(box_of(input.image.get()));
        }
        return all;
    };
    for (PipelineInput& input : built.inputs) {
        if (input.size != InputSize::Estimate) {
            const std::vector<int> empty(static_cast<size_t>(input.image.dimensions()), 0);
            input.image.set(Halide::Buffer<>(input.image.type(), nullptr, empty));
        }
    }
    for (int round = 0; round < kMostRounds; round++) {
        const std::vector<Box> before = boxes();
        Halide::Realization realization(outputs);
        built.pipeline.realize(realization);
        if (boxes() == before) {
            break;
        }
    }
}

/// The region of each input that the pipeline needs to fill the outputs.
std::vector<Box> input_boxes(BuiltPipeline& built, Buffers& outputs) {
    Buffers estimates;
    for (PipelineInput& input : built.inputs) {
        input.image.reset();
        if (input.size == InputSize::Estimate) {
            estimates.push_back(
                std::make_unique<PaddedBuffer>(input.image.type(), input.estimate, input.layout));
            input.image.set(estimates.back()->view());
        }
    }
    // Outputs without memory, too: where no input is left to ask about, Halide would run the
    // pipeline instead of answering, and inlined scans can take minutes.
    std::vector<Halide::Buffer<>> shapes;
    shapes.reserve(outputs.size());
    for (const auto& output : outputs) {
        shapes.push_back(output->shape());
    }
    query(built, shapes);
    std::vector<Box> boxes;
    for (PipelineInput& input : built.inputs) {
        Box box = box_of(input.image.get());
        for (DimBounds& dim : box) {
            dim.extent = std::max(dim.extent, 1);  // of an input that is not needed at this size
        }
        boxes.push_back(std::move(box));
        input.image.reset();
    }
    return boxes;
}

Box hull(const Box& a, const Box& b) {
    Box result = a;
    for (size_t d = 0; d < a.size(); d++) {
        const int end = std::max(a[d].min + a[d].extent, b[d].min + b[d].extent);
        result[d].min = std::min(a[d].min, b[d].min);
        result[d].extent = end - result[d].min;
    }
    return result;
}

Buffers make_inputs(const BuiltPipeline& built, const std::vector<Box>& boxes, uint64_t seed) {
    Buffers inputs;
    for (size_t i = 0; i < built.inputs.size(); i++) {
        const PipelineInput& input = built.inputs[i];
        auto buffer = std::make_unique<PaddedBuffer>(input.image.type(), boxes[i], input.layout);
        buffer->fill_garbage(mix(seed + kReferenceGarbage + i));
        buffer->fill_values(mix(seed + kInputValues + i), input.range);
        inputs.push_back(std::move(buffer));
    }
    return inputs;
}

void bind_inputs(BuiltPipeline& built, Buffers& inputs) {
    for (size_t i = 0; i < inputs.size(); i++) {
        inputs[i]->arm();
        built.inputs[i].image.set(inputs[i]->view());
    }
}

/// What the run did to memory that it may not change; empty if nothing.
std::string memory_damage(const BuiltPipeline& built, const Buffers& inputs,
                          const Buffers& outputs) {
    for (size_t i = 0; i < inputs.size(); i++) {
        if (const std::string change = inputs[i]->changed_anything(); !change.empty()) {
            return "input " + built.inputs[i].image.name() + ": " + change;
        }
    }
    for (size_t i = 0; i < outputs.size(); i++) {
        if (const std::string change = outputs[i]->changed_guard(); !change.empty()) {
            return "output buffer " + std::to_string(i) + ": " + change;
        }
    }
    return "";
}

}  // namespace

std::string error_of(const std::function<void()>& work) {
    try {
        work();
        return "";
    } catch (const Halide::Error& error) {
        return error.what();
    } catch (const std::exception& error) {
        return error.what();
    }
}

ApplySchedule reference_schedule(const TestPipeline& test) {
    if (test.build().expect.reference == ReferenceSchedule::AllRoot) {
        return compute_root_all;
    }
    return [](Halide::Pipeline&) {};
}

// ---------------------------------------------------------------------------------------------
// Reference

Reference::Reference(TestPipeline test, uint64_t seed) : test_(std::move(test)), seed_(seed) {
    if (const std::string error = error_of([&] { run_all(); }); !error.empty()) {
        error_ = test_.name + ", unscheduled: " + error;
    }
}

namespace {

/// Takes all that is computed out of a lowered pipeline. What it requires of its buffers stays, and
/// LLVM, which is most of what a JIT compilation takes, has nothing else to look at.
class OnlyBounds : public Halide::Internal::IRMutator {
  protected:
    using IRMutator::visit;

    Halide::Internal::Stmt visit(const Halide::Internal::For* /*loop*/) override {
        return Halide::Internal::Evaluate::make(0);
    }
    Halide::Internal::Stmt visit(const Halide::Internal::Store* /*store*/) override {
        return Halide::Internal::Evaluate::make(0);
    }
};

}  // namespace

/// Halide's intervals are wider for some inlined expressions than for the same stages at root, and
/// what the inlined pipeline requires its users' buffers have. So where the reference is at root
/// but the verifier's baseline is inlined, inputs are as large as either requires.
std::unique_ptr<BuiltPipeline> Reference::build_inlined() const {
    auto built = std::make_unique<BuiltPipeline>(test_.build());
    const bool exact_inputs =
        std::any_of(built->inputs.begin(), built->inputs.end(),
                    [](const PipelineInput& input) { return input.size == InputSize::Required; });
    if (built->expect.reference == ReferenceSchedule::AsWritten || !exact_inputs ||
        inlined_calls(deep_copy(built->pipeline)) > kMostInlinedCalls ||
        !unread_function(built->pipeline).empty()) {  // Halide would crash
        return nullptr;
    }
    // Nothing but its bounds is asked for. The pipeline deletes the pass.
    built->pipeline.add_custom_lowering_pass(new OnlyBounds);
    // Some cannot be inlined: what an extern stage reads must be computed.
    const std::string refusal = error_of([&] { built->pipeline.compile_jit(target_of(*built)); });
    return refusal.empty() ? std::move(built) : nullptr;
}

std::string Reference::run_case(BuiltPipeline& built, BuiltPipeline* inlined, RunCase run) {
    set_scalars(built, run.scalar_variant);
    Buffers outputs = allocate_outputs(built, run);
    std::vector<Box> boxes = input_boxes(built, outputs);
    if (inlined != nullptr) {
        set_scalars(*inlined, run.scalar_variant);
        std::vector<Box> wider;
        error_of([&] { wider = input_boxes(*inlined, outputs); });
        for (size_t i = 0; i < wider.size(); i++) {
            boxes[i] = hull(boxes[i], wider[i]);
        }
    }
    Buffers inputs = make_inputs(built, boxes, seed_);
    bind_inputs(built, inputs);
    prepare_outputs(built, outputs, seed_ + kReferenceGarbage, seed_);
    HarnessContext context(ParallelOrder::Forwards, built.expect.custom_allocator, seed_);
    realize(built, outputs, context);
    std::string damage = memory_damage(built, inputs, outputs);
    cases_.push_back({std::move(run), std::move(inputs), std::move(outputs)});
    return damage;
}

void Reference::run_all() {
    BuiltPipeline built = test_.build();
    reference_schedule(test_)(built.pipeline);
    if (built.expect.reference != ReferenceSchedule::AsWritten) {
        never_partition(built.pipeline);  // Halide gets some wrong
    }
    built.pipeline.compile_jit(target_of(built));
    const std::unique_ptr<BuiltPipeline> inlined = build_inlined();
    for (RunCase& run : run_cases(built)) {
        const std::string label = run.label;
        std::string damage;
        const std::string refusal =
            error_of([&] { damage = run_case(built, inlined.get(), std::move(run)); });
        if (!refusal.empty()) {
            refused_.push_back(label + ": " + refusal);
        }
        if (!damage.empty()) {
            error_ = test_.name + ", unscheduled, " + label + ": " + damage;
            return;
        }
    }
    const bool has_estimate = !cases_.empty() && cases_[0].run.label == "estimate";
    if (!has_estimate || static_cast<int>(cases_.size()) < built.expect.min_legal_sizes) {
        error_ = test_.name + ": the unscheduled pipeline accepts too few sizes:";
        for (const std::string& reason : refused_) {
            error_ += "\n  " + reason;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Checking a schedule

namespace {

struct Mode {
    std::string name;
    ParallelOrder order;
    bool fill_allocations;
};

/// Runs one case in one mode; the answer is what went wrong, or empty.
std::string run_case(BuiltPipeline& built, const Reference& reference, const Reference::Case& want,
                     const Mode& mode) {
    set_scalars(built, want.run.scalar_variant);
    const uint64_t garbage = mix(reference.seed() + kScheduledGarbage + mode.fill_allocations);
    Buffers inputs;
    for (size_t i = 0; i < built.inputs.size(); i++) {
        const PaddedBuffer& from = *want.inputs[i];
        inputs.push_back(
            std::make_unique<PaddedBuffer>(from.type(), from.box(), built.inputs[i].layout));
        inputs.back()->fill_garbage(mix(garbage + i));  // other guards than the reference's
        inputs.back()->copy_image(from);
    }
    bind_inputs(built, inputs);
    Buffers outputs = allocate_outputs(built, want.run);
    prepare_outputs(built, outputs, garbage, reference.seed());
    HarnessContext context(mode.order, mode.fill_allocations, garbage);
    if (const std::string error = error_of([&] { realize(built, outputs, context); });
        !error.empty()) {
        return "run-time error: " + error;
    }
    if (const std::string damage = memory_damage(built, inputs, outputs); !damage.empty()) {
        return damage;
    }
    if (context.overruns() > 0) {
        return std::to_string(context.overruns()) + " heap allocations overrun";
    }
    if (context.leaks() > 0) {
        return std::to_string(context.leaks()) + " heap allocations leaked";
    }
    for (size_t i = 0; i < outputs.size(); i++) {
        const Tolerance tolerance = tolerance_for(outputs[i]->type(), built.expect);
        const std::string difference = outputs[i]->difference(*want.outputs[i], tolerance);
        if (!difference.empty()) {
            return "output buffer " + std::to_string(i) + " " + to_string(outputs[i]->box()) +
                   ": " + difference;
        }
    }
    return "";
}

std::vector<Mode> modes_of(const BuiltPipeline& built, const CheckOptions& options) {
    std::vector<Mode> modes;
    if (options.threads) {
        modes.push_back({"threads", ParallelOrder::Threads, false});
    }
    if (options.backwards) {
        modes.push_back({"backwards", ParallelOrder::Backwards, built.expect.custom_allocator});
    }
    return modes;
}

void run_cases_of(BuiltPipeline& built, const Reference& reference, const CheckOptions& options,
                  CheckReport& report) {
    const std::vector<std::string>& only = options.only_cases;
    for (const Reference::Case& want : reference.cases()) {
        if (!only.empty() && std::find(only.begin(), only.end(), want.run.label) == only.end()) {
            continue;
        }
        for (const Mode& mode : modes_of(built, options)) {
            const std::string wrong = run_case(built, reference, want, mode);
            if (!wrong.empty()) {
                report.failure = reference.test().name + ", size '" + want.run.label + "', " +
                                 mode.name + ": " + wrong;
                return;
            }
        }
        report.cases++;
    }
}

}  // namespace

CheckReport check_schedule(const Reference& reference, const ApplySchedule& apply,
                           const CheckOptions& options) {
    CheckReport report;
    const std::string& name = reference.test().name;
    if (!reference.error().empty()) {
        report.failure = "no reference: " + reference.error();
        return report;
    }
    std::string step = "building";
    const std::string error = error_of([&] {
        const auto start = std::chrono::steady_clock::now();
        BuiltPipeline built = reference.test().build();
        step = "scheduling";
        apply(built.pipeline);
        step = "compiling";
        built.pipeline.invalidate_cache();
        built.pipeline.compile_jit(target_of(built));
        report.compile_seconds = seconds_since(start);
        step = "running";
        const auto run_start = std::chrono::steady_clock::now();
        run_cases_of(built, reference, options, report);
        report.run_seconds = seconds_since(run_start);
    });
    if (!error.empty()) {
        report.failure = name + ", " + step + ": " + error;
    }
    return report;
}

CheckReport check_isolated(const TestPipeline& test, uint64_t seed, const ApplySchedule& apply,
                           const CheckOptions& options, double limit_seconds) {
    warm_up_jit();
    const IsolatedResult result = run_isolated(
        [&] {
            const CheckReport report = check_schedule(Reference(test, seed), apply, options);
            std::ostringstream text;
            text << report.cases << ' ' << report.compile_seconds << ' ' << report.run_seconds
                 << '\n'
                 << report.failure;
            return text.str();
        },
        limit_seconds);
    CheckReport report;
    if (!result.error.empty()) {
        report.failure = test.name + ": " + result.error;
        return report;
    }
    std::istringstream text(result.text);
    text >> report.cases >> report.compile_seconds >> report.run_seconds;
    text.ignore();
    std::getline(text, report.failure, '\0');
    return report;
}

std::string check_lowers(const TestPipeline& test, const ApplySchedule& apply) {
    const std::string error = error_of([&] {
        BuiltPipeline built = test.build();
        apply(built.pipeline);
        built.pipeline.compile_to_module(built.pipeline.infer_arguments(), "lowered",
                                         target_of(built));
    });
    return error.empty() ? "" : test.name + ", lowering: " + error;
}

}  // namespace nestor::testing
