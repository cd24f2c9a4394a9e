#include "search/lineage.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace nestor {

using nlohmann::json;

namespace {

json spot_json(const Spot& spot) {
    return {spot.function, spot.stage, static_cast<int>(spot.kind)};
}

json nest_json(const NestPlan& nest) {
    return {{"tile", nest.tile},
            {"block", nest.block},
            {"vector", {nest.vector_dim, nest.lanes}},
            {"dot", {nest.dot_dim, nest.dot}},
            {"short_outside", nest.short_outside},
            {"in_slabs", nest.in_slabs},
            {"task", nest.task},
            {"inner", nest.inner},
            {"selected", nest.selected}};
}

json function_json(const FunctionPlan& f) {
    json stages = json::array();
    for (const NestPlan& nest : f.stages) {
        stages.push_back(nest_json(nest));
    }
    return {{"place", static_cast<int>(f.place)},
            {"compute", spot_json(f.compute)},
            {"store", spot_json(f.store)},
            {"modulus", f.modulus},
            {"dense", f.dense},
            {"stages", std::move(stages)}};
}

// What follows throws json::exception if something is missing or of another type.

template <class Kind>
Kind kind_of(const json& number, Kind last) {
    const int kind = number.get<int>();
    return kind >= 0 && kind <= static_cast<int>(last)
               ? static_cast<Kind>(kind)
               : throw json::other_error::create(501, "no such kind", &number);
}

Spot read_spot(const json& text) {
    return {text.at(0).get<int>(), text.at(1).get<int>(), kind_of(text.at(2), SiteKind::Slab)};
}

NestPlan read_nest(const json& text) {
    NestPlan nest;
    text.at("tile").get_to(nest.tile);
    text.at("block").get_to(nest.block);
    text.at("vector").at(0).get_to(nest.vector_dim);
    text.at("vector").at(1).get_to(nest.lanes);
    text.at("dot").at(0).get_to(nest.dot_dim);
    text.at("dot").at(1).get_to(nest.dot);
    text.at("short_outside").get_to(nest.short_outside);
    text.at("in_slabs").get_to(nest.in_slabs);
    nest.task = text.value("task", 1);  // not in records from before there was one
    text.at("inner").get_to(nest.inner);
    text.at("selected").get_to(nest.selected);
    return nest;
}

FunctionPlan read_function(const json& text) {
    FunctionPlan f;
    f.place = kind_of(text.at("place"), Place::At);
    f.compute = read_spot(text.at("compute"));
    f.store = read_spot(text.at("store"));
    text.at("modulus").get_to(f.modulus);
    text.at("dense").get_to(f.dense);
    for (const json& stage : text.at("stages")) {
        f.stages.push_back(read_nest(stage));
    }
    return f;
}

// Every index is one of the graph, and every list as long as what it describes.
bool fits(const PipelineDag& graph, const Spot& spot) {
    if (spot.function < 0) {
        return spot.function == -1;
    }
    return spot.function < std::ssize(graph.functions) && spot.stage >= 0 &&
           spot.stage < std::ssize(graph.functions[spot.function].stages);
}

bool fits(const Stage& stage, const NestPlan& nest) {
    const std::ptrdiff_t loops = std::ssize(stage.loops);
    const auto is_loop = [&](int d) { return d >= -1 && d < loops; };
    return std::ssize(nest.tile) == loops && std::ssize(nest.block) == loops &&
           std::ranges::all_of(nest.tile, [](std::int64_t n) { return n >= 0; }) &&
           std::ranges::all_of(nest.block, [](int n) { return n >= 1; }) &&
           is_loop(nest.vector_dim) && is_loop(nest.dot_dim) && is_loop(nest.inner) &&
           nest.lanes >= 1 && nest.dot >= 1;
}

bool fits(const PipelineDag& graph, const Function& f, const FunctionPlan& plan,
          const FunctionPlan& like) {
    bool all = plan.stages.size() == f.stages.size() &&
               plan.modulus.size() == like.modulus.size() &&
               std::ranges::all_of(plan.modulus, [](int n) { return n >= 1; }) && plan.dense >= 0 &&
               plan.dense < std::max(1, static_cast<int>(like.modulus.size())) &&
               fits(graph, plan.compute) && fits(graph, plan.store);
    for (std::size_t s = 0; all && s < f.stages.size(); s++) {
        all = fits(f.stages[s], plan.stages[s]);
    }
    return all;
}

bool fits(const Space& space, const Plan& plan) {
    const PipelineDag& graph = space.variant.graph();
    const Plan& like = space.starts.front().plan;
    bool all = plan.functions.size() == graph.functions.size();
    for (std::size_t f = 0; all && f < graph.functions.size(); f++) {
        all = fits(graph, graph.functions[f], plan.functions[f], like.functions[f]);
    }
    return all;
}

}  // namespace

std::string print_lineage(const Lineage& lineage) {
    json functions = json::array();
    for (const FunctionPlan& f : lineage.plan.functions) {
        functions.push_back(function_json(f));
    }
    return json{{"space", lineage.space},
                {"guards", static_cast<int>(lineage.guards)},
                {"folded", lineage.folded},
                {"functions", std::move(functions)}}
        .dump();
}

Result<Lineage> parse_lineage(const std::string& text, std::span<const Space> spaces) {
    Lineage lineage;
    try {
        const json all = json::parse(text);
        all.at("space").get_to(lineage.space);
        const int guards = all.contains("guards") ? all.at("guards").get<int>()
                                                  : all.at("guarded").get<bool>();  // until 2026-11
        if (guards < 0 || guards > static_cast<int>(Guards::ConstantEnds)) {
            return Error{"no such guards: " + std::to_string(guards)};
        }
        lineage.guards = static_cast<Guards>(guards);
        lineage.folded = all.value("folded", false);  // records of before have none
        for (const json& f : all.at("functions")) {
            lineage.plan.functions.push_back(read_function(f));
        }
    } catch (const json::exception& error) {
        return Error{std::string("not a plan: ") + error.what()};
    }
    if (lineage.space < 0 || lineage.space >= std::ssize(spaces) ||
        !fits(spaces[lineage.space], lineage.plan)) {
        return Error{"a plan of another pipeline, or of another version of Nestor"};
    }
    return lineage;
}

}  // namespace nestor
