#include "halide/layouts.h"

#include <algorithm>

namespace nestor {

namespace {

// Whether these are the channels of a picture's pixels; a matrix of 4 x 4 is none.
bool is_pixel(const std::vector<Range>& region, int channels, int row) {
    constexpr std::int64_t kMostChannels = 4;
    constexpr std::int64_t kLeastPixels = 64;
    return region[channels].extent > 1 && region[channels].extent <= kMostChannels &&
           region[row].extent >= kLeastPixels;
}

// Itself, or what only wraps it.
bool reads(const PipelineDag& dag, const Load& load, int input) {
    if (load.source == Source::Input) {
        return load.index == input;
    }
    const Function& f = dag.functions[load.index];
    return f.only_wraps_input && f.stages[0].loads[0].index == input;
}

bool changes_with_reduction(const Stage& stage, const Coordinate& coordinate) {
    for (int l = 0; l < static_cast<int>(stage.loops.size()); l++) {
        if (stage.loops[l].is_reduction() && coordinate.changes_with(l)) {
            return true;
        }
    }
    return false;
}

// Whether what lies side by side in an input is summed: weights in groups of four are no pixels,
// and what dot products read is known to be together.
bool is_summed_along(const PipelineDag& dag, int input, int dim) {
    return std::ranges::any_of(dag.functions, [&](const Function& f) {
        return std::ranges::any_of(f.stages, [&](const Stage& stage) {
            return std::ranges::any_of(stage.loads, [&](const Load& load) {
                return reads(dag, load, input) && changes_with_reduction(stage, load.coords[dim]);
            });
        });
    });
}

class Layouts {
  public:
    explicit Layouts(const PipelineDag& dag) : dag_(dag) {}

    std::vector<BufferStride> expected;
    std::vector<BufferStride> interleaved;

    void add_input(const Halide::Parameter& p, int index) {
        const Input& input = dag_.inputs[index];
        add(p, {Source::Input, index, 0, 1}, input.region, input.strides, input.dense_dim);
    }

    void add_output(const Halide::Parameter& p, int index) {
        const Function& output = dag_.functions[index];
        add(p, {Source::Function, index, 0, 1}, output.region, output.strides, output.dense_dim);
    }

  private:
    void add(const Halide::Parameter& p, const BufferStride& buffer,
             const std::vector<Range>& region, const std::vector<std::int64_t>& strides,
             int dense) {
        const auto is_open = [&](int d) { return !p.stride_constraint(d).defined(); };
        const auto set = [&](std::vector<BufferStride>& layout, int dim, std::int64_t stride) {
            layout.push_back({buffer.source, buffer.index, dim, stride});
        };
        const int dimensions = p.dimensions();
        if (dimensions == 0 || dimensions > static_cast<int>(region.size())) {
            return;
        }
        const int last = dimensions - 1;
        if (std::ranges::count(strides, 1) > 0) {
            const int next = dense == 0 ? 1 : 0;
            if (dimensions > 2 && is_open(next) && is_pixel(region, dense, next) &&
                !(buffer.source == Source::Input && is_summed_along(dag_, buffer.index, dense))) {
                set(expected, next, region[dense].extent);
                set(interleaved, next, region[dense].extent);
            }
        } else if (is_open(0)) {
            set(expected, 0, 1);
            if (dimensions > 2 && is_open(last) && is_pixel(region, last, 0)) {
                set(interleaved, 0, region[last].extent);
                set(interleaved, last, 1);
            } else {
                set(interleaved, 0, 1);
            }
        }
    }

    const PipelineDag& dag_;
};

}  // namespace

void assume_layouts(const PipelineParts& parts, PipelineDag& dag) {
    Layouts found(dag);
    for (int i = 0; i < static_cast<int>(parts.images.size()); i++) {
        found.add_input(parts.images[i], i);
    }
    for (std::size_t o = 0; o < parts.outputs.size(); o++) {
        const std::vector<Halide::Parameter>& buffers = parts.outputs[o].output_buffers();
        if (buffers.size() == 1) {
            found.add_output(buffers[0], dag.outputs[o]);
        }
    }
    for (const BufferStride& each : found.expected) {
        (each.source == Source::Input ? dag.inputs[each.index].strides
                                      : dag.functions[each.index].strides)[each.dim] = each.stride;
    }
    for (const auto& layout : {found.expected, found.interleaved}) {
        if (std::ranges::count(dag.layouts, layout) == 0 && !layout.empty()) {
            dag.layouts.push_back(layout);
        }
    }
}

}  // namespace nestor
