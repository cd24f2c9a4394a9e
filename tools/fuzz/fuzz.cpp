// The fuzzer: random pipelines, with the seeds and the best schedule that the search finds for
// each, and more if asked, compared with the unscheduled pipeline.
//
//     fuzz [--count N] [--seed S] [--all] [--seeds K] [--sampled K] [--random K] [--keep-going]
//
// tries pipelines S, S + 1, ... S + N - 1, each with all that the search proposes (--all) or K of
// the seeds only, K random schedules of the space that it searches, and K random legal ones. Each
// pipeline is tried in a process of its own, so that a crash or a hang of generated code is a
// finding like any other. The seed is printed before anything is tried; `fuzz --seed S --count 1`
// does it again, and `fuzz --seed S --print` shows the pipeline.

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "halide/pipeline_file.h"
#include "halide/read_pipeline.h"
#include "halide/target_machine.h"
#include "schedule/print.h"
#include "schedule/random_schedules.h"
#include "search/sample.h"
#include "support/check_schedules.h"
#include "support/isolate.h"
#include "support/random_pipeline.h"

namespace {

using nestor::testing::IsolatedResult;
using nestor::testing::SchedulesReport;

struct Totals {
    int pipelines = 0, failed = 0, accepted = 0, refused = 0;
};

// Which schedules of a pipeline are tried, beside what a user gets.
struct Choice {
    bool all = false;  // that the search proposes
    std::size_t seeds = nestor::testing::kAllSeeds;
    int sampled = 0;  // of the space that it searches
    int random = 0;   // legal ones
};

struct Options {
    int count = 200;
    std::uint64_t first = std::random_device{}();
    double limit_seconds = 120;
    Choice choice;
    bool keep_going = false;
    bool print = false;
    std::string save;
    bool pictures = false;
};

std::vector<nestor::Proposal> schedules_of(const nestor::PipelineDag& dag,
                                           const nestor::Machine& machine, const Choice& choice) {
    std::vector<nestor::Proposal> schedules =
        choice.all ? nestor::testing::all_proposals(dag, machine)
                   : nestor::testing::main_proposals(dag, machine, choice.seeds);
    const nestor::Caps caps = nestor::search_caps(dag, machine, {});
    for (nestor::Schedule& schedule :
         nestor::sample_schedules(dag, machine, caps, choice.sampled, dag.algorithm_hash)) {
        schedules.push_back({"sampled", std::move(schedule), 0});
    }
    for (int i = 0; i < choice.random; i++) {
        constexpr int kChanges = 40;
        schedules.push_back({"random " + std::to_string(i),
                             nestor::random_legal_schedule(
                                 dag, dag.algorithm_hash + static_cast<std::uint64_t>(i), kChanges),
                             0});
    }
    nestor::testing::add_folded(dag, machine, schedules);
    return schedules;
}

// A schedule as JSON, without trying anything.
std::string text_of(std::uint64_t seed, const Choice& choice, std::size_t position) {
    const nestor::testing::BuiltPipeline built = nestor::testing::random_pipeline(seed).build();
    const Halide::Target target = nestor::testing::target_of(built);
    const nestor::Result<nestor::PipelineDag> dag = nestor::read_pipeline(built.pipeline, target);
    if (!dag) {
        return dag.error();
    }
    const nestor::Proposal found =
        schedules_of(dag.value(), nestor::machine_of(target), choice).at(position);
    return found.name + "\n" + nestor::print_json(dag.value(), found.schedule);
}

int print_pipeline(std::uint64_t seed) {
    const nestor::testing::BuiltPipeline built = nestor::testing::random_pipeline(seed).build();
    const nestor::Result<nestor::PipelineDag> dag =
        nestor::read_pipeline(built.pipeline, nestor::testing::target_of(built));
    std::printf("%s", dag ? nestor::print(dag.value()).c_str() : dag.error().c_str());
    return dag ? 0 : 1;
}

int save_pipeline(std::uint64_t seed, nestor::testing::RandomSize size, const std::string& path) {
    const nestor::testing::BuiltPipeline built =
        nestor::testing::random_pipeline(seed, size).build();
    const nestor::Status saved = nestor::save_pipeline(built.pipeline, path);
    std::fprintf(stderr, "%s", saved ? "" : (saved.error() + "\n").c_str());
    return saved ? 0 : 1;
}

// "ok ACCEPTED REFUSED", or "bad " and why: what goes through the pipe from the child. Of one
// schedule only, if `only` is its position.
std::string work(std::uint64_t seed, const Choice& choice,
                 std::optional<std::size_t> only = std::nullopt) {
    bool exists = true;
    const SchedulesReport report = nestor::testing::check_schedules(
        nestor::testing::random_pipeline(seed), seed,
        [&](const nestor::PipelineDag& dag, const nestor::Machine& machine) {
            std::vector<nestor::Proposal> schedules = schedules_of(dag, machine, choice);
            if (only) {
                exists = *only < schedules.size();
                schedules =
                    exists ? std::vector{schedules[*only]} : std::vector<nestor::Proposal>{};
            }
            return schedules;
        });
    if (!exists) {
        return "none";
    }
    return report.failure.empty()
               ? "ok " + std::to_string(report.accepted) + " " + std::to_string(report.refused)
               : "bad " + report.failure;
}

// A crash does not tell what crashed: each schedule in a process of its own.
std::string find_crash(std::uint64_t seed, const Options& options) {
    const auto alone = [&](std::size_t schedule) {
        return nestor::testing::run_isolated([&] { return work(seed, options.choice, schedule); },
                                             options.limit_seconds);
    };
    if (alone(std::numeric_limits<std::size_t>::max()).text != "none") {
        return "without any schedule\n";
    }
    std::string found;
    for (std::size_t i = 0;; i++) {
        const IsolatedResult result = alone(i);
        if (result.text == "none") {
            return found;
        }
        if (!result.error.empty()) {
            found += "schedule " + std::to_string(i) + ": " + result.error + "\n" +
                     text_of(seed, options.choice, i);
        }
    }
}

bool try_one(std::uint64_t seed, const Options& options, Totals& totals) {
    nestor::testing::warm_up_jit();
    const IsolatedResult result = nestor::testing::run_isolated(
        [&] { return work(seed, options.choice); }, options.limit_seconds);
    totals.pipelines++;
    int accepted = 0, refused = 0;
    if (result.error.empty() &&
        std::sscanf(result.text.c_str(), "ok %d %d", &accepted, &refused) == 2) {
        totals.accepted += accepted;
        totals.refused += refused;
        return true;
    }
    totals.failed++;
    std::printf("FAILED seed %llu: %s%s\n%s\n", static_cast<unsigned long long>(seed),
                result.error.c_str(), result.text.c_str(),
                nestor::testing::random_pipeline(seed).description.c_str());
    if (!result.error.empty()) {
        std::printf("%s", find_crash(seed, options).c_str());
    }
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Random pipelines against every seed schedule and random ones");
    Options options;
    app.add_option("--count", options.count, "pipelines to try")->capture_default_str();
    app.add_option("--seed", options.first,
                   "of the first pipeline; the others follow (default: a new one)");
    app.add_flag("--all", options.choice.all, "all that the search proposes, not the best only");
    app.add_option("--seeds", options.choice.seeds, "of the seeds, as many on each (default: all)");
    app.add_option("--sampled", options.choice.sampled,
                   "random schedules of the space that is searched, for each, too")
        ->capture_default_str();
    app.add_option("--random", options.choice.random, "random legal schedules for each, too")
        ->capture_default_str();
    app.add_option("--limit", options.limit_seconds, "seconds for one pipeline")
        ->capture_default_str();
    app.add_flag("--keep-going", options.keep_going, "do not stop at the first failure");
    app.add_option("--save", options.save, "write the first pipeline as a .hlpipe file, and stop");
    app.add_flag("--pictures", options.pictures,
                 "what is saved has the size of a picture, to be timed");
    app.add_flag("--print", options.print, "print the first pipeline's definitions, and stop");
    CLI11_PARSE(app, argc, argv);
    if (options.print) {
        return print_pipeline(options.first);
    }
    if (!options.save.empty()) {
        return save_pipeline(options.first,
                             options.pictures ? nestor::testing::RandomSize::Picture
                                              : nestor::testing::RandomSize::Small,
                             options.save);
    }
    std::printf("seed %llu, %d pipelines\n", static_cast<unsigned long long>(options.first),
                options.count);
    std::fflush(stdout);
    const auto start = std::chrono::steady_clock::now();
    Totals totals;
    for (int i = 0; i < options.count; i++) {
        const bool ok = try_one(options.first + static_cast<std::uint64_t>(i), options, totals);
        constexpr int kReportEvery = 100;
        if ((i + 1) % kReportEvery == 0) {
            std::printf("%d of %d, %d failed\n", i + 1, options.count, totals.failed);
        }
        std::fflush(stdout);
        if (!ok && !options.keep_going) {
            break;
        }
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf(
        "%d pipelines: %d schedules compiled, run and compared; %d refused by the verifier; %.0f "
        "s\n",
        totals.pipelines, totals.accepted, totals.refused, seconds);
    std::printf("%d passed, %d failed\n", totals.pipelines - totals.failed, totals.failed);
    return totals.failed == 0 ? 0 : 1;
}
