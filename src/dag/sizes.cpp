#include "dag/sizes.h"

#include <vector>

namespace nestor {

namespace {

std::string text_of(const std::vector<Range>& region) {
    std::string text;
    for (const Range& range : region) {
        text += text.empty() ? "" : "x";
        if (range.extent <= 0) {
            text += "?";
            continue;
        }
        if (range.min != 0) {
            text += std::to_string(range.min) + "+";
        }
        text += std::to_string(range.extent);
    }
    return text.empty() ? "scalar" : text;
}

}  // namespace

std::string sizes_text(const PipelineDag& dag) {
    std::string text;
    const auto add = [&](const std::vector<Range>& region) {
        text += (text.empty() ? "" : ";") + text_of(region);
    };
    for (const int output : dag.outputs) {
        add(dag.functions[static_cast<std::size_t>(output)].region);
    }
    for (const Input& input : dag.inputs) {
        if (!input.embedded) {
            add(input.region);
        }
    }
    return text;
}

}  // namespace nestor
