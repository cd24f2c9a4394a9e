#include "measure/options.h"

#include <nlohmann/json.hpp>

namespace nestor {

using nlohmann::json;

json to_json(const MeasureOptions& options) {
    return {{"pipeline", options.pipeline},
            {"target", options.target},
            {"threads", options.threads},
            {"builders", options.builders},
            {"seed", options.seed},
            {"inputs", options.inputs},
            {"scalars", options.scalars},
            {"load", options.load},
            {"build_seconds", options.build_seconds},
            {"run_seconds", options.run_seconds},
            {"reference_seconds", options.reference_seconds},
            {"timing_seconds", options.timing_seconds},
            {"precision", options.precision},
            {"memory_bytes", options.memory_bytes}};
}

Result<MeasureOptions> measure_options_from_json(const json& text) {
    try {
        MeasureOptions options;
        text.at("pipeline").get_to(options.pipeline);
        text.at("target").get_to(options.target);
        text.at("threads").get_to(options.threads);
        text.at("builders").get_to(options.builders);
        text.at("seed").get_to(options.seed);
        text.at("inputs").get_to(options.inputs);
        text.at("scalars").get_to(options.scalars);
        text.at("load").get_to(options.load);
        text.at("build_seconds").get_to(options.build_seconds);
        text.at("run_seconds").get_to(options.run_seconds);
        text.at("reference_seconds").get_to(options.reference_seconds);
        text.at("timing_seconds").get_to(options.timing_seconds);
        text.at("precision").get_to(options.precision);
        text.at("memory_bytes").get_to(options.memory_bytes);
        return options;
    } catch (const json::exception& error) {
        return Error{std::string("not the options of a measuring worker: ") + error.what()};
    }
}

}  // namespace nestor
