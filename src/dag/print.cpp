#include <cmath>

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "dag/pipeline_dag.h"
#include "dag/sizes.h"

namespace nestor {

namespace {

using Json = nlohmann::ordered_json;

std::string range_text(const Range& range) {
    return range.min == 0 ? std::to_string(range.extent)
                          : std::to_string(range.min) + ".." + std::to_string(range.max());
}

std::string region_text(const std::vector<Range>& region) {
    std::string text;
    for (const Range& range : region) {
        text += (text.empty() ? "" : ", ") + range_text(range);
    }
    return "[" + text + "]";
}

std::string types_text(const std::vector<ScalarType>& types) {
    std::string text;
    for (const ScalarType& type : types) {
        text += (text.empty() ? "" : ", ") + type.text();
    }
    return types.size() == 1 ? text : "{" + text + "}";
}

std::string notes_text(const Function& f, const Stage* stage) {
    std::string text;
    const auto add = [&](const std::string& note) { text += (text.empty() ? "" : "; ") + note; };
    if (stage == nullptr || stage->index == 0) {
        add(types_text(f.types) + region_text(f.region));
        if (f.is_output) {
            add("output");
        }
        if (f.is_extern) {
            add("extern stage");
        }
        if (f.pinned) {
            add(*f.pinned);
        }
    }
    if (stage != nullptr && stage->index > 0) {
        for (const Loop& loop : stage->loops) {
            if (loop.is_reduction()) {
                add(loop.label + " in " + std::to_string(loop.range.min) + ".." +
                    std::to_string(loop.range.max()));
            }
        }
        if (stage->predicated) {
            add("where its predicate holds");
        }
        if (stage->associative) {
            add("associative");
        }
    }
    return text.empty() ? "" : "  # " + text;
}

Json region_json(const std::vector<Range>& region) {
    Json json = Json::array();
    for (const Range& range : region) {
        json.push_back({{"min", range.min}, {"extent", range.extent}});
    }
    return json;
}

Json stage_json(const Stage& stage) {
    Json loops = Json::array();
    for (const Loop& loop : stage.loops) {
        const char* kind = loop.kind == LoopKind::Pure       ? "pure"
                           : loop.kind == LoopKind::RaceFree ? "race-free reduction"
                                                             : "reduction";
        loops.push_back({{"name", loop.label},
                         {"kind", kind},
                         {"min", loop.range.min},
                         {"extent", loop.range.extent}});
    }
    return {{"definition", stage.text},
            {"loops", loops},
            {"operations", stage.ops.arithmetic()},
            {"loads", static_cast<int>(std::lround(stage.ops.load))},
            {"associative", stage.associative}};
}

Json function_json(const PipelineDag& dag, const Function& f) {
    Json json{{"name", f.id.text()}};
    for (const ScalarType& type : f.types) {
        json["types"].push_back(type.text());
    }
    json["region"] = region_json(f.region);
    json["output"] = f.is_output;
    json["extern"] = f.is_extern;
    if (f.pinned) {
        json["pinned"] = *f.pinned;
    }
    json["consumers"] = Json::array();
    for (const int consumer : f.consumers) {
        json["consumers"].push_back(dag.functions[consumer].id.text());
    }
    json["stages"] = Json::array();
    for (const Stage& stage : f.stages) {
        json["stages"].push_back(stage_json(stage));
    }
    return json;
}

}  // namespace

std::string print(const PipelineDag& dag) {
    std::string text;
    for (const Input& input : dag.inputs) {
        text += input.name + " = " + (input.embedded ? "buffer " : "placeholder ") +
                input.type.text() + region_text(input.region) +
                (input.constraints.empty() ? "" : "  # " + input.constraints) + "\n";
    }
    for (const std::vector<BufferStride>& layout : dag.layouts) {
        text += &layout == dag.layouts.data() ? "# expected:" : "# or:";
        for (const BufferStride& each : layout) {
            text += (&each == layout.data() ? " " : ", ") +
                    (each.source == Source::Input ? dag.inputs[each.index].name
                                                  : dag.functions[each.index].id.text()) +
                    ".stride(" + std::to_string(each.dim) + ") = " + std::to_string(each.stride);
        }
        text += "\n";
    }
    for (const Scalar& scalar : dag.scalars) {
        text += scalar.name + " = parameter " + scalar.type.text() +
                (scalar.estimate.empty() ? "" : "  # estimate " + scalar.estimate) + "\n";
    }
    for (const Function& f : dag.functions) {
        if (f.stages.empty()) {
            text += f.id.text() + " = extern stage" + notes_text(f, nullptr) + "\n";
        }
        for (const Stage& stage : f.stages) {
            text += stage.text + notes_text(f, &stage) + "\n";
        }
    }
    return text;
}

std::string print_json(const PipelineDag& dag) {
    Json json{{"name", dag.name},
              {"algorithm", hash_text(dag.algorithm_hash)},
              {"sizes", sizes_text(dag)}};
    json["inputs"] = Json::array();
    for (const Input& input : dag.inputs) {
        json["inputs"].push_back({{"name", input.name},
                                  {"type", input.type.text()},
                                  {"region", region_json(input.region)},
                                  {"embedded", input.embedded},
                                  {"constraints", input.constraints}});
    }
    json["parameters"] = Json::array();
    for (const Scalar& scalar : dag.scalars) {
        json["parameters"].push_back(
            {{"name", scalar.name}, {"type", scalar.type.text()}, {"estimate", scalar.estimate}});
    }
    json["functions"] = Json::array();
    for (const Function& f : dag.functions) {
        json["functions"].push_back(function_json(dag, f));
    }
    for (const int output : dag.outputs) {
        json["outputs"].push_back(dag.functions[output].id.text());
    }
    // Names may hold any bytes; what is not UTF-8 is replaced instead of refused.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace nestor
