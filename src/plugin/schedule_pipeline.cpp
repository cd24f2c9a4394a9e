#include "plugin/schedule_pipeline.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "base/apart.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/process.h"
#include "cost/featurization.h"
#include "halide/apply.h"
#include "halide/compiling.h"
#include "halide/read_pipeline.h"
#include "halide/verify.h"
#include "plugin/machine_choice.h"
#include "plugin/proposal_order.h"
#include "plugin/recorded_schedule.h"
#include "plugin/save.h"
#include "plugin/tune.h"
#include "plugin/weights.h"
#include "schedule/legality.h"
#include "schedule/print.h"
#include "search/folds.h"
#include "search/limits.h"
#include "search/search.h"
#include "search/storage.h"

namespace nestor {

namespace {

// Several times what schedules of the corpus take to lower (100,000 nodes of code: 1 to 3 s), on a
// machine with other things to do. Where Halide's simplifier explodes, no time is enough, and the
// next candidate is not far behind; who brings a schedule has no other.
constexpr double kLoweringSeconds = 2;
constexpr double kLoweringSecondsOfNode = 3e-5;
constexpr double kReplaySeconds = 60;
constexpr double kWithoutAnother = 1.5;  // times as much for a candidate while none has passed
constexpr double kTimesBaseline = 10;
// What LLVM takes is looked at only where one loop has hundreds of loads and dozens of stores: of
// the corpus that are three pipelines of 38, which compile in three to six seconds. For all
// others, to compile twice would be the larger loss. The limit is three times that, so that a
// schedule does not depend on how busy a machine is.
constexpr std::int64_t kManyAccessPairs = 20'000;
constexpr double kCompilingSeconds = 20;
// Where Halide does not fold what slides, a schedule is slower than was predicted, and given up for
// one that may take so much of its time, until so many nodes of code were lowered (about two
// seconds); from then on for one that is much faster.
constexpr double kWorthLowering = 0.97;
constexpr double kWellWorthLowering = 0.7;
constexpr std::int64_t kMostLowered = 100'000;
constexpr std::int64_t kMostLoweredForMuch = 3 * kMostLowered;

/** 1. read; 2. propose candidates, cheapest first; 3. verify them on copies, until none of the
 * others is predicted to be faster than the best that passed; 4. apply it; 5. print and save. */
class Scheduling {
  public:
    Scheduling(const Halide::Pipeline& pipeline, const Halide::Target& target, const Params& params)
        : pipeline_(pipeline),
          target_(target),
          params_(params),
          limits_(params.time_limit, params.search_memory) {}

    Result<ScheduleOutcome> run() {
        Result<PipelineDag> dag = read_pipeline(pipeline_, target_, {params_.default_extent});
        if (!dag) {
            return Error{dag.error()};
        }
        outcome_.dag = std::move(dag).value();
        step("read");
        note_pinned();
        const Halide::Pipeline original = deep_copy(pipeline_);  // what save= keeps
        const bool recorded = !params_.records.empty() || params_.trials > 0;
        Status chosen = !params_.schedule.empty() ? replay() : recorded ? recall() : choose();
        if (!chosen) {
            return Error{chosen.error()};
        }
        if (Status status = apply(pipeline_, outcome_.dag, outcome_.schedule); !status) {
            return Error{
                "the schedule could be applied to a copy of the pipeline, but not to the pipeline "
                "itself: " +
                status.error()};
        }
        step("apply");
        outcome_.cpp_source = print_cpp(outcome_.dag, outcome_.schedule);
        outcome_.featurization = featurization();
        step("print");
        if (!params_.save.empty()) {
            if (Status status = save(params_.save, original, outcome_.dag, outcome_.schedule);
                !status) {
                return Error{status.error()};
            }
            step("save");
        }
        finish_report();
        return std::move(outcome_);
    }

  private:
    Status choose() {
        const Result<Machine> machine = choose_machine(target_, params_);
        if (!machine) {
            return Error{machine.error()};
        }
        if (Status status = read_correction(); !status) {
            return status;
        }
        candidates_ = propose(machine.value());
        step("propose");
        Result<Verifier> verifier = Verifier::create(pipeline_, target_);
        if (!verifier) {
            return Error{verifier.error()};
        }
        baseline_seconds_ = step("baseline");
        for (;;) {
            while (wants_another()) {
                try_next(machine.value(), verifier.value());
            }
            const auto best = this->best();
            if (best == passed_.end()) {
                note(1, std::string("no candidate was found in time or passed (") +
                            stop_reason_text(stop_) + "); left as it is");
                return accept("unscheduled", empty_schedule(outcome_.dag));
            }
            if (const Status status = compile(*best); !status) {
                note(2, best->candidate.name + ": refused: " + status.error());
                endless_.push_back(best->proposal);
                passed_.erase(best);
                continue;
            }
            std::ranges::stable_sort(outcome_.candidates, {}, &Compared::seconds);
            outcome_.lowered = best->tried.lowered;
            return accept(best->candidate.name, best->candidate.schedule);
        }
    }

    // What is known of a program that was lowered.
    struct Tried {
        Lowered lowered;
        std::int64_t access_pairs = 0;  // Observed::access_pairs
    };

    struct Passed {
        Compared candidate;
        Tried tried;
        const Proposal* proposal;  // of candidates_
    };

    [[nodiscard]] std::vector<Passed>::const_iterator best() const {
        return std::ranges::min_element(passed_, {},
                                        [](const Passed& each) { return each.candidate.seconds; });
    }

    [[nodiscard]] bool wants_another() const {
        if (next_ == candidates_.size() || gave_up_) {
            return false;
        }
        const auto best = this->best();
        return best == passed_.end() ||
               (stop_ == StopReason::Finished &&
                candidates_[next_].seconds < worth_lowering() * best->candidate.seconds);
    }

    void try_next(const Machine& machine, const Verifier& verifier) {
        const std::size_t place = next_++;
        const Proposal& proposal = candidates_[place];
        if (last_passed_ != nullptr && is_needless(proposal, *last_passed_)) {
            return;
        }
        // Guards are more for Halide to simplify, not less.
        if (std::ranges::any_of(
                endless_, [&](const Proposal* each) { return are_of_one_plan(proposal, *each); })) {
            note(2, proposal.name + ": not tried: as what took too long, but for its guards");
            return;
        }
        // Without time for another, what has less code than what took that time, once, and else
        // what surely lowers.
        if (stop_ != StopReason::Finished && !proposal.is_seed) {
            if (endless_.empty() || tried_late_ ||
                !has_less_code(outcome_.dag, proposal, *endless_.back())) {
                return;
            }
            tried_late_ = true;
        }
        const bool took_too_long = !consider({proposal.name, proposal.seconds, proposal.schedule},
                                             proposal, machine, verifier);
        if (took_too_long) {
            endless_.push_back(&proposal);
            put_off_larger(outcome_.dag, place, candidates_);
        }
        const bool passed = !passed_.empty() && passed_.back().proposal == &proposal;
        last_passed_ = passed ? &proposal : last_passed_;
        if (stop_ != StopReason::Finished) {
            gave_up_ = !passed && proposal.is_seed;
            return;
        }
        stop_ = limits_.check();  // after the first: one is always tried
        if (!passed || stop_ != StopReason::Finished) {
            return;
        }
        Compared folded = this->folded(passed_.back(), machine);
        if (folded.seconds < kWorthLowering * best()->candidate.seconds) {
            consider(std::move(folded), proposal, machine, verifier);
        }
    }

    // Of two forms of one schedule, of which the other has passed: guards where inputs are clamped
    // at a constant are for what reads too much without them, and what has them needs no others.
    [[nodiscard]] static bool is_needless(const Proposal& candidate, const Proposal& passed) {
        return are_of_one_plan(candidate, passed) &&
               (candidate.lineage->guards == Guards::ConstantEnds ||
                passed.lineage->guards == Guards::ConstantEnds);
    }

    [[nodiscard]] static bool are_of_one_plan(const Proposal& a, const Proposal& b) {
        return a.lineage && b.lineage && a.lineage->space == b.lineage->space &&
               a.lineage->plan == b.lineage->plan;
    }

    // What another candidate may take of the best one's time to be tried, too.
    [[nodiscard]] double worth_lowering() const {
        return lowered_ < kMostLowered          ? kWorthLowering
               : lowered_ < kMostLoweredForMuch ? kWellWorthLowering
                                                : 0;
    }

    // With circular buffers that Halide did not find by itself.
    [[nodiscard]] Compared folded(const Passed& passed, const Machine& machine) const {
        Lowered lowered = passed.tried.lowered;
        Schedule schedule = with_kept_storage(
            outcome_.dag,
            with_folds(outcome_.dag, passed.candidate.schedule, machine, &lowered.allocated));
        std::erase_if(lowered.allocated, [&](const auto& each) {
            return schedule.functions[each.first].fold.has_value();
        });
        const double seconds = predicted_seconds(schedule, machine, lowered);
        return {passed.candidate.name + ", folded", seconds, std::move(schedule)};
    }

    // Tries one out, and predicts it again with what is known of the program then. False: it took
    // too long.
    bool consider(Compared candidate, const Proposal& proposal, const Machine& machine,
                  const Verifier& verifier) {
        const std::int64_t nodes = code_size(outcome_.dag, candidate.schedule);
        const double patience = passed_.empty() ? kWithoutAnother : 1;
        const double limit =
            patience * (kLoweringSeconds + kLoweringSecondsOfNode * static_cast<double>(nodes)) +
            kTimesBaseline * baseline_seconds_;
        Result<Tried> tried = try_out(candidate.schedule, verifier, limit);
        const double taken = step("verify");
        lowered_ += nodes;
        if (!tried) {
            note(2, candidate.name + ": refused: " + tried.error());
            return taken < limit;
        }
        candidate.seconds = predicted_seconds(candidate.schedule, machine, tried.value().lowered);
        note(2, candidate.name + ": lowered, predicted " + std::to_string(candidate.seconds * 1e3) +
                    " ms");
        const auto known = std::ranges::find(outcome_.candidates, candidate.name, &Compared::name);
        if (known == outcome_.candidates.end()) {
            outcome_.candidates.push_back(candidate);
        } else {
            known->seconds = candidate.seconds;
        }
        passed_.push_back({std::move(candidate), std::move(tried).value(), &proposal});
        return true;
    }

    // Whether LLVM is through with it in time, where that is in question.
    Status compile(const Passed& passed) {
        if (passed.tried.access_pairs < kManyAccessPairs) {
            return Ok{};
        }
        const Result<std::string> compiled = ask_of_copy(
            passed.candidate.schedule, kCompilingSeconds,
            [&](const Halide::Pipeline& copy) -> Result<std::string> {
                const Status status = compile_away(copy, target_);
                return status ? Result<std::string>(std::string()) : Error{status.error()};
            });
        step("compile");
        return compiled ? Status(Ok{}) : Error{"compiling: " + compiled.error()};
    }

    [[nodiscard]] double predicted_seconds(const Schedule& schedule, const Machine& machine,
                                           const Lowered& lowered) const {
        return predict(outcome_.dag, schedule, machine, correction_ ? &*correction_ : nullptr,
                       lowered)
            .cost.total();
    }

    // Without what is learned from where there is nothing to learn.
    [[nodiscard]] std::vector<std::uint8_t> featurization() const {
        const Result<Machine> machine = choose_machine(target_, params_);
        const bool known = machine && !(outcome_.schedule == empty_schedule(outcome_.dag));
        const std::string text =
            featurize(outcome_.dag, outcome_.schedule, known ? &machine.value() : nullptr);
        return {text.begin(), text.end()};
    }

    Status read_correction() {
        Result<std::optional<Correction>> read = read_optional_weights(params_.weights_path);
        if (!read) {
            return Error{read.error()};
        }
        correction_ = std::move(read).value();
        if (!correction_) {
            return Ok{};
        }
        note(1, "weights: " + params_.weights_path + ", model " +
                    hash_text(correction_->model_hash()) + ", fitted to " + correction_->note());
        return Ok{};
    }

    [[nodiscard]] std::vector<Proposal> propose(const Machine& machine) {
        SearchResult found = search(outcome_.dag, machine,
                                    {caps(),
                                     params_.beam_size,
                                     params_.num_passes,
                                     {params_.random_dropout, params_.random_dropout_seed},
                                     correction_ ? &*correction_ : nullptr,
                                     params_.moves},
                                    limits_);
        outcome_.states += found.states;
        for (const Proposal& each : found.proposals) {
            note(2, each.name + ": predicted " + std::to_string(each.seconds * 1e3) + " ms");
            outcome_.candidates.push_back({each.name, each.seconds, each.schedule});
        }
        return std::move(found.proposals);
    }

    Status replay() {
        if (params_.schedule == "none") {
            return accept("none, as asked", empty_schedule(outcome_.dag));
        }
        const Result<std::string> text = read_file(params_.schedule);
        if (!text) {
            return Error{text.error()};
        }
        const Result<Schedule> schedule = parse_json(outcome_.dag, text.value());
        if (!schedule) {
            return Error{params_.schedule + ": " + schedule.error()};
        }
        if (const Status status = verify_given(schedule.value()); !status) {
            return Error{params_.schedule + ": " + status.error()};
        }
        return accept("replayed from " + params_.schedule, schedule.value());
    }

    Status verify_given(const Schedule& schedule) {
        const Result<Verifier> verifier = Verifier::create(pipeline_, target_);
        if (!verifier) {
            return Error{verifier.error()};
        }
        baseline_seconds_ = step("baseline");
        Result<Tried> tried = try_out(schedule, verifier.value(),
                                      kReplaySeconds + kTimesBaseline * baseline_seconds_);
        step("verify");
        if (!tried) {
            return Error{tried.error()};
        }
        outcome_.lowered = std::move(tried).value().lowered;
        return Ok{};
    }

    // The best schedule that was measured; search where there is none.
    Status recall() {
        Params params = params_;
        if (params.trials > 0) {
            const Result<TuningResult> tuned = tune(pipeline_, target_, params_);
            if (!tuned) {
                return Error{tuned.error()};
            }
            step("tune");
            if (!tuned.value().problem.empty()) {
                outcome_.warnings.push_back("tuning failed: " + tuned.value().problem);
            }
            params.records = tuned.value().records;
            std::error_code ignored;
            if (params.records.empty() || !std::filesystem::exists(params.records, ignored)) {
                return choose();
            }
        }
        return recall(params);
    }

    Status recall(const Params& params) {
        const Result<RecordedSchedule> recorded = recorded_schedule(outcome_.dag, target_, params);
        if (!recorded) {
            return Error{recorded.error()};
        }
        step("records");
        if (was_interrupted()) {
            return Error{"interrupted"};
        }
        const RecordedSchedule& found = recorded.value();
        if (found.schedule.empty()) {
            const std::string line = params.records + ": " + found.about + "; searching instead";
            if (found.expected) {
                note(1, line);
            } else {
                outcome_.warnings.push_back(line);
            }
            return choose();
        }
        const Result<Schedule> schedule = parse_json(outcome_.dag, found.schedule);
        const Status status = schedule ? verify_given(schedule.value()) : Error{schedule.error()};
        if (!status) {
            outcome_.warnings.push_back(params.records + ": its best schedule is refused: " +
                                        status.error() + "; searching instead");
            return choose();
        }
        note(1, params.records + ": " + found.about);
        return accept("recorded in " + params.records, schedule.value());
    }

    [[nodiscard]] Caps caps() const {
        Caps caps;
        caps.peak_bytes = params_.memory_limit;
        return caps;
    }

    // Legal as data, then on a copy, which may take so much of a processor's time and some times
    // the baseline's time.
    [[nodiscard]] Result<Tried> try_out(const Schedule& schedule, const Verifier& verifier,
                                        double seconds) {
        const auto violations = check_legality(outcome_.dag, schedule, caps());
        step("legality");
        if (!violations.empty()) {
            return Error{"the schedule is not legal: " + violations.front().where + ": " +
                         violations.front().what};
        }
        const Result<std::string> answer = ask_of_copy(
            schedule, seconds, [&](const Halide::Pipeline& copy) -> Result<std::string> {
                Observed observed;
                if (Status status = verifier.verify(copy, &observed); !status) {
                    return Error{status.error()};
                }
                return to_line(observed);
            });
        if (!answer) {
            return Error{answer.error()};
        }
        return from_line(answer.value());
    }

    // What `body` has to say of a copy with this schedule, in a process apart: lowering and
    // compiling crash on some schedules, and never end with others.
    template <class Body>
    [[nodiscard]] Result<std::string> ask_of_copy(const Schedule& schedule, double seconds,
                                                  const Body& body) const {
        return ask_apart(
            [&]() -> Result<std::string> {
                const Halide::Pipeline copy = deep_copy(pipeline_);
                if (Status status = apply(copy, outcome_.dag, schedule); !status) {
                    return Error{status.error()};
                }
                return body(copy);
            },
            seconds, Clock::Processor);
    }

    // The pairs of accesses, and what was observed of each function: its index, its bytes or -1,
    // the number of its stages, and for each how often its innermost loops run, or -1.
    [[nodiscard]] std::string to_line(const Observed& observed) const {
        std::ostringstream line;
        line << observed.access_pairs << ' ';
        for (std::size_t f = 0; f < outcome_.dag.functions.size(); f++) {
            const Function& function = outcome_.dag.functions[f];
            line << f << ' ' << allocated_bytes(observed, function).value_or(-1) << ' '
                 << function.stages.size() << ' ';
            for (const Stage& stage : function.stages) {
                line << innermost_runs(observed, function, stage.index).value_or(-1) << ' ';
            }
        }
        return line.str();
    }

    [[nodiscard]] static Tried from_line(const std::string& text) {
        Tried tried;
        Lowered& lowered = tried.lowered;
        std::istringstream line(text);
        line >> tried.access_pairs;
        int function = 0;
        std::int64_t bytes = 0;
        int stages = 0;
        while (line >> function >> bytes >> stages) {
            if (bytes >= 0) {
                lowered.allocated[function] = bytes;
            }
            double runs = -1;
            for (int s = 0; s < stages && line >> runs; s++) {
                if (runs >= 0) {
                    lowered.runs[{function, s}] = runs;
                }
            }
        }
        return tried;
    }

    Status accept(const std::string& name, const Schedule& schedule) {
        outcome_.chosen = name;
        outcome_.schedule = schedule;
        return Ok{};
    }

    // The seconds since the last one.
    double step(const std::string& name) {
        const double now = limits_.elapsed_seconds();
        const auto known = std::find_if(outcome_.steps.begin(), outcome_.steps.end(),
                                        [&](const StepTime& each) { return each.step == name; });
        if (known == outcome_.steps.end()) {
            outcome_.steps.push_back({name, now - last_});
        } else {
            known->seconds += now - last_;
        }
        return now - std::exchange(last_, now);
    }

    void note(int verbosity, const std::string& line) {
        if (params_.verbosity >= verbosity) {
            report_ << line << '\n';
        }
    }

    void note_pinned() {
        for (const Function& f : outcome_.dag.functions) {
            if (f.pinned) {
                note(1, f.id.text() + ": left as it is (" + *f.pinned + ")");
            }
        }
    }

    void finish_report() {
        note(1, "chosen: " + outcome_.chosen + ", schedule " +
                    hash_text(hash(outcome_.schedule, outcome_.dag)));
        for (const StepTime& each : outcome_.steps) {
            note(1, "  " + each.step + " " + std::to_string(each.seconds * 1e3) + " ms");
        }
        note(2, print_loop_nest(outcome_.dag, outcome_.schedule));
        outcome_.report = report_.str();
    }

    const Halide::Pipeline& pipeline_;
    const Halide::Target& target_;
    const Params& params_;
    Limits limits_;
    double last_ = 0;
    double baseline_seconds_ = 0;  // of lowering the pipeline as it is
    std::vector<Proposal> candidates_;
    std::size_t next_ = 0;        // of candidates_, to be tried
    std::vector<Passed> passed_;  // in the order in which they were tried
    const Proposal* last_passed_ = nullptr;
    std::vector<const Proposal*> endless_;  // what took too long to lower or to compile
    StopReason stop_ = StopReason::Finished;
    bool tried_late_ = false;
    bool gave_up_ = false;
    std::int64_t lowered_ = 0;  // nodes of code of all candidates that were tried
    std::optional<Correction> correction_;
    std::ostringstream report_;
    ScheduleOutcome outcome_;
};

}  // namespace

Result<ScheduleOutcome> schedule_pipeline(const Halide::Pipeline& pipeline,
                                          const Halide::Target& target, const Params& params) {
    return Scheduling(pipeline, target, params).run();
}

}  // namespace nestor
