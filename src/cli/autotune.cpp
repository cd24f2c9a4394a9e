// nestor autotune

#include <fmt/core.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/emit.h"
#include "cli/generator.h"
#include "cli/interruption.h"
#include "cli/measure_options.h"
#include "cli/open_task.h"
#include "cli/plugin_path.h"
#include "cli/scratch.h"
#include "cli/times.h"
#include "halide/parse_target.h"
#include "halide/task_target.h"
#include "plugin/weights.h"
#include "schedule/print.h"
#include "tune/autotune_loop.h"

namespace nestor {

namespace {

constexpr const char* kAutotuneExamples = R"(
Examples:
  nestor autotune build/harris.generator harris -b out -n 10
      ten batches of 32 schedules; out/samples/best.harris.schedule.h is the fastest that is right,
      out/samples/updated.weights what was learned
  nestor autotune build/harris.generator harris -b out --generator-arg-sets "width=640;height=480" width=1920
      two pipelines of one generator, by turns
  HL_WEIGHTS_DIR=out/samples ./harris.generator -g harris ... autoscheduler=Nestor
      schedules by what was learned
  autotune_loop.sh build/harris.generator harris host none bin halide out/samples
      the positional form of Halide's script: one batch

Ctrl-C or a kill loses what is being measured and nothing else: the same command completes that batch
and goes on. -n counts the batches of one call. Nothing else should run on the machine meanwhile.
More: docs/autotuning.md.)";

/** For Hexagon and Android only. */
struct DeviceOptions {
    std::string sdk;
    std::vector<std::string> devices;
    int version = 65;
};

struct AutotuneCommand {
    std::string generator;
    std::string name;
    std::vector<std::string> positional;  // behind these two: the form of Halide's script
    std::string target;
    std::string build = ".";
    std::string samples;  // empty: in `build`
    int parallel = 16;
    std::vector<std::string> arg_sets;
    std::string weights;
    std::string plugin;
    std::string halide_root;
    DeviceOptions device;
    MeasureArguments measure;
    AutotuneOptions loop;
};

/**
 * GENERATOR NAME TARGET WEIGHTS BIN [HALIDE [SAMPLES]] [ARG_SETS], as releases of Halide had it: a
 * set of arguments has a "=", and a folder none. Where its schedulers and its library are is known
 * here.
 */
void take_positional(AutotuneCommand& options) {
    constexpr std::size_t kWeights = 1;
    constexpr std::size_t kFixed = 3;
    std::vector<std::string>& words = options.positional;
    if (words.empty()) {
        return;
    }
    if (words.size() < kFixed) {
        refuse_usage(
            "give options behind GENERATOR NAME, or TARGET WEIGHTS BIN_FOLDER and so on as to "
            "Halide's autotune_loop.sh");
    }
    options.target = words.front();
    options.weights = words[kWeights] == "none" ? "" : words[kWeights];
    options.loop.batches = 1;
    std::vector<std::string> rest(words.begin() + kFixed, words.end());
    if (!rest.empty() && rest.back().find('=') != std::string::npos) {
        options.arg_sets = split(rest.back(), ' ');
        rest.pop_back();
    } else if (rest.size() > 2 && rest.back().empty()) {
        rest.pop_back();  // no sets
    }
    if (rest.size() > 2) {
        refuse_usage(rest.back() + " is no set of generator arguments, KEY=VALUE;KEY=VALUE");
    }
    if (rest.size() == 2) {
        options.samples = rest.back();
    }
}

Error not_yet(const std::string& what) {
    return Error{what +
                 " is for Hexagon and Android, which are not supported yet: schedules are measured "
                 "on this machine (--target host)"};
}

Status check_device(const CLI::App& app) {
    for (const char* option : {"--hexagon-sdk-root", "--run-device-id", "--q6-version"}) {
        if (app.get_option(option)->count() > 0) {
            return not_yet(option);
        }
    }
    return Ok{};
}

Status check_target(const std::string& text) {
    const Result<Halide::Target> target = parse_target(text);
    if (!target) {
        return Error{target.error()};
    }
    const Halide::Target& t = target.value();
    if (t.arch == Halide::Target::Hexagon || t.os == Halide::Target::Android ||
        t.has_feature(Halide::Target::HVX)) {
        return not_yet("the target " + text);
    }
    if (!is_of_host(t)) {
        return Error{"this machine cannot run what is compiled for " + text +
                     ", and autotune measures here"};
    }
    return Ok{};
}

/** What to begin with. Adams2019's weights, which its users name here, have nothing to say. */
Result<Correction> starting_weights(const AutotuneCommand& options, const TuneTask& task) {
    if (options.weights.empty()) {
        return task.weights.value_or(Correction());
    }
    if (is_foreign_weights(options.weights)) {
        std::cerr << "nestor: " << options.weights
                  << " holds no weights of Nestor; starting without (the file stays as it is)\n";
        return Correction();
    }
    return read_weights(options.weights);
}

Result<AutotuneSet> open_set(const AutotuneCommand& options, const std::string& args) {
    RequestOptions request;
    request.path = options.generator;
    request.generator_name = options.name;
    request.target = options.target;
    request.plugin = options.plugin;
    request.params = split(args, ';');
    Request read = read_request(request);
    if (Status status = check_target(read.target); !status) {
        return Error{status.error()};
    }
    read.scheduler_params.emplace("parallelism", std::to_string(options.parallel));
    Result<TuneTask> task = open_task(read, options.measure.read());
    if (!task) {
        return Error{(args.empty() ? "" : args + ": ") + task.error()};
    }
    task.value().name = options.name;
    const std::string name = identifier(options.name);
    const Halide::Target target = task.value().target;
    return AutotuneSet{request.params, std::move(task).value(),
                       [name, target](const PipelineDag& dag, const Schedule& schedule) {
                           ScheduleOutcome outcome;
                           outcome.cpp_source = print_cpp(dag, schedule);
                           return schedule_header(outcome, name, target);
                       }};
}

Result<std::vector<AutotuneSet>> open_sets(const AutotuneCommand& options) {
    std::vector<std::string> texts = options.arg_sets;
    if (texts.empty()) {
        texts.emplace_back();
    }
    std::vector<AutotuneSet> sets;
    for (const std::string& text : texts) {
        Result<AutotuneSet> set = open_set(options, text);
        if (!set) {
            return Error{set.error()};
        }
        sets.push_back(std::move(set).value());
    }
    return sets;
}

Status tell(const AutotuneLoop& loop, AutotuneLoop::End end, const SampleFolder& folder) {
    if (end == AutotuneLoop::End::Interrupted) {
        std::cerr << "interrupted; the same command goes on from here\n";
    } else if (end == AutotuneLoop::End::Exhausted) {
        std::cerr << "nothing else is left to try\n";
    }
    const double best = loop.best_seconds();
    if (best <= 0 && end != AutotuneLoop::End::Interrupted) {
        return Error{"no schedule could be measured; `nestor records list " + folder.records() +
                     "` and the bench.txt of each sample say why"};
    }
    if (best <= 0) {
        return Ok{};
    }
    std::cerr << time_text(best);
    if (const double first = loop.first_seconds(); first > 0) {
        std::cerr << fmt::format(", {:.2f} times as fast as untuned", first / best);
    }
    std::cerr << "\n";
    std::cout << folder.best_schedule() << "\n" << folder.updated_weights() << "\n";
    return Ok{};
}

/** 1. open the pipelines; 2. the folder and its records; 3. the loop; 4. tell. */
Status run(AutotuneCommand options) {
    take_positional(options);
    end_on_signals();
    Result<std::vector<AutotuneSet>> sets = open_sets(options);
    if (!sets) {
        return Error{sets.error()};
    }
    const Result<Correction> starting = starting_weights(options, sets.value().front().task);
    const Result<Scratch> scratch = Scratch::create();
    if (!starting || !scratch) {
        return Error{starting ? scratch.error() : starting.error()};
    }
    SampleFolder folder(options.samples.empty() ? options.build + "/samples" : options.samples,
                        identifier(options.name));
    if (Status status = folder.open(starting.value()); !status) {
        return status;
    }
    Result<RecordStore> store = RecordStore::open(folder.records(), RecordStore::Mode::Write);
    if (!store) {
        return Error{store.error()};
    }
    options.loop.tune.worker = {own_path(), "measure-worker"};
    options.loop.tune.stop = is_interrupted;
    options.loop.tell = [](const std::string& line) { std::cerr << line << "\n"; };
    const auto loop =
        AutotuneLoop::create(options.loop, folder, store.value(), identifier(options.name),
                             std::move(sets).value(), scratch.value().path());
    if (!loop) {
        return Error{loop.error()};
    }
    const Result<AutotuneLoop::End> end = loop.value()->run();
    return end ? tell(*loop.value(), end.value(), folder) : Status(Error{end.error()});
}

void add_device_options(CLI::App& app, DeviceOptions& device) {
    const std::string group = "For Hexagon and Android, which are not supported yet";
    app.add_option("--hexagon-sdk-root", device.sdk, "also -sdk")->type_name("DIR")->group(group);
    app.add_option("-r,--run-device-id", device.devices, "")->type_name("ID")->group(group);
    app.add_option("-v,--q6-version", device.version, "")->capture_default_str()->group(group);
}

}  // namespace

std::string respell_autotune(const std::string& word) {
    return word == "-sdk" ? "--hexagon-sdk-root" : word == "-hr" ? "--halide-root" : word;
}

Action define_autotune(CLI::App& app) {
    const auto options = std::make_shared<AutotuneCommand>();
    AutotuneOptions& loop = options->loop;
    app.add_option("generator", options->generator, "a program with generators")
        ->required()
        ->type_name("GENERATOR");
    app.add_option("name", options->name, "which of them")->required()->type_name("NAME");
    app.add_option("old", options->positional,
                   "instead of options, what Halide's autotune_loop.sh takes: TARGET WEIGHTS "
                   "BIN_FOLDER [HALIDE_FOLDER [SAMPLES_FOLDER]] [ARG_SETS]")
        ->expected(0, 6)
        ->type_name("...");
    app.add_option("-t,--target", options->target, "(default: HL_TARGET, or host)")
        ->type_name("TARGET");
    app.add_option("-b,--bld-dir", options->build, "folder in which `samples` is made")
        ->type_name("DIR")
        ->capture_default_str();
    app.add_option("-s,--batch-size", loop.batch_size, "schedules of a batch")
        ->check(CLI::Range(1, 9999))
        ->capture_default_str();
    app.add_option("-n,--num-batches", loop.batches, "batches of this call")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("-p,--parallel-factor", options->parallel,
                   "parallel tasks that schedules should expose (autoscheduler.parallelism)")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--generator-arg-sets", options->arg_sets,
                   "sets of generator parameters, \"KEY=VALUE;KEY=VALUE\" each: a batch of each")
        ->type_name("SET");
    app.add_option(
           "-w,--weights", options->weights,
           "weights to start from; they stay as they are (default: HL_WEIGHTS_DIR, or none)")
        ->type_name("FILE");
    app.add_option("--seed", loop.tune.seed, "of what is drawn at random")->capture_default_str();
    app.add_option("--plugin", options->plugin,
                   "the plug-in, if it is not beside this program (also NESTOR_PLUGIN)")
        ->type_name("FILE");
    app.add_option("--halide-root", options->halide_root, "also -hr; not used")->type_name("DIR");
    add_measure_options(app, options->measure);
    add_device_options(app, options->device);
    app.footer(kAutotuneExamples);
    return [options, &app]() -> Status {
        if (Status status = check_device(app); !status) {
            return status;
        }
        return run(*options);
    };
}

}  // namespace nestor
