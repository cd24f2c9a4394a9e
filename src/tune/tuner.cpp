#include "tune/tuner.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/apart.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/version.h"
#include "halide/apply.h"
#include "halide/pipeline_file.h"
#include "halide/read_pipeline.h"
#include "halide/task_target.h"
#include "measure/timing.h"
#include "schedule/print.h"
#include "tune/doubts.h"
#include "tune/finals.h"
#include "tune/remote_finals.h"

namespace nestor {

namespace {

constexpr double kLoweringSeconds = 60;
// A candidate that takes so many times as long as the best one need not be known well. More than
// what a virtual machine takes on top of a run's time while its processors wake up (1.65 times).
constexpr double kGiveUp = 2.5;
// Candidates are timed beside the best one, and beside another best one when that is so many times
// as fast: each change puts the new one's error into all that come after.
constexpr double kNewAnchor = 1.5;

void add_measurement(const Measurement& measurement, Record& record) {
    record.outcome = outcome_name(measurement.outcome);
    record.message = measurement.message;
    record.seconds = measurement.ok() ? measurement.seconds : 0;
    record.uncertainty = measurement.uncertainty;
    record.measurement = to_json(measurement).dump();
}

std::string hash_of(const Schedule& schedule, const PipelineDag& dag) {
    return hash_text(hash(schedule, dag));
}

}  // namespace

const char* tune_stop_text(TuneStop stop) {
    switch (stop) {
        case TuneStop::Trials:
            return "all trials were made";
        case TuneStop::Time:
            return "the time is up";
        case TuneStop::Target:
            return "it is as fast as was asked for";
        case TuneStop::Stagnation:
            return "nothing was gained for a long time";
        case TuneStop::Exhausted:
            return "nothing else is left to try";
        case TuneStop::Interrupted:
            return "interrupted";
    }
    return "";
}

Tuner::Tuner(TuneTask task, const TuneOptions& options, RecordStore& store, TuneListener& listener,
             std::string folder)
    : task_(std::move(task)),
      options_(options),
      store_(store),
      listener_(listener),
      folder_(std::move(folder)),
      start_(steady_seconds()) {
    task_.search.correction = task_.weights ? &*task_.weights : nullptr;
}

Result<std::unique_ptr<Tuner>> Tuner::create(TuneTask task, const TuneOptions& options,
                                             RecordStore& store, TuneListener& listener,
                                             const std::string& folder) {
    std::unique_ptr<Tuner> tuner(new Tuner(std::move(task), options, store, listener, folder));
    if (Status status = tuner->prepare(); !status) {
        return Error{status.error()};
    }
    return tuner;
}

Status Tuner::prepare() {
    Result<PipelineDag> dag = read_pipeline(task_.pipeline, task_.target, {task_.default_extent});
    if (!dag) {
        return Error{dag.error()};
    }
    dag_ = std::move(dag).value();
    // 1. The pipeline, for the worker and for later.
    task_.measure.pipeline = folder_ + "/pipeline.hlpipe";
    task_.measure.target = task_.target.to_string();
    if (Status status = save_pipeline(task_.pipeline, task_.measure.pipeline); !status) {
        return status;
    }
    // 2. What measures and what checks.
    listener_.phase(task_.name, "computing the result that candidates are compared with");
    Result<Verifier> verifier = Verifier::create(task_.pipeline, task_.target);
    if (!verifier) {
        return Error{verifier.error()};
    }
    verifier_ = std::move(verifier).value();
    Result<std::unique_ptr<MeasurePool>> pool = MeasurePool::start(options_.worker, task_.measure);
    if (!pool) {
        return Error{pool.error()};
    }
    pool_ = std::move(pool).value();
    if (pool_->verified_against().empty()) {
        return Error{
            "extern functions are missing, without which nothing can be run: name their library "
            "with --load"};
    }
    pool_->set_stop([this] { return options_.stop() || should_stop() == TuneStop::Time; });
    if (Status status = set_key(pool_->machine()); !status) {
        return status;
    }
    return resume();
}

Status Tuner::set_key(const MachineState& machine) {
    task_.measure.threads = machine.threads;
    if (task_.machine.parallelism == 0) {
        task_.machine.parallelism = machine.threads;
    }
    halide_ = machine.halide;
    key_ = {hash_text(dag_.algorithm_hash), sizes_text(dag_), task_target(task_.target),
            machine.cpu, machine.threads};
    const Result<std::string> hlpipe = read_file(task_.measure.pipeline);
    const Result<std::string> side = read_file(side_file(task_.measure.pipeline));
    if (!hlpipe || !side) {
        return Error{hlpipe ? side.error() : hlpipe.error()};
    }
    return store_.keep_pipeline(key_, {task_.name, hlpipe.value(), side.value()});
}

Status Tuner::resume() {
    proposer_ = std::make_unique<Proposer>(task_, dag_, options_.seed);
    const Result<std::vector<Record>> records = store_.select(records_of(key_));
    if (!records) {
        return Error{records.error()};
    }
    for (const Record& record : records.value()) {
        const Result<Schedule> schedule = parse_json(dag_, record.schedule);
        if (schedule && record.kind == Record::Kind::Final) {
            learn_of_final(hash(schedule.value(), dag_), record.seconds);
        }
        if (record.kind != Record::Kind::Trial || !schedule) {
            continue;
        }
        Trial trial;
        trial.proposal = {record.origin, schedule.value(), record.predicted, false, {}};
        trial.hash = hash(schedule.value(), dag_);
        trial.seconds = record.timed() ? record.seconds : 0;
        if (const auto lineage = parse_lineage(record.plan, proposer_->explorer().spaces())) {
            // Plans of another version may mean something else now.
            Proposal again = proposer_->explorer().make(lineage.value(), record.origin);
            if (again.schedule == schedule.value()) {
                trial.proposal = std::move(again);
                trial.proposal.seconds = record.predicted;
            }
        }
        if (trials_.count() == 0) {
            start_seconds_ = trial.seconds;
        }
        if (trial.proposal.lineage && trial.proposal.lineage->guards == Guards::ConstantEnds) {
            proposer_->explorer().guard_constant_ends();
        }
        trials_.add(std::move(trial), record.outcome);
    }
    resumed_ = trials_.count();
    if (resumed_ > 0) {
        listener_.phase(task_.name, "going on from " + std::to_string(resumed_) + " trials");
    }
    if (!options_.one_run) {
        return Ok{};
    }
    const Result<std::int64_t> run =
        store_.begin_run(key_, nlohmann::json{{"trials", options_.limits.trials},
                                              {"seconds", options_.limits.seconds},
                                              {"batch", options_.batch},
                                              {"seed", options_.seed}}
                                   .dump());
    if (!run) {
        return Error{run.error()};
    }
    run_ = run.value();
    return Ok{};
}

std::optional<TuneStop> Tuner::should_stop() const {
    const TuneLimits& limits = options_.limits;
    if (options_.stop()) {
        return TuneStop::Interrupted;
    }
    if (limits.trials > 0 && trials_.count() >= limits.trials) {
        return TuneStop::Trials;
    }
    if (limits.seconds > 0 && steady_seconds() - start_ >= limits.seconds - seconds_of_finals()) {
        return TuneStop::Time;
    }
    const double best = trials_.best_seconds();
    if (limits.target_seconds > 0 && best > 0 && best <= limits.target_seconds) {
        return TuneStop::Target;
    }
    if (limits.stagnation > 0 && best > 0 &&
        trials_.count() - std::max(trials_.last_gain(), resumed_) >= limits.stagnation) {
        return TuneStop::Stagnation;
    }
    return std::nullopt;
}

// At most a fifth of the time for them.
double Tuner::seconds_of_finals() const {
    constexpr double kShare = 0.2;
    constexpr double kCompiling = 2;  // for each
    return std::min(kShare * options_.limits.seconds,
                    options_.final_seconds + kCompiling * options_.finalists);
}

Result<bool> Tuner::step() {
    int count = options_.batch;
    if (options_.limits.trials > 0) {
        count = std::min(count, options_.limits.trials - trials_.count());
    }
    listener_.phase(task_.name, trials_.count() == 0 ? "searching" : "choosing what to measure");
    proposer_->refit(trials_);
    const bool first = trials_.count() == resumed_ && resumed_ < options_.batch;
    std::vector<Proposal> ideas = first ? this->first(count) : std::vector<Proposal>{};
    if (std::ssize(ideas) < count && trials_.count() > 0) {
        for (Proposal& idea : proposer_->next(count - static_cast<int>(ideas.size()), trials_)) {
            ideas.push_back(std::move(idea));
        }
    }
    if (ideas.empty()) {
        return false;
    }
    // The first trial is what others are compared with: what the search takes without measuring.
    const Status status = trials_.count() == 0 ? try_out_after_first(ideas) : try_out(ideas);
    if (!status) {
        return Error{status.error()};
    }
    return true;
}

std::vector<Proposal> Tuner::first(int count) {
    const std::vector<Proposal> found = proposer_->found();
    std::vector<Proposal> ideas = proposer_->first(found, count, trials_);
    if (ideas.empty() || !ideas.front().lineage) {
        return ideas;
    }
    Explorer& explorer = proposer_->explorer();
    Lineage guarded = *ideas.front().lineage;
    guarded.guards = Guards::ConstantEnds;
    const Schedule other = explorer.make(guarded, "").schedule;
    if (other == ideas.front().schedule || is_verified(ideas.front().schedule) ||
        !is_verified(other)) {
        return ideas;
    }
    explorer.guard_constant_ends();
    return proposer_->first(found, count, trials_);
}

Status Tuner::try_out(const std::vector<Proposal>& proposals) {
    if (Status status = measure(proposals); !status) {
        return status;
    }
    return check_best();
}

Status Tuner::try_out_after_first(std::vector<Proposal> proposals) {
    if (!proposals.empty()) {
        if (Status status = try_out({proposals.front()}); !status) {
            return status;
        }
        proposals.erase(proposals.begin());
    }
    return try_out(proposals);
}

void Tuner::use_weights(Correction weights) {
    task_.weights = std::move(weights);
    task_.search.correction = &*task_.weights;
    proposer_->use_weights_of_task();
}

Record Tuner::blank_record(const Proposal& proposal) const {
    Record record;
    record.run = run_;
    record.task = key_;
    record.pipeline = task_.name;
    record.schedule = print_json(dag_, proposal.schedule);
    record.schedule_hash = hash_of(proposal.schedule, dag_);
    record.origin = proposal.name;
    record.plan = proposal.lineage ? print_lineage(*proposal.lineage) : "";
    record.predicted = proposal.seconds;
    record.versions = std::string("nestor ") + kVersion + ", halide " + halide_;
    return record;
}

// Beside the best one that is known.
void Tuner::choose_anchor() {
    const int best = trials_.best();
    if (best < 0 || (anchor_seconds_ > 0 && trials_[best].seconds * kNewAnchor > anchor_seconds_)) {
        return;
    }
    anchor_seconds_ = trials_[best].seconds;
    pool_->set_anchor({print_json(dag_, trials_[best].proposal.schedule)}, anchor_seconds_);
}

Status Tuner::measure(const std::vector<Proposal>& proposals) {
    choose_anchor();
    std::vector<Candidate> candidates;
    for (const Proposal& proposal : proposals) {
        candidates.push_back(
            {print_json(dag_, proposal.schedule), {}, kGiveUp * trials_.best_seconds()});
    }
    listener_.phase(task_.name, "measuring");
    Status problem = Ok{};
    std::vector<Proposal> doubted;
    std::vector<Candidate> again;
    std::vector<Measurement> first;
    (void)pool_->measure(candidates, [&](std::size_t i, const Measurement& measurement) {
        if (is_doubtful(measurement, trials_.best_seconds())) {
            doubted.push_back(proposals[i]);
            again.push_back(candidates[i]);
            first.push_back(measurement);
        } else {
            keep(proposals[i], measurement, problem);
        }
    });
    (void)pool_->measure(again, [&](std::size_t i, const Measurement& measurement) {
        keep(doubted[i], more_modest(first[i], measurement), problem);
    });
    return problem;
}

void Tuner::keep(const Proposal& proposal, const Measurement& measurement, Status& problem) {
    Record record = blank_record(proposal);
    add_measurement(measurement, record);
    if (Status status = store_.add(record); !status) {
        problem = status;
        return;
    }
    if (start_seconds_ == 0) {
        start_seconds_ = record.seconds;
    }
    trials_.add({proposal, hash(proposal.schedule, dag_), record.seconds}, record.outcome);
    listener_.measured(record, progress());
}

// The best one is safe at other sizes, too; else the next best.
Status Tuner::check_best() {
    for (int best = trials_.best(); best >= 0; best = trials_.best()) {
        const Proposal& proposal = trials_[best].proposal;
        if (is_verified(proposal.schedule) || options_.stop()) {
            break;
        }
        Record record = blank_record(proposal);
        record.outcome = outcome_name(Outcome::Refused);
        record.message = verified_.at(trials_[best].hash);
        if (Status kept = store_.add(record); !kept) {
            return kept;
        }
        trials_.refuse(best);
        listener_.measured(record, progress());
    }
    return Ok{};
}

bool Tuner::is_verified(const Schedule& schedule) {
    const std::uint64_t key = hash(schedule, dag_);
    const auto known = verified_.find(key);
    if (known != verified_.end()) {
        return known->second.empty();
    }
    const Status status = try_apart(
        [&]() -> Status {
            const Halide::Pipeline copy = deep_copy(task_.pipeline);
            if (Status status = apply(copy, dag_, schedule); !status) {
                return status;
            }
            return verifier_->verify(copy);
        },
        kLoweringSeconds);
    if (!status && options_.stop()) {
        return false;  // perhaps only interrupted: finish() asks again
    }
    verified_.emplace(key, status ? "" : status.error());
    return static_cast<bool>(status);
}

Result<std::optional<Record>> Tuner::finish(TuneStop stop) {
    pool_.reset();  // nothing else may run
    const Result<std::vector<Record>> before = store_.best(key_, 1);
    const bool is_done = before && !before.value().empty() && trials_.count() == resumed_ &&
                         before.value().front().kind == Record::Kind::Final;
    if (stop != TuneStop::Interrupted && trials_.best() >= 0 && !is_done) {
        listener_.phase(task_.name, "timing the finalists against each other");
        if (Status status = time_finalists(); !status) {
            return Error{status.error()};
        }
    }
    if (Status status = store_.end_run(run_, tune_stop_text(stop)); !status) {
        return Error{status.error()};
    }
    Result<std::vector<Record>> best = store_.best(key_, 0);
    if (!best) {
        return Error{best.error()};
    }
    // Others may have added what was never checked here.
    for (Record& record : best.value()) {
        const Result<Schedule> schedule = parse_json(dag_, record.schedule);
        if (schedule && is_verified(schedule.value())) {
            return std::optional(std::move(record));
        }
    }
    return std::optional<Record>();
}

Status Tuner::time_finalists() {
    const std::vector<int> trials = finalists();
    std::vector<Schedule> schedules;
    for (const int i : trials) {
        schedules.push_back(trials_[i].proposal.schedule);
    }
    const std::vector<Measurement> results = measure_finalists(schedules);
    for (std::size_t i = 0; i < results.size(); i++) {
        Record record = blank_record(trials_[trials[i]].proposal);
        record.kind = Record::Kind::Final;
        add_measurement(results[i], record);
        if (Status status = store_.add(record); !status) {
            return status;
        }
        learn_of_final(trials_[trials[i]].hash, record.seconds);
    }
    return Ok{};
}

// The fastest, and two that must not be missing: what won last time, so that a faster one was
// faster in the same run, and what the search takes without measuring, so that the gain is the
// ratio of two times of one run.
std::vector<int> Tuner::finalists() {
    std::vector<int> chosen;
    const auto add = [&](int i) {
        if (trials_[i].seconds > 0 && std::ranges::count(chosen, i) == 0 &&
            is_verified(trials_[i].proposal.schedule)) {
            chosen.push_back(i);
        }
    };
    for (const int i : trials_.fastest(trials_.count())) {
        if (std::ssize(chosen) < options_.finalists) {
            add(i);
        }
    }
    const Result<std::vector<Record>> last = store_.best(key_, 1);
    for (int i = 0; i < trials_.count(); i++) {
        const bool won = last && !last.value().empty() &&
                         hash_text(trials_[i].hash) == last.value().front().schedule_hash;
        if (i == 0 || won) {
            add(i);
        }
    }
    return chosen;
}

void Tuner::learn_of_final(std::uint64_t schedule, double seconds) {
    if (trials_.count() > 0 && trials_[0].hash == schedule && seconds > 0) {
        start_seconds_ = seconds;
    }
}

std::vector<Measurement> Tuner::measure_finalists(const std::vector<Schedule>& finalists) const {
    if (!task_.measure.runner.used()) {
        return run_finals({task_.pipeline, task_.target, dag_, task_.measure, folder_,
                           options_.compiler, options_.final_seconds},
                          finalists);
    }
    std::vector<Candidate> candidates;
    for (const Schedule& schedule : finalists) {
        candidates.push_back({print_json(dag_, schedule)});
    }
    return run_remote_finals(options_.worker, task_.measure, candidates, options_.final_seconds);
}

TuneProgress Tuner::progress() const {
    TuneProgress progress;
    progress.task = task_.name;
    progress.trials = trials_.count();
    progress.this_run = trials_.count() - resumed_;
    progress.wanted = options_.limits.trials;
    progress.seconds = steady_seconds() - start_;
    progress.limit_seconds = options_.limits.seconds;
    progress.start_seconds = start_seconds_;
    progress.best_seconds = trials_.best_seconds();
    progress.best_trial = trials_.best() + 1;
    progress.failures = trials_.failures();
    return progress;
}

}  // namespace nestor
