// Which sizes each pipeline is run at.
#include <algorithm>

#include "run.h"

namespace nestor::testing {

namespace {

using NewExtent = std::function<int(size_t dim, int extent)>;

std::vector<Box> resized(const BuiltPipeline& built, const NewExtent& extent) {
    std::vector<Box> boxes;
    for (const PipelineOutput& output : built.outputs) {
        Box box = output.estimate;
        for (size_t d = 0; d < box.size(); d++) {
            if (!box[d].fixed) {
                box[d].extent = std::max(1, extent(d, box[d].extent));
            }
        }
        boxes.push_back(std::move(box));
    }
    return boxes;
}

size_t most_dimensions(const BuiltPipeline& built) {
    size_t most = 0;
    for (const PipelineOutput& output : built.outputs) {
        most = std::max(most, output.estimate.size());
    }
    return most;
}

}  // namespace

std::vector<RunCase> run_cases(const BuiltPipeline& built) {
    std::vector<RunCase> cases;
    auto add_boxes = [&](const std::string& label, std::vector<Box> boxes) {
        const bool known = std::any_of(cases.begin(), cases.end(),
                                       [&](const RunCase& c) { return c.outputs == boxes; });
        if (!known) {
            cases.push_back({label, std::move(boxes), 0});
        }
    };
    auto add = [&](const std::string& label, const NewExtent& extent) {
        add_boxes(label, resized(built, extent));
    };
    add("estimate", [](size_t, int extent) { return extent; });
    add("one more", [](size_t, int extent) { return extent + 1; });
    add("one less", [](size_t, int extent) { return extent - 1; });
    for (size_t dim = 0; dim < most_dimensions(built); dim++) {
        const std::string suffix = " in dimension " + std::to_string(dim);
        add("one more" + suffix, [=](size_t d, int extent) { return extent + (d == dim); });
        add("one less" + suffix, [=](size_t d, int extent) { return extent - (d == dim); });
    }
    add("half", [](size_t, int extent) { return extent / 2; });
    add("1", [](size_t, int) { return 1; });
    add("2", [](size_t, int) { return 2; });
    add("3", [](size_t, int) { return 3; });
    add("1, 3, 2", [](size_t d, int) { return std::vector<int>{1, 3, 2}[d % 3]; });
    add("wide and low", [](size_t d, int extent) { return d == 0 ? extent : 2; });
    add("narrow and high", [](size_t d, int extent) { return d == 0 ? 2 : extent; });
    // Outputs of one shape are not of one size in all runs.
    const size_t outputs = built.outputs.size();
    for (size_t larger = 0; larger < outputs && outputs > 1; larger += outputs - 1) {
        std::vector<Box> boxes = resized(built, [](size_t, int extent) { return extent / 3 + 1; });
        boxes[larger] = cases[0].outputs[larger];
        add_boxes("output " + std::to_string(larger) + " larger", std::move(boxes));
    }

    size_t variants = 1;
    for (const ScalarInput& scalar : built.scalars) {
        variants = std::max(variants, scalar.values.size());
    }
    for (size_t variant = 1; variant < variants; variant++) {
        cases.push_back(
            {"estimate, scalars " + std::to_string(variant), cases[0].outputs, variant});
    }
    return cases;
}

}  // namespace nestor::testing
