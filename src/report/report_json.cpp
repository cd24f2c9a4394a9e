#include "report/report_json.h"

#include <nlohmann/json.hpp>

namespace nestor {

using Json = nlohmann::ordered_json;

namespace {

Json known(double seconds) {
    return seconds > 0 ? Json(seconds) : Json();
}

Json trial_json(const ReportTrial& trial) {
    return {{"number", trial.number},
            {"outcome", trial.outcome},
            {"origin", trial.origin},
            {"schedule_hash", trial.schedule_hash},
            {"created", trial.created},
            {"seconds", known(trial.seconds)},
            {"uncertainty", known(trial.uncertainty)},
            {"predicted_seconds", known(trial.predicted)},
            {"withdrawn", trial.withdrawn},
            {"best_seconds", known(trial.best_seconds)},
            {"is_gain", trial.is_gain}};
}

Json schedule_json(const ReportSchedule& schedule) {
    return {{"schedule_hash", schedule.schedule_hash},
            {"origin", schedule.origin},
            {"created", schedule.created},
            {"seconds", known(schedule.seconds)},
            {"uncertainty", known(schedule.uncertainty)},
            {"predicted_seconds", known(schedule.predicted)},
            {"final", schedule.is_final},
            {"trial", schedule.trial > 0 ? Json(schedule.trial) : Json()},
            {"structure", schedule.structure}};
}

Json structure_json(const ReportStructure& structure) {
    return {{"text", structure.text},
            {"trials", structure.trials},
            {"timed", structure.timed},
            {"first_trial", structure.first_trial > 0 ? Json(structure.first_trial) : Json()},
            {"best_seconds", known(structure.best_seconds)},
            {"best_hash", structure.best_hash}};
}

Json failure_json(const ReportFailure& failure) {
    Json messages = Json::array();
    for (const ReportFailure::Message& each : failure.messages) {
        messages.push_back(
            {{"text", each.text},
             {"count", each.count},
             {"first_trial", each.first_trial > 0 ? Json(each.first_trial) : Json()}});
    }
    return {{"outcome", failure.outcome}, {"count", failure.count}, {"messages", messages}};
}

Json cost_json(const Cost& cost) {
    Json json{{"total", cost.total()}};
    for (std::size_t t = 0; t < kTerms; t++) {
        json[name_of(static_cast<Term>(t))] = cost.seconds[t];
    }
    return json;
}

Json code_json(const ReportCode& code) {
    Json functions = Json::array();
    for (const ReportCost& each : code.costs) {
        functions.push_back({{"function", each.function},
                             {"seconds", cost_json(each.cost)},
                             {"profiled_seconds", known(each.profiled)}});
    }
    Json profile = Json::array();
    for (const ReportProfile& each : code.profile) {
        profile.push_back({{"function", each.name}, {"seconds", each.seconds}});
    }
    const Json predicted{
        {"machine", code.machine}, {"seconds", cost_json(code.cost)}, {"functions", functions}};
    return {{"loop_nest", code.loop_nest}, {"cpp", code.cpp},
            {"python", code.python},       {"predicted", predicted},
            {"profile", profile},          {"profile_missing", code.profile_missing}};
}

Json winner_json(const ReportWinner& winner) {
    Json json = schedule_json(winner.schedule);
    json["verified_against"] = winner.verified_against;
    json["peak_bytes"] = winner.peak_bytes;
    json["samples"] = winner.samples;
    json["json"] = winner.json;
    json["code"] = winner.code ? code_json(*winner.code) : Json();
    return json;
}

Json run_json(const TuningRun& run) {
    return {{"id", run.id},
            {"started", run.started},
            {"ended", run.ended},
            {"stopped", run.stopped},
            {"options", run.options}};
}

template <class T, class ToJson>
Json array(const std::vector<T>& values, const ToJson& to_json) {
    Json json = Json::array();
    for (const T& value : values) {
        json.push_back(to_json(value));
    }
    return json;
}

}  // namespace

Json to_json(const Report& report) {
    Json json{{"pipeline", report.pipeline},
              {"algorithm", report.task.algorithm},
              {"sizes", report.task.sizes},
              {"target", report.task.target},
              {"machine", report.task.machine},
              {"threads", report.task.threads},
              {"versions", report.versions},
              {"best_seconds", known(report.best_seconds())},
              {"first_seconds", known(report.first_seconds)},
              {"speed_up", known(report.speed_up())},
              {"missing", report.missing}};
    json["runs"] = array(report.runs, run_json);
    json["trials"] = array(report.trials, trial_json);
    json["best"] = array(report.best, schedule_json);
    json["structures"] = array(report.structures, structure_json);
    json["structures_by_origin"] = report.structures_by_origin;
    json["failures"] = array(report.failures, failure_json);
    json["winner"] = report.winner ? winner_json(*report.winner) : Json();
    return json;
}

}  // namespace nestor
