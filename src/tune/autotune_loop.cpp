#include "tune/autotune_loop.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/files.h"
#include "base/hash.h"
#include "cost/featurization.h"
#include "schedule/print.h"
#include "train/sample.h"

namespace nestor {

namespace {

// Samples have numbers that tell the batch and the place in it, as in Adams2019's loop.
constexpr std::int64_t kSamplesOfBatch = 10'000;
// What else is tried where samples are known already.
constexpr int kMoreSeeds = 2;

std::string run_options(const std::string& name, int set, int batch) {
    return nlohmann::json{{"autotune", name}, {"set", set}, {"batch", batch}}.dump();
}

/** The batch of a run of that set; 0: the run is something else. */
int batch_of(const TuningRun& run, const std::string& name, int set) {
    const auto options = nlohmann::json::parse(run.options, nullptr, false);
    if (!options.is_object() || options.value("autotune", "") != name ||
        options.value("set", -1) != set) {
        return 0;
    }
    return options.value("batch", 0);
}

/** The eighth word is the time, as in what RunGen prints. */
std::string bench_line(const std::string& name, const Record& record) {
    if (!record.timed()) {
        return "No benchmark for " + name + ": " + record.outcome + ": " + record.message + "\n";
    }
    return fmt::format("Benchmark for {} gives a median of {:.9g} sec/iter (+- {:.1f}%)\n", name,
                       record.seconds, record.uncertainty * 100) +
           "schedule " + record.schedule_hash + ", " + record.origin + "\n";
}

}  // namespace

Result<std::unique_ptr<AutotuneLoop>> AutotuneLoop::create(const AutotuneOptions& options,
                                                           const SampleFolder& folder,
                                                           RecordStore& store, std::string name,
                                                           std::vector<AutotuneSet> sets,
                                                           const std::string& scratch) {
    std::unique_ptr<AutotuneLoop> loop(new AutotuneLoop(options, folder, store, std::move(name)));
    for (AutotuneSet& set : sets) {
        const std::string files = scratch + "/" + std::to_string(loop->sets_.size());
        if (Status status = make_directory(files); !status) {
            return Error{status.error()};
        }
        TuneOptions tune = options.tune;
        tune.one_run = false;
        Result<std::unique_ptr<Tuner>> tuner =
            Tuner::create(set.task, tune, store, loop->silent_, files);
        if (!tuner) {
            return Error{tuner.error()};
        }
        loop->sets_.push_back({std::move(set), std::move(tuner).value()});
    }
    return loop;
}

Result<AutotuneLoop::End> AutotuneLoop::run() {
    const Result<int> first = first_batch();
    if (!first) {
        return Error{first.error()};
    }
    for (int number = first.value(); number < first.value() + options_.batches; number++) {
        bool any = false;
        for (int set = 0; set < std::ssize(sets_); set++) {
            const Result<bool> measured = run_batch(number, set);
            if (!measured) {
                return Error{measured.error()};
            }
            if (options_.tune.stop()) {
                return End::Interrupted;
            }
            any = any || measured.value();
        }
        if (!any) {
            return End::Exhausted;
        }
    }
    return End::Batches;
}

// In the order of their numbers.
Result<std::vector<AutotuneLoop::Batch>> AutotuneLoop::batches(int set) const {
    const Result<std::vector<TuningRun>> runs = store_.runs(sets_[set].tuner->key());
    if (!runs) {
        return Error{runs.error()};
    }
    std::vector<Batch> batches;
    for (const TuningRun& run : runs.value()) {
        if (const int number = batch_of(run, name_, set); number > 0) {
            batches.push_back({run.id, number, !run.ended.empty()});
        }
    }
    std::ranges::sort(batches, {}, &Batch::number);
    return batches;
}

// The last one, if it is not done; else a new one, whose number nobody has had.
Result<int> AutotuneLoop::first_batch() const {
    int begun = 0;  // the last one of these pipelines
    int done = 0;   // sets that have done that one
    for (int set = 0; set < std::ssize(sets_); set++) {
        const Result<std::vector<Batch>> all = batches(set);
        if (!all) {
            return Error{all.error()};
        }
        const Batch last = all.value().empty() ? Batch{} : all.value().back();
        if (last.number > begun) {
            begun = last.number;
            done = 0;
        }
        done += last.number == begun && last.ended ? 1 : 0;
    }
    const int last = std::max(begun, folder_.last_batch());
    const bool unfinished = begun > 0 && begun == last && done < std::ssize(sets_);
    return unfinished ? last : last + 1;
}

Result<AutotuneLoop::Batch> AutotuneLoop::begin(int number, int set) {
    const Result<std::vector<Batch>> all = batches(set);
    if (!all) {
        return Error{all.error()};
    }
    for (const Batch& batch : all.value()) {
        if (batch.number == number) {
            return batch;
        }
    }
    const Result<std::int64_t> run =
        store_.begin_run(sets_[set].tuner->key(), run_options(name_, set, number));
    if (!run) {
        return Error{run.error()};
    }
    return Batch{run.value(), number, false};
}

// 0. what there is of it; 1. to 5. as in the header.
Result<bool> AutotuneLoop::run_batch(int number, int set) {
    const Result<Batch> batch = begin(number, set);
    if (!batch) {
        return Error{batch.error()};
    }
    if (batch.value().ended) {
        return true;
    }
    Result<Correction> weights = folder_.begin_batch(number, set, sets_[set].given.args);
    if (!weights) {
        return Error{weights.error()};
    }
    Tuner& tuner = *sets_[set].tuner;
    tuner.go_on_with(batch.value().run);
    tuner.use_weights(std::move(weights).value());
    const Result<std::vector<Record>> before = measured(batch.value(), set);
    if (!before) {
        return Error{before.error()};
    }
    if (Status status = measure(batch.value(), set, static_cast<int>(before.value().size()));
        !status) {
        return Error{status.error()};
    }
    const Result<std::vector<Record>> records = measured(batch.value(), set);
    if (!records) {
        return Error{records.error()};
    }
    Status status = write(batch.value(), set, records.value());
    if (status) {
        status = write_best();
    }
    const bool stopped = options_.tune.stop();
    if (status && !stopped) {
        status = learn();
    }
    if (status && !stopped) {
        status = store_.end_run(batch.value().run, tune_stop_text(TuneStop::Trials));
    }
    if (!status) {
        return Error{status.error()};
    }
    report(batch.value(), set, records.value());
    return !records.value().empty();
}

Status AutotuneLoop::measure(const Batch& batch, int set, int known) {
    options_.tell(fmt::format("batch {} of {}: choosing {} schedules", batch.number,
                              sets_[set].given.task.name, options_.batch_size - known));
    std::vector<Proposal> ideas = propose(batch, set, known);
    Tuner& tuner = *sets_[set].tuner;
    // The first sample should be the search's.
    return known == 0 ? tuner.try_out_after_first(std::move(ideas)) : tuner.try_out(ideas);
}

std::vector<Proposal> AutotuneLoop::propose(const Batch& batch, int set, int known) {
    Tuner& tuner = *sets_[set].tuner;
    const Trials& trials = tuner.trials();
    const int count = std::max(0, options_.batch_size - known);
    std::vector<Proposal> ideas;
    std::unordered_set<std::uint64_t> taken;
    const auto take = [&](Proposal idea) {
        const bool room = std::ssize(ideas) < count && !options_.tune.stop();
        if (room && taken.insert(hash(idea.schedule, tuner.dag())).second) {
            ideas.push_back(std::move(idea));
        }
    };
    const auto stop = [&] { return options_.tune.stop() || std::ssize(ideas) >= count; };
    if (known == 0 && !stop()) {
        for (Proposal& idea : tuner.first(1)) {
            take(std::move(idea));
        }
    }
    const bool learned = trials.best() >= 0 && batch.number > 1;
    const int sampled = learned ? (count + 1) / 2 : count;
    const std::string where = run_options(name_, set, batch.number);
    for (int i = 0; i < kMoreSeeds * sampled && std::ssize(ideas) < sampled && !stop(); i++) {
        const std::uint64_t seed =
            hash_bytes(where + " " + std::to_string(known + i), options_.tune.seed);
        std::vector<Proposal> found = tuner.proposer().sampled(seed, trials);
        if (!found.empty()) {
            take(std::move(found.front()));
        }
    }
    // Also where a small space has no other samples; before anything is measured, random walks.
    if (!stop()) {
        for (Proposal& idea : tuner.proposer().next(count, trials)) {
            take(std::move(idea));
        }
    }
    return ideas;
}

Result<std::vector<Record>> AutotuneLoop::measured(const Batch& batch, int set) const {
    RecordFilter filter = records_of(sets_[set].tuner->key());
    filter.run = batch.run;
    Result<std::vector<Record>> all = store_.select(filter);
    if (!all) {
        return all;
    }
    std::vector<Record> records;
    for (Record& record : all.value()) {
        const auto same = std::ranges::find(records, record.schedule_hash, &Record::schedule_hash);
        if (same == records.end()) {
            records.push_back(std::move(record));
        } else {
            *same = std::move(record);
        }
    }
    return records;
}

Status AutotuneLoop::write(const Batch& batch, int set, const std::vector<Record>& records) const {
    const Tuner& tuner = *sets_[set].tuner;
    for (int i = 0; i < std::ssize(records); i++) {
        const Record& record = records[i];
        const Result<Schedule> schedule = parse_json(tuner.dag(), record.schedule);
        if (!schedule) {
            return Error{"a record of batch " + std::to_string(batch.number) + ": " +
                         schedule.error()};
        }
        const Result<std::string> header = sets_[set].given.header(tuner.dag(), schedule.value());
        if (!header) {
            return Error{header.error()};
        }
        SampleFiles files;
        files.header = header.value();
        files.json = record.schedule;
        files.featurization = featurize(tuner.dag(), schedule.value(), &tuner.task().machine);
        if (record.timed()) {
            files.sample = print_sample(record.seconds, set, batch.number * kSamplesOfBatch + i,
                                        files.featurization);
        }
        files.bench = bench_line(name_, record);
        if (Status status = folder_.write_sample(batch.number, set, i, files); !status) {
            return status;
        }
    }
    return Ok{};
}

Result<SampleFiles> AutotuneLoop::best_files(int set) const {
    const Tuner& tuner = *sets_[set].tuner;
    const Schedule& schedule = tuner.trials()[tuner.trials().best()].proposal.schedule;
    Result<std::string> header = sets_[set].given.header(tuner.dag(), schedule);
    if (!header) {
        return Error{header.error()};
    }
    SampleFiles files;
    files.header = std::move(header).value();
    files.json = print_json(tuner.dag(), schedule);
    RecordFilter filter = records_of(tuner.key());
    filter.schedule_hash = hash_text(hash(schedule, tuner.dag()));
    const Result<std::vector<Record>> records = store_.select(filter);
    if (!records) {
        return Error{records.error()};
    }
    if (!records.value().empty()) {
        files.bench = bench_line(name_, records.value().back());
    }
    return files;
}

// Of several sets, each one's, too.
Status AutotuneLoop::write_best() const {
    double fastest = 0;
    for (int set = 0; set < std::ssize(sets_); set++) {
        const double seconds = sets_[set].tuner->trials().best_seconds();
        if (seconds <= 0) {
            continue;
        }
        const Result<SampleFiles> files = best_files(set);
        if (!files) {
            return Error{files.error()};
        }
        Status status = sets_.size() > 1 ? folder_.write_best(set, files.value()) : Status(Ok{});
        if (status && (fastest == 0 || seconds < fastest)) {
            fastest = seconds;
            status = folder_.write_best(-1, files.value());
        }
        if (!status) {
            return status;
        }
    }
    return Ok{};
}

// From the start each time: trees that are added to trees would become more with every batch.
Status AutotuneLoop::learn() const {
    const Result<std::vector<Sample>> samples = read_samples(folder_.samples());
    if (!samples) {
        return Error{samples.error()};
    }
    const Result<Correction> starting = folder_.read_starting();
    if (!starting) {
        return Error{starting.error()};
    }
    if (samples.value().empty()) {
        return Ok{};
    }
    const bool none = starting.value().tree_count() == 0;
    const Result<Correction> fitted =
        fit_samples(samples.value(), {}, none ? nullptr : &starting.value());
    return fitted ? folder_.write_updated(fitted.value()) : Status(Error{fitted.error()});
}

void AutotuneLoop::report(const Batch& batch, int set, const std::vector<Record>& records) const {
    const auto timed = std::ranges::count_if(records, &Record::timed);
    std::string line = fmt::format("batch {} of {}: {} schedules, {} of them timed", batch.number,
                                   sets_[set].given.task.name, records.size(), timed);
    if (const double best = sets_[set].tuner->trials().best_seconds(); best > 0) {
        line += fmt::format("; best so far {:.4g} ms", best * 1e3);
    }
    options_.tell(line);
}

double AutotuneLoop::best_seconds() const {
    double best = 0;
    for (const Set& set : sets_) {
        const double seconds = set.tuner->trials().best_seconds();
        best = seconds > 0 && (best == 0 || seconds < best) ? seconds : best;
    }
    return best;
}

double AutotuneLoop::first_seconds() const {
    const Trials& trials = sets_.front().tuner->trials();
    return trials.count() > 0 ? trials[0].seconds : 0;
}

}  // namespace nestor
