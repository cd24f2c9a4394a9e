#include "measure/options.h"

#include <nlohmann/json.hpp>

namespace nestor {

using nlohmann::json;

json to_json(const MeasureOptions& options) {
    return {{"pipeline", options.pipeline},
            {"target", options.target},
            {"runner", options.runner.command},
            {"runner_copy", options.runner.copy},
            {"runner_compiler", options.runner.compiler},
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
            {"flush_caches", options.flush_caches},
            {"memory_bytes", options.memory_bytes}};
}

Result<MeasureOptions> measure_options_from_json(const json& text) {
    try {
        MeasureOptions options;
        text.at("pipeline").get_to(options.pipeline);
        text.at("target").get_to(options.target);
        text.at("runner").get_to(options.runner.command);
        text.at("runner_copy").get_to(options.runner.copy);
        text.at("runner_compiler").get_to(options.runner.compiler);
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
        text.at("flush_caches").get_to(options.flush_caches);
        text.at("memory_bytes").get_to(options.memory_bytes);
        return options;
    } catch (const json::exception& error) {
        return Error{std::string("not the options of a measuring worker: ") + error.what()};
    }
}

}  // namespace nestor
