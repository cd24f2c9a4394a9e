// A schedule as JSON, the canonical form. Functions go by function_text(), dimensions by their
// labels and loops by loop_name(), so that the text reads without the pipeline at hand; what is
// left at its default is left out.
//
//   {"format": "nestor-schedule", "version": 1, "pipeline": "blur", "algorithm": "9f0c...",
//    "functions": {
//      "blur_x": {"compute": {"at": "blur_y", "loop": "y"}, "store": "root",
//                 "stages": {"0": {"split": {"x": [{"factor": 16, "tail": "RoundUp"}]}, "vector":
//                 "xi"}}},
//      "blur_y": {"stages": {"0": {"split": {"y": [32]}, "order": ["x", "yi", "y"], "parallel":
//      ["y"]}}}, "input_im.in(blur_x)": {"derive": {"kind": "in", "of": "input_im", "consumers":
//      ["blur_x"]}}}}

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "schedule/enum_names.h"
#include "schedule/json/format.h"
#include "schedule/loops.h"
#include "schedule/print.h"
#include "schedule/scheduled_dag.h"

namespace nestor {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLineWidth = 100;

std::string dump(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string one_line(const Json& json) {
    if (json.is_object() || json.is_array()) {
        std::string text(1, json.is_object() ? '{' : '[');
        for (auto it = json.begin(); it != json.end(); ++it) {
            text += it == json.begin() ? "" : ", ";
            text += json.is_object() ? dump(Json(it.key())) + ": " : "";
            text += one_line(*it);
        }
        return text + (json.is_object() ? '}' : ']');
    }
    return dump(json);
}

// On one line if it fits behind `indent` and `lead` characters, else one element a line.
std::string pretty(const Json& json, std::size_t indent, std::size_t lead) {
    std::string line = one_line(json);
    if (indent + lead + line.size() <= kLineWidth || json.empty() || json.is_primitive()) {
        return line;
    }
    std::string text(1, json.is_object() ? '{' : '[');
    for (auto it = json.begin(); it != json.end(); ++it) {
        const std::string key = json.is_object() ? dump(Json(it.key())) + ": " : "";
        text += it == json.begin() ? "\n" : ",\n";
        text += std::string(indent + 2, ' ') + key + pretty(*it, indent + 2, key.size() + 1);
    }
    return text + "\n" + std::string(indent, ' ') + (json.is_object() ? '}' : ']');
}

class Printer {
  public:
    Printer(const PipelineDag& dag, const Schedule& schedule)
        : dag_(dag), schedule_(schedule), derived_(dag, schedule), graph_(*derived_) {}

    [[nodiscard]] Json print() const {
        Json json;
        json["format"] = json_words::kFormat;
        json["version"] = json_words::kVersion;
        json["pipeline"] = dag_.name;
        json["algorithm"] = hash_text(schedule_.algorithm_hash);
        Json functions = Json::object();
        for (int f = 0; f < static_cast<int>(schedule_.functions.size()); f++) {
            Json function = print_function(f);
            if (!function.empty()) {
                functions[name(f)] = std::move(function);
            }
        }
        json["functions"] = std::move(functions);
        return json;
    }

  private:
    [[nodiscard]] std::string name(int f) const { return function_text(dag_, schedule_, f); }

    [[nodiscard]] Json print_function(int f) const {
        const FunctionSchedule& function = schedule_.functions[f];
        Json json = Json::object();
        if (function.derivation) {
            json["derive"] = print_derivation(f, *function.derivation);
        }
        put_level(json, "compute", function.compute);
        put_level(json, "store", function.store);
        put_level(json, "hoist", function.hoist);
        if (function.memory != Memory::Auto) {
            json["memory"] = enum_name(kMemoryNames, function.memory);
        }
        for (const int dim : function.storage_order) {
            json["storage_order"].push_back(arg(f, dim));
        }
        for (const Alignment& a : function.alignment) {
            json["align"].push_back({{"dim", arg(f, a.dim)}, {"elements", a.elements}});
        }
        for (const Alignment& a : function.region_alignment) {
            json["align_bounds"].push_back({{"dim", arg(f, a.dim)}, {"modulus", a.elements}});
        }
        for (const Alignment& a : function.storage_bounds) {
            json["bound_storage"].push_back({{"dim", arg(f, a.dim)}, {"elements", a.elements}});
        }
        if (function.fold) {
            Json& fold = json["fold"];
            fold["dim"] = arg(f, function.fold->dim);
            fold["factor"] = function.fold->factor;
            if (!function.fold->forward) {
                fold["forward"] = false;
            }
        }
        for (int s = 0; s < static_cast<int>(function.stages.size()); s++) {
            Json stage = print_stage(f, s, function.stages[s]);
            if (!stage.empty()) {
                json["stages"][std::to_string(s)] = std::move(stage);
            }
        }
        return json;
    }

    [[nodiscard]] Json print_derivation(int f, const Derivation& derivation) const {
        Json json;
        json["kind"] = enum_name(kDerivationNames, derivation.kind);
        json["of"] = name(derivation.parent);
        for (const int consumer : derivation.consumers) {
            json["consumers"].push_back(name(consumer));
        }
        if (derivation.kind == Derivation::Kind::Rfactor) {
            json["stage"] = derivation.stage;
            // The loops are those that the parent has at that moment.
            Schedule before = schedule_;
            before.functions.resize(static_cast<std::size_t>(f));
            const std::vector<StageDim> dims =
                stage_dims(dag_, before, derivation.parent, derivation.stage);
            put_splits(json, derivation.splits, dims);
            for (const LoopRef loop : derivation.preserved) {
                json["preserve"].push_back(loop_text(dims, loop));
            }
        }
        return json;
    }

    [[nodiscard]] Json print_stage(int f, int s, const StageSchedule& stage) const {
        const std::vector<StageDim> dims = dims_of(f, s);
        Json json = Json::object();
        for (const Specialization& specialization : stage.specializations) {
            Json special = Json::object();
            if (specialization.selected) {
                special["selected"] = *specialization.selected;
            }
            special["when"] = Json::array();
            for (const ExtentCondition& condition : specialization.when) {
                Json term = {{"dim", arg(condition.output_for(f), condition.dim)},
                             {condition.min ? "extent" : "at_least", condition.extent}};
                if (condition.min) {
                    term["min"] = *condition.min;
                }
                if (condition.multiple > 1) {
                    term["multiple"] = condition.multiple;
                }
                if (condition.output >= 0) {
                    term["output"] = name(condition.output);
                }
                special["when"].push_back(std::move(term));
            }
            for (const BufferStride& each : specialization.strides) {
                Json term = {{"stride", each.stride}};
                if (each.source == Source::Input) {
                    term["input"] = graph_.inputs[each.index].name;
                    term["dim"] = each.dim;
                } else {
                    term["output"] = name(each.index);
                    term["dim"] = arg(each.index, each.dim);
                }
                special["strides"].push_back(std::move(term));
            }
            put_nest(special, specialization.nest, dims);
            json["specialize"].push_back(std::move(special));
        }
        put_nest(json, stage.nest, dims);
        if (stage.compute_with) {
            json["compute_with"] = print_site("with", *stage.compute_with);
        }
        return json;
    }

    void put_nest(Json& json, const LoopNest& nest, const std::vector<StageDim>& dims) const {
        put_splits(json, nest.splits, dims);
        put_loops(json, "order", nest.order, dims);
        put_loops(json, "parallel", nest.parallel, dims);
        put_loops(json, "unroll", nest.unrolled, dims);
        if (nest.vector) {
            json["vector"] = loop_text(dims, *nest.vector);
        }
        if (nest.dot) {
            json["dot"] = loop_text(dims, *nest.dot);
        }
        if (nest.atomic) {
            json["atomic"] = true;
        }
        for (const LoopPartition& partition : nest.partition) {
            json["partition"].push_back({{"loop", loop_text(dims, partition.loop)},
                                         {"policy", enum_name(kPartitionNames, partition.policy)}});
        }
        for (const Prefetch& prefetch : nest.prefetch) {
            Json item;
            item["function"] = name(prefetch.function);
            item["at"] = loop_text(dims, prefetch.at);
            item["from"] = loop_text(dims, prefetch.from);
            item["offset"] = prefetch.offset;
            if (prefetch.bounds != PrefetchBounds::GuardWithIf) {
                item["bounds"] = enum_name(kPrefetchNames, prefetch.bounds);
            }
            json["prefetch"].push_back(std::move(item));
        }
    }

    static void put_splits(Json& json, const std::vector<std::vector<Split>>& splits,
                           const std::vector<StageDim>& dims) {
        for (int d = 0; d < static_cast<int>(splits.size()); d++) {
            for (const Split& split : splits[d]) {
                Json item = split.factor;
                if (split.tail != Tail::Auto) {
                    item = {{"factor", split.factor}, {"tail", enum_name(kTailNames, split.tail)}};
                }
                json["split"][loop_text(dims, {d, 0})].push_back(std::move(item));
            }
        }
    }

    static void put_loops(Json& json, const char* key, const std::vector<LoopRef>& loops,
                          const std::vector<StageDim>& dims) {
        for (const LoopRef loop : loops) {
            json[key].push_back(loop_text(dims, loop));
        }
    }

    void put_level(Json& json, const char* key, const Level& level) const {
        switch (level.kind) {
            case Level::Kind::Default:
                break;
            case Level::Kind::Inline:
                json[key] = "inline";
                break;
            case Level::Kind::Root:
                json[key] = "root";
                break;
            case Level::Kind::At:
                json[key] = print_site("at", level.site);
                break;
        }
    }

    [[nodiscard]] Json print_site(const char* key, const LoopSite& site) const {
        Json json;
        json[key] = name(site.function);
        if (site.stage != 0) {
            json["stage"] = site.stage;
        }
        json["loop"] = loop_text(dims_of(site.function, site.stage), site.loop);
        return json;
    }

    // What does not exist still prints, as "?": check_legality() is what refuses it.
    [[nodiscard]] std::vector<StageDim> dims_of(int f, int s) const {
        if (f < 0 || f >= static_cast<int>(graph_.functions.size()) || s < 0 ||
            s >= static_cast<int>(graph_.functions[f].stages.size())) {
            return {};
        }
        return stage_dims(graph_.functions[f].stages[s]);
    }

    static std::string loop_text(const std::vector<StageDim>& dims, LoopRef loop) {
        const bool exists = loop.dim >= 0 && loop.dim < static_cast<int>(dims.size());
        return exists ? loop_name(dims, loop) : "?";
    }

    [[nodiscard]] std::string arg(int f, int dim) const {
        const std::vector<std::string>& args = graph_.functions[f].args;
        return dim >= 0 && dim < static_cast<int>(args.size()) ? args[dim] : "?";
    }

    const PipelineDag& dag_;
    const Schedule& schedule_;
    const ScheduledDag derived_;
    const PipelineDag& graph_;
};

}  // namespace

std::string print_json(const PipelineDag& dag, const Schedule& schedule) {
    const Schedule canonical = normalized(schedule);
    return pretty(Printer(dag, canonical).print(), 0, 0) + "\n";
}

}  // namespace nestor
