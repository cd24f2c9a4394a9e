// What the tests know about a pipeline under test: how to build it anew, which inputs it takes, at
// which sizes it may run, and how closely two schedules of it must agree.
//
// A pipeline is described, not kept: Halide schedules in place, so every schedule that is tried
// needs a fresh copy, and TestPipeline::build makes one.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "Halide.h"

namespace nestor::testing {

/// One dimension of a region, in elements. `fixed` dimensions (channels, a kernel's window) keep
/// their size when the harness varies the sizes of the outputs.
struct DimBounds {
    int min = 0;
    int extent = 1;
    bool fixed = false;

    friend bool operator==(const DimBounds&, const DimBounds&) = default;
};
using Box = std::vector<DimBounds>;

inline DimBounds fixed(int min, int extent) {
    return {min, extent, true};
}

/// How a buffer of the harness lies in memory.
struct Layout {
    std::vector<int> storage_order;  ///< dimensions, innermost first; empty means 0, 1, 2, ...
    int packed_dims = 1;             ///< innermost dimensions that admit no padding between them
    int element_stride = 1;          ///< stride of the innermost dimension, in elements
};

enum class InputSize {
    Required,  ///< exactly what the unscheduled pipeline reads at that output size
    Estimate,  ///< its estimate at every output size: needed where the pipeline asks for the
               ///< input's own extents (boundary conditions, in.width()), because a bounds query
               ///< would clamp to the very extents that it is asked to find
};

/// Inclusive range of the random values of an input; floats are multiples of 1/64 within it, so
/// that moderate sums and products of them are exact in whatever order they are added.
struct ValueRange {
    double low = 0;
    double high = 0;
};
ValueRange default_range(Halide::Type type);

struct PipelineInput {
    Halide::ImageParam image;
    Box estimate;
    InputSize size = InputSize::Required;
    Layout layout;
    ValueRange range;
};

/// A scalar parameter. The first value is the estimate, used at every size; the others are tried
/// at the estimated size (booleans are 0 and 1).
struct ScalarInput {
    Halide::Parameter parameter;
    std::vector<double> values;
};

struct PipelineOutput {
    Halide::Func func;
    Box estimate;
    Layout layout;
};

enum class ReferenceSchedule {
    AsWritten,  ///< Halide's default: everything that can be is inlined
    AllRoot,    ///< compute_root for each function that the pipeline left unscheduled: for long
                ///< chains of stencils, whose inlined form grows exponentially
};

/// How a pipeline may be treated and how exactly its results repeat.
struct Expectations {
    ReferenceSchedule reference = ReferenceSchedule::AsWritten;
    /// Floats must agree to the bit (strict_float, or nothing that could be reassociated).
    bool exact_floats = false;
    /// Replaces the relative tolerance of the type when positive.
    double relative_tolerance = 0;
    /// Differences up to this are forgiven: where sums cancel, rounding is relative to their terms.
    double absolute_tolerance = 0;
    /// The outputs' previous contents are part of the input (undef initial values).
    bool keeps_output = false;
    /// False: schedule and lower only (another machine's code).
    bool run = true;
    /// Features to add to the host target before lowering.
    std::vector<Halide::Target::Feature> features;
    /// False for a cache that outlives the run (memoize) and would free through a stale context.
    bool custom_allocator = true;
    /// False: with every stage at root it does not lower, or requires more of its inputs.
    bool root_is_legal = true;
    /// False: Halide cannot read the pipeline back that it serialised.
    bool deserializes = true;
    /// How many of the sizes the unscheduled pipeline must accept (1: the estimate only).
    int min_legal_sizes = 4;
};

struct BuiltPipeline {
    Halide::Pipeline pipeline;
    std::vector<PipelineInput> inputs;
    std::vector<ScalarInput> scalars;
    std::vector<PipelineOutput> outputs;
    std::map<std::string, Halide::JITExtern> externs;  ///< already set on `pipeline`
    Expectations expect;
};

struct TestPipeline {
    std::string name;
    std::string kind;
    std::function<BuiltPipeline()> build;  ///< a new, independent copy at each call
    /// More to print when it fails; may be empty. The initialiser keeps g++ from warning of rows
    /// without it.
    std::string description{};  // NOLINT(readability-redundant-member-init)
};

/// The host's JIT target with the features that a pipeline asks for.
Halide::Target target_of(const BuiltPipeline& built);

/// Collects the parts of a BuiltPipeline and sets the estimates on the way.
class PipelineBuilder {
  public:
    struct InputOptions {
        InputSize size = InputSize::Required;
        Layout layout{};
        ValueRange range{};  ///< both zero: default_range of the type
    };

    Halide::ImageParam image(Halide::Type type, const std::string& name, const Box& estimate);
    Halide::ImageParam image(Halide::Type type, const std::string& name, const Box& estimate,
                             const InputOptions& options);

    /// The first value is the estimate, and what the parameter is set to.
    template <typename T>
    Halide::Param<T> scalar(const std::string& name, std::initializer_list<T> values) {
        Halide::Param<T> param(name);
        param.set_estimate(*values.begin());
        param.set(*values.begin());
        add_scalar(param.parameter(), {values.begin(), values.end()});
        return param;
    }

    void output(const Halide::Func& func, const Box& estimate, const Layout& layout = {});
    Expectations& expect() { return built_.expect; }
    void jit_extern(const std::string& name, const Halide::JITExtern& function);

    BuiltPipeline finish();

  private:
    void add_scalar(const Halide::Parameter& parameter, std::vector<double> values);

    BuiltPipeline built_;
};

/// For inputs of which the pipeline asks the extents (boundary conditions).
inline const PipelineBuilder::InputOptions kOwnExtents{InputSize::Estimate, {}, {}};

// One table for each theme, in the file of that name.
std::vector<TestPipeline> boundary_pipelines();
std::vector<TestPipeline> reduction_pipelines();
std::vector<TestPipeline> output_sum_pipelines();
std::vector<TestPipeline> product_pipelines();
std::vector<TestPipeline> update_pipelines();
std::vector<TestPipeline> output_pipelines();
std::vector<TestPipeline> gather_pipelines();
std::vector<TestPipeline> choice_pipelines();
std::vector<TestPipeline> repeat_pipelines();
std::vector<TestPipeline> type_pipelines();
std::vector<TestPipeline> size_pipelines();
std::vector<TestPipeline> pyramid_pipelines();
std::vector<TestPipeline> scheduled_pipelines();
std::vector<TestPipeline> derivative_pipelines();
std::vector<TestPipeline> extern_pipelines();
std::vector<TestPipeline> ordered_pipelines();
std::vector<TestPipeline> transposed_pipelines();
std::vector<TestPipeline> resampled_pipelines();
std::vector<TestPipeline> channel_pipelines();
std::vector<TestPipeline> large_pipelines();
std::vector<TestPipeline> layout_pipelines();
std::vector<TestPipeline> block_pipelines();

/// All of the above, in that order. Names are unique.
std::vector<TestPipeline> all_awkward_pipelines();

}  // namespace nestor::testing
