#include "cli/produce.h"

#include <filesystem>
#include <iostream>
#include <utility>

#include "base/files.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "cli/generator.h"
#include "cli/open_pipeline.h"
#include "cli/plugin_path.h"
#include "cli/scratch.h"
#include "halide/apply.h"
#include "plugin/schedule_pipeline.h"
#include "schedule/print.h"

namespace nestor {

namespace fs = std::filesystem;

namespace {

struct Format {
    const char* name;
    const char* ending;  // of the file that a generator or the plug-in writes
};

constexpr Format kFormats[] = {
    {"cpp", ".schedule.h"}, {"python", ".schedule.py"}, {"json", ".schedule.json"}};

std::string ending_of(const std::string& format) {
    for (const Format& row : kFormats) {
        if (format == row.name) {
            return row.ending;
        }
    }
    refuse_usage("no format " + format);
}

void print_paths(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
        std::cout << path << "\n";
    }
}

/** 1. check what was asked for; 2. run the generator into a folder of ours; 3. print or keep what
 * it wrote. */
class FromGenerator {
  public:
    FromGenerator(const Request& request, const OutputOptions& options)
        : request_(request), options_(options) {}

    Status run() {
        const Result<Generator> generator = Generator::open(request_.path);
        if (!generator.ok()) {
            return Error{generator.error()};
        }
        const Result<std::string> plugin = find_plugin(request_.plugin);
        if (!plugin.ok()) {
            return Error{plugin.error()};
        }
        const Result<std::string> name = generator.value().choose_name(request_.generator_name);
        if (!name.ok()) {
            return Error{name.error()};
        }
        job_.name = name.value();
        job_.plugin = plugin.value();
        job_.target = request_.target;
        job_.params = request_.all_params();
        return options_.wants_files() ? write_files(generator.value())
                                      : print_schedule(generator.value());
    }

  private:
    Status write_files(const Generator& generator) {
        Result<Staging> staging = Staging::create(options_.directory);
        if (!staging.ok()) {
            return Error{staging.error()};
        }
        job_.directory = staging.value().path();
        job_.outputs = split(options_.emits.empty() ? kDefaultOutputs : options_.emits, ',');
        job_.function = options_.function;
        job_.base_name = options_.base_name;
        if (Status status = generator.run(job_); !status.ok()) {
            return status;
        }
        const auto paths = staging.value().commit();
        if (!paths.ok()) {
            return Error{paths.error()};
        }
        if (paths.value().empty()) {
            return generator.wrote_nothing(job_);
        }
        print_paths(paths.value());
        return Ok{};
    }

    Status print_schedule(const Generator& generator) {
        const Result<Scratch> scratch = Scratch::create();
        if (!scratch.ok()) {
            return Error{scratch.error()};
        }
        job_.directory = scratch.value().path();
        job_.outputs = {"schedule"};
        job_.function = options_.function;
        // Formats other than C++ are files that the plug-in saves; a folder that the user wants
        // them in may hold others' already.
        std::string wanted;
        if (options_.format != "cpp") {
            Request saving = request_;
            wanted = std::exchange(saving.scheduler_params["save"], scratch.value().path());
            job_.params = saving.all_params();
        }
        if (Status status = generator.run(job_); !status.ok()) {
            return status;
        }
        const std::string file = scratch.value().only_file(ending_of(options_.format));
        if (file.empty()) {
            return generator.wrote_nothing(job_);
        }
        const Result<std::string> text = read_file(file);
        if (!text.ok()) {
            return Error{text.error()};
        }
        if (!wanted.empty()) {
            if (Status status = keep(scratch.value(), wanted); !status.ok()) {
                return status;
            }
        }
        std::cout << text.value();
        return Ok{};
    }

    static Status keep(const Scratch& scratch, const std::string& folder) {
        if (Status status = make_directory(folder); !status.ok()) {
            return status;
        }
        for (const std::string& name : scratch.files()) {
            if (name.ends_with(".schedule.h")) {
                continue;  // the generator's, not the plug-in's
            }
            const Result<std::string> contents = read_file(scratch.path() + "/" + name);
            if (!contents.ok()) {
                return Error{contents.error()};
            }
            if (Status status = write_file(folder + "/" + name, contents.value()); !status.ok()) {
                return status;
            }
        }
        return Ok{};
    }

    const Request& request_;
    const OutputOptions& options_;
    GeneratorJob job_;
};

/** The same for a .hlpipe file, in this process. */
class FromPipeline {
  public:
    FromPipeline(const Request& request, const OutputOptions& options)
        : request_(request), options_(options) {}

    Status run() {
        Result<OpenedPipeline> opened = open_pipeline(request_);
        if (!opened.ok()) {
            return Error{opened.error()};
        }
        const OpenedPipeline& pipeline = opened.value();
        const std::string stem = fs::path(request_.path).stem();
        job_.target = pipeline.target;
        job_.outputs = split(options_.emits.empty() ? kDefaultOutputs : options_.emits, ',');
        job_.function = options_.function.empty() ? identifier(stem) : options_.function;
        job_.base_name = options_.base_name.empty() ? job_.function : options_.base_name;
        if (options_.wants_files()) {
            if (Status status = check_outputs(job_); !status.ok()) {
                return status;
            }
        }
        const Halide::Pipeline original = deep_copy(pipeline.loaded.pipeline);
        const Result<ScheduleOutcome> outcome =
            schedule_pipeline(pipeline.loaded.pipeline, pipeline.target, pipeline.params);
        if (!outcome.ok()) {
            return Error{request_.path + ": " + outcome.error()};
        }
        for (const std::string& warning : outcome.value().warnings) {
            std::cerr << "nestor: " << warning << "\n";
        }
        std::cerr << outcome.value().report;
        return options_.wants_files() ? write_files(pipeline.loaded, original, outcome.value())
                                      : print_schedule(outcome.value());
    }

  private:
    Status write_files(const LoadedPipeline& scheduled, const Halide::Pipeline& original,
                       const ScheduleOutcome& outcome) {
        Result<Staging> staging = Staging::create(options_.directory);
        if (!staging.ok()) {
            return Error{staging.error()};
        }
        job_.directory = staging.value().path();
        if (Status status = emit(job_, scheduled, original, outcome); !status.ok()) {
            return status;
        }
        const auto paths = staging.value().commit();
        if (!paths.ok()) {
            return Error{paths.error()};
        }
        print_paths(paths.value());
        return Ok{};
    }

    [[nodiscard]] Status print_schedule(const ScheduleOutcome& outcome) const {
        if (options_.format == "json") {
            std::cout << print_json(outcome.dag, outcome.schedule);
            return Ok{};
        }
        if (options_.format == "python") {
            std::cout << print_python(outcome.dag, outcome.schedule);
            return Ok{};
        }
        const Result<std::string> text = schedule_header(outcome, job_.function, job_.target);
        if (!text.ok()) {
            return Error{text.error()};
        }
        std::cout << text.value();
        return Ok{};
    }

    const Request& request_;
    const OutputOptions& options_;
    EmitJob job_;
};

}  // namespace

void add_output_options(CLI::App& app, OutputOptions& options) {
    app.add_option("--format", options.format, "of the printed schedule: cpp, python or json")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"cpp", "python", "json"}))
        ->capture_default_str();
    app.add_option("-e,--emit", options.emits,
                   "write files instead, separated by commas: object, static_library, c_header, "
                   "assembly, stmt, schedule, featurization, ...; with -o alone, " +
                       std::string(kDefaultOutputs))
        ->type_name("OUTPUTS");
    app.add_option("-o,--output", options.directory, "folder of the files (default: this one)")
        ->type_name("DIR");
    app.add_option("-n,--name", options.base_name, "of the files, without extension")
        ->type_name("BASENAME");
    app.add_option("-f,--function", options.function, "name of the compiled function")
        ->type_name("FUNCTION");
}

Status produce(const Request& request, const OutputOptions& options) {
    return request.is_pipeline ? FromPipeline(request, options).run()
                               : FromGenerator(request, options).run();
}

}  // namespace nestor
