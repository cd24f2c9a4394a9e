#include "measure/measurement.h"

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "halide/halide.h"
#include "measure/processor.h"

namespace nestor {

using nlohmann::json;

namespace {

constexpr std::array kOutcomes = {
    std::pair{Outcome::Timed, "timed"},
    std::pair{Outcome::Refused, "refused"},
    std::pair{Outcome::CompileError, "compile error"},
    std::pair{Outcome::RunError, "run error"},
    std::pair{Outcome::Wrong, "wrong"},
    std::pair{Outcome::Crash, "crash"},
    std::pair{Outcome::Timeout, "timeout"},
    std::pair{Outcome::OutOfMemory, "out of memory"},
    std::pair{Outcome::NotRun, "not run"},
    std::pair{Outcome::Lost, "lost"},
};

}  // namespace

const char* outcome_name(Outcome outcome) {
    for (const auto& [known, name] : kOutcomes) {
        if (known == outcome) {
            return name;
        }
    }
    return "unknown";
}

bool means_memory(const std::string& message) {
    return message.find("ut of memory") != std::string::npos ||
           message.find("bad_alloc") != std::string::npos;
}

MachineState machine_state(int threads) {
    MachineState state;
    state.cpu = processor_name();
    state.cores = usable_cores();
    state.threads = threads;
    state.halide = std::to_string(HALIDE_VERSION_MAJOR) + "." +
                   std::to_string(HALIDE_VERSION_MINOR) + "." +
                   std::to_string(HALIDE_VERSION_PATCH);
    state.load = load_average();
    return state;
}

json to_json(const MachineState& machine) {
    return {{"cpu", machine.cpu},
            {"cores", machine.cores},
            {"threads", machine.threads},
            {"halide", machine.halide},
            {"load", machine.load}};
}

MachineState machine_from_json(const json& text) {
    MachineState machine;
    text.at("cpu").get_to(machine.cpu);
    text.at("cores").get_to(machine.cores);
    text.at("threads").get_to(machine.threads);
    text.at("halide").get_to(machine.halide);
    text.at("load").get_to(machine.load);
    return machine;
}

Measurement Measurement::failure(Outcome outcome, const std::string& message) {
    Measurement measurement;
    measurement.outcome = outcome;
    measurement.message = message;
    return measurement;
}

json to_json(const Measurement& m) {
    return {{"outcome", outcome_name(m.outcome)},
            {"message", m.message},
            {"samples", m.samples},
            {"runs_per_sample", m.runs_per_sample},
            {"seconds", m.seconds},
            {"uncertainty", m.uncertainty},
            {"drift", m.drift},
            {"anchor_seconds", m.anchor_seconds},
            {"build_seconds", m.build_seconds},
            {"peak_bytes", m.peak_bytes},
            {"verified_against", m.verified_against},
            {"machine", to_json(m.machine)}};
}

Result<Measurement> measurement_from_json(const json& text) {
    try {
        Measurement m;
        const auto name = text.at("outcome").get<std::string>();
        bool known = false;
        for (const auto& [outcome, its_name] : kOutcomes) {
            if (name == its_name) {
                m.outcome = outcome;
                known = true;
            }
        }
        if (!known) {
            return Error{"not a measurement: unknown outcome " + name};
        }
        text.at("message").get_to(m.message);
        text.at("samples").get_to(m.samples);
        text.at("runs_per_sample").get_to(m.runs_per_sample);
        text.at("seconds").get_to(m.seconds);
        text.at("uncertainty").get_to(m.uncertainty);
        text.at("drift").get_to(m.drift);
        m.anchor_seconds = text.value("anchor_seconds", 0.0);  // older ones have none
        text.at("build_seconds").get_to(m.build_seconds);
        text.at("peak_bytes").get_to(m.peak_bytes);
        text.at("verified_against").get_to(m.verified_against);
        m.machine = machine_from_json(text.at("machine"));
        return m;
    } catch (const json::exception& error) {
        return Error{std::string("not a measurement: ") + error.what()};
    }
}

}  // namespace nestor
