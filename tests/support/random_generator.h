// The generator behind random_pipeline: what it knows while it builds one. The frame (inputs,
// choice of stages, outputs) is in random_pipeline.cpp, the kinds of stages in random_stages.cpp.
#pragma once

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "pipelines.h"
#include "random_pipeline.h"
#include "random_values.h"

namespace nestor::testing {

/// Something that later stages may read at any coordinates.
struct Source {
    std::string name;
    Halide::Func func;
    int element = -1;       // of a tuple; -1 for plain functions
    std::vector<int> axes;  // which of the pipeline's dimensions it has, in its own order
    double low = 0;
    double high = 0;
    /// Where it is defined, if only there: readers clamp to it. By position in `axes`.
    std::vector<std::optional<DimBounds>> domain;
    int halvings = 0;  // down-samplings on the way to the inputs: each doubles what they must hold
};

/// A table with an axis of its own, 0 ... bins - 1, read at computed places.
struct Table {
    std::string name;
    Halide::Func func;
    int bins = 0;
    double low = 0;
    double high = 0;
};

class PipelineGenerator {
  public:
    PipelineGenerator(uint64_t seed, RandomSize size) : draw_(seed), size_(size) {}

    BuiltPipeline build();
    std::string description() const { return text_.str(); }

  private:
    using MakeStage = void (PipelineGenerator::*)();
    struct Choice {
        int weight;
        MakeStage make;
    };

    void choose_shape();
    void add_inputs();
    Halide::Func random_boundary(const Halide::ImageParam& image);
    void add_scalars();
    void add_random_stage();
    void add_outputs();

    // The kinds of stages.
    void add_pointwise();
    void add_stencil();
    void add_downsample();
    void add_upsample();
    void add_inline_reduction();
    void add_window_update();
    void add_predicated_update();
    void add_whole_dimension();
    void add_contraction();
    void add_scan();
    void add_histogram();
    void add_lookup();
    void add_gather();
    void add_select();
    void add_tuple();
    void add_argmax();
    void add_transposed();
    void add_boundary();
    void add_in_place();

    Source pick_source();
    std::vector<Halide::Expr> here() const;
    /// The value of a source at full coordinates (one for each dimension of the pipeline).
    Value read(const Source& source, std::vector<Halide::Expr> at);
    Halide::Func named_func(const std::string& kind);
    /// Registers a stage over all dimensions; `low` and `high` bound its values.
    Source& add(const Halide::Func& func, const std::string& kind, const std::string& reads,
                double low, double high, int halvings);
    void define(const std::string& kind, const std::string& reads, const Value& value,
                int halvings);
    int random_axis() { return draw_.below(dims_); }
    /// A window of one or two axes: the domain, and full coordinates displaced by it.
    struct Window {
        Halide::RDom domain;
        std::vector<Halide::Expr> at;
        int size;
    };
    Window random_window(int step);

    Draw draw_;
    RandomSize size_;
    PipelineBuilder builder_;
    std::ostringstream text_;
    int dims_ = 2;
    std::vector<Halide::Var> vars_;
    Box shape_;
    std::vector<Source> sources_;
    std::vector<Table> tables_;
    std::vector<Value> scalars_;
    int stages_ = 0;
};

}  // namespace nestor::testing
