// nestor bench

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/hash.h"
#include "bench/contest.h"
#include "bench/report.h"
#include "cli/command.h"
#include "cli/generator.h"
#include "cli/halide_library.h"
#include "cli/open_pipeline.h"
#include "cli/plugin_path.h"
#include "cli/scratch.h"
#include "measure/measurement.h"
#include "plugin/schedule_pipeline.h"

namespace nestor {

namespace {

constexpr const char* kBenchExamples = R"(
Examples:
  nestor bench build/release/corpus/*.generator --inputs corpus --json board.json
      the board: every pipeline with every scheduler; speeds relative to the hand-written schedule
  nestor bench harris.generator -p width=640 -p height=480 --threads 1 --details
      one pipeline at another size, with all that is known of each version
  nestor bench harris.generator --versions expert,Nestor,Adams2019:autoscheduler.beam_size=8
      chosen versions; the first is what the others are relative to
  nestor bench build/release/corpus/*.generator --signature
      measures nothing: what is chosen for each pipeline, as one number that tells whether
      behaviour changed

Versions: expert (what the generator does by itself), Nestor, no-search, unscheduled, Adams2019,
Adams2019-greedy, Mullapudi2016, Li2018 or another plug-in beside libHalide, each with parameters of
the generator behind colons. Everything is built before anything is timed; outputs are compared with
the first version's; those that are right are timed in turns, each in a process of its own. A speed
is the median of the ratios within a turn. What fails or is wrong has none.)";

struct BenchCommand {
    std::vector<std::string> generators;
    std::string name;
    std::vector<std::string> params;
    std::string versions = default_contenders();
    std::string plugin, json_file, folder, required;
    int parallelism = 0;  // 0: as many as threads
    int passes = 5;
    bool details = false, markdown = false, quiet = false, signature = false;
    std::string arguments;
    ContestOptions contest;
};

void say(const BenchCommand& options, const std::string& text) {
    if (!options.quiet) {
        std::cerr << text << "\n";
    }
}

struct Entry {
    std::string generator, name;
};

Result<std::vector<Entry>> entries(const BenchCommand& options) {
    std::vector<Entry> all;
    for (const std::string& path : options.generators) {
        const Result<Generator> generator = Generator::open(path);
        if (!generator) {
            return Error{generator.error()};
        }
        if (!options.name.empty()) {
            all.push_back({generator.value().path(), options.name});
            continue;
        }
        const Result<std::vector<std::string>> names = generator.value().names();
        if (!names) {
            return Error{names.error()};
        }
        for (const std::string& name : names.value()) {
            all.push_back({generator.value().path(), name});
        }
    }
    return all;
}

Result<std::vector<Contest>> make_contests(const BenchCommand& options, const std::string& folder) {
    const Result<std::vector<Contender>> contenders = parse_contenders(options.versions);
    if (!contenders) {
        refuse_usage(contenders.error());
    }
    const Result<std::string> plugin = find_plugin(options.plugin);
    if (!plugin) {
        return Error{plugin.error()};
    }
    const Result<std::vector<Entry>> found = entries(options);
    if (!found) {
        return Error{found.error()};
    }
    std::vector<Contest> contests;
    for (const Entry& entry : found.value()) {
        ContestOptions contest = options.contest;
        contest.contenders = contenders.value();
        contest.build.generator = std::filesystem::absolute(entry.generator).string();
        contest.build.name = entry.name;
        contest.build.folder = folder;
        contest.build.nestor_plugin = plugin.value();
        contest.build.rivals = halide_library_folder();
        contest.build.params = options.params;
        contest.build.parallelism = options.parallelism > 0 ? options.parallelism : contest.threads;
        contest.timing.seconds /= options.passes;
        contest.say = [&options, name = entry.name](const std::string& text) {
            say(options, name + ": " + text);
        };
        contests.emplace_back(std::move(contest));
    }
    return contests;
}

/** For programs that make inputs: the arguments of each pipeline, as FOLDER/NAME/arguments.json. */
Status write_arguments(std::vector<Contest>& contests, const std::string& folder) {
    for (Contest& contest : contests) {
        if (Status status = contest.prepare(); !status) {
            return Error{contest.name() + ": " + status.error()};
        }
        const std::string own = folder + "/" + contest.name();
        if (Status status = make_directory(own); !status) {
            return status;
        }
        if (Status status =
                write_file(own + "/arguments.json", arguments_json(contest.shape()).dump(1) + "\n");
            !status) {
            return status;
        }
    }
    return Ok{};
}

/** An Error unless a version of that label is right everywhere. */
Status check_required(const std::string& label, const std::vector<BoardRow>& board) {
    for (const BoardRow& row : board) {
        const bool right = std::any_of(
            row.versions.begin(), row.versions.end(),
            [&](const Version& each) { return each.contender.label == label && each.healthy(); });
        if (!label.empty() && !right) {
            return Error{row.pipeline + ": " + label + " is not right"};
        }
    }
    return Ok{};
}

Status compete(const BenchCommand& options) {
    const Result<Scratch> scratch = Scratch::create();
    if (!scratch) {
        return Error{scratch.error()};
    }
    const std::string folder = options.folder.empty()
                                   ? scratch.value().path()
                                   : std::filesystem::absolute(options.folder).string();
    Result<std::vector<Contest>> made = make_contests(options, folder);
    if (!made) {
        return Error{made.error()};
    }
    std::vector<Contest>& contests = made.value();
    const MachineState machine = machine_state(options.contest.threads);
    for (Contest& contest : contests) {
        if (Status built = contest.build(); !built) {
            return built;
        }
    }
    if (!options.arguments.empty()) {
        return write_arguments(contests, options.arguments);
    }
    for (Contest& contest : contests) {
        contest.run();
    }
    std::signal(SIGPIPE, SIG_IGN);  // a runner that dies is a version's failure, not the end
    for (int pass = 0; pass < options.passes; pass++) {
        for (Contest& contest : contests) {
            contest.time();
        }
    }
    const TableStyle style = options.markdown ? TableStyle::Markdown : TableStyle::Plain;
    std::vector<BoardRow> board;
    for (const Contest& contest : contests) {
        board.push_back(contest.row());
        if (options.details) {
            std::cout << contest.name() << "\n\n" << detail_table(board.back(), style) << "\n";
        }
    }
    std::cout << board_table(board, style);
    if (!options.json_file.empty()) {
        const std::string json = board_json(board, machine).dump(1) + "\n";
        if (Status status = write_file(options.json_file, json); !status) {
            return status;
        }
    }
    return check_required(options.required, board);
}

/** For a fixed target and parallelism, whatever the machine. */
Status sign(const BenchCommand& options) {
    constexpr const char* kTarget = "x86-64-linux-avx-avx2-f16c-fma-sse41";
    const Result<std::vector<Entry>> found = entries(options);
    if (!found) {
        return Error{found.error()};
    }
    std::string all;
    std::size_t states = 0;
    for (const Entry& entry : found.value()) {
        RequestOptions asked;
        asked.path = entry.generator;
        asked.generator_name = entry.name;
        asked.target = kTarget;
        asked.plugin = options.plugin;
        asked.params = options.params;
        asked.params.emplace_back("autoscheduler.parallelism=8");
        asked.params.emplace_back("autoscheduler.machine=shipped");
        const Result<OpenedPipeline> opened = open_pipeline(read_request(asked));
        if (!opened) {
            return Error{opened.error()};
        }
        const Result<ScheduleOutcome> outcome = schedule_pipeline(
            opened.value().loaded.pipeline, opened.value().target, opened.value().params);
        if (!outcome) {
            return Error{entry.name + ": " + outcome.error()};
        }
        const ScheduleOutcome& chosen = outcome.value();
        const std::string text = hash_text(hash(chosen.schedule, chosen.dag));
        std::cout << text << "  " << entry.name << ", " << chosen.states
                  << " states: " << chosen.chosen << "\n";
        all += entry.name + text;
        states += chosen.states;
    }
    std::cout << "signature " << states << " " << hash_text(hash_bytes(all)) << "\n";
    return Ok{};
}

}  // namespace

Action define_bench(CLI::App& app) {
    const auto options = std::make_shared<BenchCommand>();
    ContestOptions& contest = options->contest;
    contest.threads = machine_state(0).cores;
    contest.timing.seconds = 60;
    contest.timing.max_rounds = 8;
    contest.timing.slow_factor = 20;
    contest.timing.slow_samples = 1;
    app.add_option("generators", options->generators,
                   "programs linked with Halide's generator main")
        ->required()
        ->type_name("GENERATOR");
    app.add_option("-g", options->name, "which generator of the program (default: each)");
    app.add_option("-p,--param", options->params, "a parameter for every version; repeatable")
        ->type_name("KEY=VALUE");
    app.add_option("--versions", options->versions, "who schedules")->capture_default_str();
    app.add_option("--threads", contest.threads, "of Halide's pool")->capture_default_str();
    app.add_option("--parallelism", options->parallelism,
                   "told to every scheduler (default: as many as threads)")
        ->check(CLI::PositiveNumber);
    app.add_option("--inputs", contest.inputs,
                   "folder with NAME/inputs.json and NAME/ARGUMENT.npy; repeatable")
        ->type_name("FOLDER");
    app.add_option("--seconds", contest.timing.seconds, "of timing at most, for each pipeline")
        ->capture_default_str();
    app.add_option("--passes", options->passes,
                   "over all pipelines, with a part of --seconds each: what disturbs the machine "
                   "for minutes does not meet one pipeline only")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    app.add_option(
           "--rounds", contest.timing.max_rounds,
           "of turns at most, in each pass: fast pipelines need no more time than slow ones")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--precision", contest.timing.precision,
                   "enough when every median is known to this part of itself")
        ->capture_default_str();
    app.add_option("--time-limit", contest.build.seconds, "seconds for one call of a generator")
        ->capture_default_str();
    app.add_option("--memory-limit", contest.build.memory_bytes,
                   "bytes for one call of a generator")
        ->transform(CLI::AsSizeValue(false))
        ->capture_default_str();
    app.add_option("--slow", contest.slow_seconds, "seconds after which a first run is given up")
        ->capture_default_str();
    app.add_option("--plugin", options->plugin, "Nestor's plug-in, or its folder");
    app.add_option("--compiler", contest.build.compiler, "links the libraries")
        ->capture_default_str();
    CLI::Option* folder =
        app.add_option("--folder", options->folder, "keep schedules, objects and libraries here");
    app.add_flag("--reuse", contest.build.reuse,
                 "take from --folder what was built there from the same generator, with the same "
                 "plug-in, parameters and limits; failures, too")
        ->needs(folder);
    app.add_option("--outputs", contest.outputs, "write all outputs, as NAME/VERSION/OUTPUT.npy");
    app.add_option("--arguments", options->arguments,
                   "write NAME/arguments.json, for programs that make inputs, and stop");
    app.add_option("--require", options->required,
                   "exit with 1 unless this version is right everywhere")
        ->type_name("VERSION");
    app.add_option("--json", options->json_file, "write everything, as JSON")->type_name("FILE");
    app.add_flag("--details", options->details, "a table for each pipeline, too");
    app.add_flag("--markdown", options->markdown, "tables as Markdown");
    app.add_flag("--signature", options->signature, "print what is chosen, and measure nothing");
    app.add_flag("--quiet", options->quiet, "no progress on stderr");
    app.footer(kBenchExamples);
    return [options] { return options->signature ? sign(*options) : compete(*options); };
}

}  // namespace nestor
