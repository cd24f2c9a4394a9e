#include "halide/pipeline_file.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "base/files.h"
#include "base/hash.h"
#include "halide/errors.h"
#include "halide/parts.h"
#include "halide/serialized_check.h"

namespace nestor {

using namespace Halide;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kFormat = "nestor-arguments";
constexpr int kVersion = 1;

// The four facts about a dimension that a Parameter may hold, each a number or absent.
struct DimensionFact {
    const char* key;
    Expr (Parameter::*get)(int) const;
    void (Parameter::*set)(int, const Expr&);
};

constexpr DimensionFact kFacts[] = {
    {"min", &Parameter::min_constraint, &Parameter::set_min_constraint},
    {"extent", &Parameter::extent_constraint, &Parameter::set_extent_constraint},
    {"stride", &Parameter::stride_constraint, &Parameter::set_stride_constraint},
    {"min_estimate", &Parameter::min_constraint_estimate, &Parameter::set_min_constraint_estimate},
    {"extent_estimate", &Parameter::extent_constraint_estimate,
     &Parameter::set_extent_constraint_estimate},
};

std::string text_of(const Type& type) {
    std::ostringstream text;
    text << type;
    return text.str();
}

// A number, or the name of another size ("in.extent.0", of a stride). Constraints that compute are
// left out; the pipeline then accepts more than it did.
void store(Json& json, const char* key, const Expr& e) {
    if (!e.defined()) {
        return;
    }
    const Expr value = Internal::simplify(e);
    if (const auto integer = Internal::as_const_int(value)) {
        json[key] = *integer;
    } else if (const auto natural = Internal::as_const_uint(value)) {
        json[key] = *natural;
    } else if (const auto real = Internal::as_const_float(value)) {
        json[key] = *real;
    } else if (const auto* variable = value.as<Internal::Variable>();
               variable != nullptr && variable->param.defined()) {
        json[key] = variable->name;
    }
}

Json parameter_json(const Parameter& p) {
    Json json{{"name", p.name()}, {"type", text_of(p.type())}, {"buffer", p.is_buffer()}};
    if (!p.is_buffer()) {
        store(json, "estimate", p.estimate());
        store(json, "default", p.default_value());
        return json;
    }
    json["host_alignment"] = p.host_alignment();
    json["dimensions"] = Json::array();
    for (int d = 0; d < p.dimensions(); d++) {
        Json dimension = Json::object();
        for (const DimensionFact& fact : kFacts) {
            store(dimension, fact.key, (p.*fact.get)(d));
        }
        if (!p.stride_constraint(d).defined()) {
            dimension["stride"] = nullptr;  // of dimension 0, the default is 1
        }
        json["dimensions"].push_back(dimension);
    }
    return json;
}

Json arguments_json(const Pipeline& pipeline, const std::string& bytes) {
    const PipelineParts parts = read_parts(pipeline);
    std::map<std::string, Parameter> parameters;
    for (const auto* list : {&parts.images, &parts.scalars}) {
        for (const Parameter& p : *list) {
            parameters.emplace(p.name(), p);
        }
    }
    Json json{
        {"format", kFormat}, {"version", kVersion}, {"pipeline", hash_text(hash_bytes(bytes))}};
    json["inputs"] = Json::array();
    Pipeline copy = pipeline;  // infer_arguments is not const
    for (const Argument& argument : copy.infer_arguments()) {
        if (const auto it = parameters.find(argument.name); it != parameters.end()) {
            json["inputs"].push_back(parameter_json(it->second));
        }
    }
    json["outputs"] = Json::array();
    for (const HalideFunction& f : parts.outputs) {
        for (const Parameter& p : f.output_buffers()) {
            json["outputs"].push_back(parameter_json(p));
        }
    }
    return json;
}

using Parameters = std::map<std::string, Parameter>;

std::optional<Expr> load(const Json& json, const char* key, const Type& type,
                         const Parameters& parameters) {
    const auto it = json.find(key);
    if (it == json.end() || it->is_null()) {
        return std::nullopt;
    }
    if (it->is_string()) {
        const auto name = it->get<std::string>();
        const auto parameter = parameters.find(name.substr(0, name.find('.')));
        return parameter == parameters.end()
                   ? std::nullopt
                   : std::optional<Expr>(Internal::Variable::make(type, name, parameter->second));
    }
    if (it->is_number_float()) {
        return cast(type, Expr(it->get<double>()));
    }
    return Internal::simplify(cast(type, Expr(it->get<std::int64_t>())));
}

void restore(const Json& json, Parameter& p, const Parameters& parameters) {
    if (!p.is_buffer()) {
        if (const auto e = load(json, "estimate", p.type(), parameters)) {
            p.set_estimate(*e);
        }
        if (const auto e = load(json, "default", p.type(), parameters)) {
            p.set_default_value(*e);
        }
        return;
    }
    p.set_host_alignment(json.value("host_alignment", p.host_alignment()));
    const Json dimensions = json.value("dimensions", Json::array());
    for (int d = 0; d < p.dimensions() && d < static_cast<int>(dimensions.size()); d++) {
        for (const DimensionFact& fact : kFacts) {
            if (const auto e = load(dimensions[d], fact.key, Int(32), parameters)) {
                (p.*fact.set)(d, *e);
            }
        }
        if (const auto stride = dimensions[d].find("stride");
            stride != dimensions[d].end() && stride->is_null()) {
            p.set_stride_constraint(d, Expr());
        }
    }
}

Result<Json> read_side_file(const std::string& path) {
    const Result<std::string> text = read_file(path);
    if (!text) {
        return Error{text.error()};
    }
    const Json json = Json::parse(text.value(), nullptr, false);
    if (json.is_discarded() || !json.is_object() || json.value("format", "") != kFormat ||
        json.value("version", 0) != kVersion) {
        return Error{
            path +
            " is not a list of arguments that Nestor wrote. Remove it to go on without estimates "
            "of the inputs, or save the pipeline again."};
    }
    return json;
}

Pipeline deserialize(const std::string& bytes, const Json& side, LoadedPipeline& result) {
    const std::vector<std::uint8_t> data(bytes.begin(), bytes.end());
    Parameters parameters = deserialize_parameters(data);
    for (const Json& input : side.value("inputs", Json::array())) {
        const std::string name = input.value("name", "");
        if (const auto it = parameters.find(name); it != parameters.end()) {
            restore(input, it->second, parameters);
            result.arguments.push_back(name);
        }
    }
    Pipeline pipeline = deserialize_pipeline(data, parameters);
    Parameters outputs = parameters;
    for (const Func& f : pipeline.outputs()) {
        for (const Parameter& p : f.function().output_buffers()) {
            outputs.emplace(p.name(), p);
        }
    }
    for (const Json& output : side.value("outputs", Json::array())) {
        if (const auto it = outputs.find(output.value("name", "")); it != outputs.end()) {
            restore(output, it->second, outputs);
        }
    }
    return pipeline;
}

}  // namespace

std::string side_file(const std::string& hlpipe) {
    return std::filesystem::path(hlpipe).replace_extension(".args.json").string();
}

Status save_pipeline(const Pipeline& pipeline, const std::string& path) {
    return catching("cannot save the pipeline as " + path, [&]() -> Status {
        std::vector<std::uint8_t> data;
        serialize_pipeline(pipeline, data);
        const std::string bytes(data.begin(), data.end());
        if (Status status = write_file(path, bytes); !status) {
            return status;
        }
        return write_file(side_file(path), arguments_json(pipeline, bytes).dump(2) + "\n");
    });
}

Result<LoadedPipeline> load_pipeline(const std::string& path) {
    const Result<std::string> bytes = read_file(path);
    if (!bytes) {
        return Error{bytes.error()};
    }
    Json side = Json::object();
    if (std::filesystem::exists(side_file(path))) {
        Result<Json> read = read_side_file(side_file(path));
        if (!read) {
            return Error{read.error()};
        }
        side = std::move(read).value();
    }
    // A file that is what its side file says needs no further check.
    if (side.value("pipeline", "") != hash_text(hash_bytes(bytes.value()))) {
        if (Status status = check_serialized(bytes.value()); !status) {
            return Error{path + " is not a pipeline that can be read: " + status.error() + "."};
        }
        side.erase("pipeline");
    }
    return catching(path + " is not a pipeline that can be read", [&]() -> Result<LoadedPipeline> {
        LoadedPipeline result;
        result.pipeline = deserialize(bytes.value(), side, result);
        if (!result.pipeline.defined() || result.pipeline.outputs().empty()) {
            return Error{path + " holds no pipeline."};
        }
        return result;
    });
}

}  // namespace nestor
