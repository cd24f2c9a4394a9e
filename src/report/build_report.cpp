#include "report/build_report.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "report/structure.h"
#include "schedule/legality.h"
#include "schedule/placement.h"
#include "schedule/print.h"
#include "schedule/scheduled_dag.h"

namespace nestor {

namespace {

class Builder {
  public:
    Builder(const RecordStore& store, const RecordStore::TaskSummary& summary,
            const Result<KnownPipeline>& pipeline, const Profiler& profiler)
        : store_(store), pipeline_(pipeline), profiler_(profiler) {
        report_.pipeline = summary.pipeline;
        report_.task = summary.task;
    }

    Result<Report> build() {
        if (Status status = read(); !status) {
            return Error{status.error()};
        }
        add_trials();
        add_structures();
        add_best();
        add_failures();
        add_winner();
        return std::move(report_);
    }

  private:
    Status read() {
        auto records = store_.select(records_of(report_.task));
        auto best = store_.best(report_.task, 0);
        auto runs = store_.runs(report_.task);
        if (!records || !best || !runs) {
            return Error{!records ? records.error() : !best ? best.error() : runs.error()};
        }
        records_ = std::move(records).value();
        best_ = std::move(best).value();
        report_.runs = std::move(runs).value();
        // Records that came from another file have ids of this one.
        std::ranges::stable_sort(records_, {}, &Record::created);
        std::set<std::string> versions;
        for (const Record& record : records_) {
            if (versions.insert(record.versions).second) {
                report_.versions.push_back(record.versions);
            }
        }
        return Ok{};
    }

    void add_trials() {
        std::set<std::string> counting;
        for (const Record& record : best_) {
            counting.insert(record.schedule_hash);
        }
        double best = 0;
        for (const Record& record : records_) {
            if (record.kind != Record::Kind::Trial) {
                continue;
            }
            ReportTrial trial{static_cast<int>(report_.trials.size()) + 1,
                              record.outcome,
                              record.message,
                              record.origin,
                              record.schedule_hash,
                              record.created,
                              record.timed() ? record.seconds : 0,
                              record.uncertainty,
                              record.predicted};
            trial.withdrawn = record.timed() && !counting.contains(record.schedule_hash);
            trial.is_gain =
                record.timed() && !trial.withdrawn && (best == 0 || record.seconds < best);
            best = trial.is_gain ? record.seconds : best;
            trial.best_seconds = best;
            if (report_.first_seconds == 0) {
                report_.first_seconds = trial.seconds;
            }
            trial_of_.try_emplace(trial.schedule_hash, trial.number);
            report_.trials.push_back(std::move(trial));
        }
    }

    /** Which structure each schedule has. */
    void add_structures() {
        report_.structures_by_origin = !pipeline_.ok();
        std::map<std::string, int> index;
        for (const Record& record : records_) {
            if (!structure_of_.contains(record.schedule_hash)) {
                const std::string text = structure_of(record);
                const auto [at, is_new] =
                    index.try_emplace(text, static_cast<int>(report_.structures.size()));
                if (is_new) {
                    report_.structures.emplace_back().text = text;
                }
                structure_of_[record.schedule_hash] = at->second;
            }
        }
        for (const ReportTrial& trial : report_.trials) {
            ReportStructure& structure = report_.structures[structure_of_.at(trial.schedule_hash)];
            structure.first_trial = structure.trials == 0 ? trial.number : structure.first_trial;
            structure.trials++;
            structure.timed += trial.seconds > 0 ? 1 : 0;
        }
        for (const Record& record : best_) {  // best first
            ReportStructure& structure = report_.structures[structure_of_.at(record.schedule_hash)];
            if (structure.best_seconds == 0) {
                structure.best_seconds = record.seconds;
                structure.best_hash = record.schedule_hash;
            }
        }
        sort_structures();
    }

    [[nodiscard]] std::string structure_of(const Record& record) const {
        if (!pipeline_) {
            return record.origin;
        }
        const Result<Schedule> schedule = parse_json(pipeline_.value().dag, record.schedule);
        return schedule ? structure_text(pipeline_.value().dag, schedule.value())
                        : "not read by this Nestor";
    }

    void sort_structures() {
        std::vector<int> order(report_.structures.size());
        for (std::size_t i = 0; i < order.size(); i++) {
            order[i] = static_cast<int>(i);
        }
        const auto seconds = [&](int i) { return report_.structures[i].best_seconds; };
        std::ranges::stable_sort(order, [&](int a, int b) {
            return seconds(a) > 0 && (seconds(b) == 0 || seconds(a) < seconds(b));
        });
        std::vector<ReportStructure> sorted;
        std::vector<int> place(order.size());
        for (const int i : order) {
            place[i] = static_cast<int>(sorted.size());
            sorted.push_back(std::move(report_.structures[i]));
        }
        report_.structures = std::move(sorted);
        for (auto& [hash, structure] : structure_of_) {
            structure = place[structure];
        }
    }

    void add_best() {
        for (const Record& record : best_) {
            const auto trial = trial_of_.find(record.schedule_hash);
            report_.best.push_back({record.schedule_hash, record.origin, record.created,
                                    record.seconds, record.uncertainty, record.predicted,
                                    record.kind == Record::Kind::Final,
                                    trial == trial_of_.end() ? 0 : trial->second,
                                    structure_of_.at(record.schedule_hash)});
        }
    }

    void add_failures() {
        std::map<std::string, ReportFailure> kinds;
        std::map<std::string, std::map<std::string, std::size_t>> known;
        for (const Record& record : records_) {
            if (record.timed()) {
                continue;
            }
            ReportFailure& kind = kinds[record.outcome];
            kind.outcome = record.outcome;
            kind.count++;
            const auto [at, is_new] =
                known[record.outcome].try_emplace(record.message, kind.messages.size());
            if (is_new) {
                const auto trial = trial_of_.find(record.schedule_hash);
                kind.messages.push_back(
                    {record.message, 0, trial == trial_of_.end() ? 0 : trial->second});
            }
            kind.messages[at->second].count++;
        }
        for (auto& [outcome, kind] : kinds) {
            std::ranges::stable_sort(kind.messages, std::greater<>(),
                                     &ReportFailure::Message::count);
            report_.failures.push_back(std::move(kind));
        }
        std::ranges::stable_sort(report_.failures, std::greater<>(), &ReportFailure::count);
    }

    void add_winner() {
        report_.missing = pipeline_ ? "" : pipeline_.error();
        if (best_.empty()) {
            return;
        }
        const Record& record = best_.front();
        ReportWinner winner;
        winner.schedule = report_.best.front();
        winner.json = record.schedule;
        add_measurement(record, winner);
        if (pipeline_) {
            add_code(winner);
        }
        report_.winner = std::move(winner);
    }

    /** What can be read of it: another version may have written it. */
    static void add_measurement(const Record& record, ReportWinner& winner) {
        const auto json = nlohmann::json::parse(record.measurement, nullptr, false);
        if (!json.is_object()) {
            return;
        }
        const auto samples = json.find("samples");
        winner.samples =
            samples != json.end() && samples->is_array() ? static_cast<int>(samples->size()) : 0;
        const auto against = json.find("verified_against");
        winner.verified_against =
            against != json.end() && against->is_string() ? against->get<std::string>() : "";
        const auto peak = json.find("peak_bytes");
        winner.peak_bytes =
            peak != json.end() && peak->is_number_integer() ? peak->get<std::int64_t>() : 0;
    }

    void add_code(ReportWinner& winner) {
        const PipelineDag& dag = pipeline_.value().dag;
        const Result<Schedule> schedule = parse_json(dag, winner.json);
        if (!schedule) {
            report_.missing = schedule.error();
            return;
        }
        if (const auto violations = check_legality(dag, schedule.value()); !violations.empty()) {
            report_.missing =
                "this Nestor takes the schedule for illegal: " + violations.front().where + ": " +
                violations.front().what;
            return;
        }
        const Prediction prediction = predict(dag, schedule.value(), pipeline_.value().machine);
        ReportCode code;
        code.loop_nest = print_loop_nest(dag, schedule.value());
        code.cpp = print_cpp(dag, schedule.value());
        code.python = print_python(dag, schedule.value());
        for (const GroupCost& group : prediction.groups) {
            code.costs.push_back({function_text(dag, schedule.value(), group.root), group.cost});
        }
        code.cost = prediction.cost;
        code.machine = pipeline_.value().machine.cpu;
        add_profile(schedule.value(), prediction, code);
        winner.code = std::move(code);
    }

    void add_profile(const Schedule& schedule, const Prediction& prediction, ReportCode& code) {
        if (!profiler_) {
            return;
        }
        Result<std::vector<ReportProfile>> profile = profiler_(schedule);
        if (!profile) {
            code.profile_missing = profile.error();
            return;
        }
        code.profile = std::move(profile).value();
        const ScheduledDag graph(pipeline_.value().dag, schedule);
        const Placement placement(*graph, schedule);
        for (const ReportProfile& each : code.profile) {
            for (std::size_t i = 0; i < code.costs.size(); i++) {
                if (each.function >= 0 &&
                    placement.root(each.function) == prediction.groups[i].root) {
                    code.costs[i].profiled += each.seconds;
                }
            }
        }
    }

    const RecordStore& store_;
    const Result<KnownPipeline>& pipeline_;
    const Profiler& profiler_;
    Report report_;
    std::vector<Record> records_, best_;  // all of the task; one a schedule
    std::unordered_map<std::string, int> trial_of_, structure_of_;  // by schedule hash
};

}  // namespace

Result<Report> build_report(const RecordStore& store, const RecordStore::TaskSummary& summary,
                            const Result<KnownPipeline>& pipeline, const Profiler& profiler) {
    return Builder(store, summary, pipeline, profiler).build();
}

}  // namespace nestor
