// nestor generate

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <memory>

#include "base/process.h"
#include "cli/command.h"
#include "cli/generator.h"
#include "cli/halide_library.h"
#include "cli/old_arguments.h"
#include "cli/plugin_path.h"
#include "cli/scratch.h"

namespace nestor {

namespace {

constexpr const char* kGenerateExamples = R"(
Generators since Halide 15 reject -s, auto_schedule= and machine_params=. This runs the equivalent.

Examples:
  nestor generate ./harris.generator -g harris -o out -e object,c_header -p libauto_schedule.so \
      -s Adams2019 target=host auto_schedule=true machine_params=8,25165824,160
      an old build line, unchanged behind `nestor generate`
  nestor generate --dry-run ./harris.generator -g harris -o out target=host auto_schedule=true
      prints what would be run, to be copied into the build file

What each part becomes: docs/coming-from-auto-schedule.md. Everything that is not known is passed on
to the generator. Files appear whole or not at all.)";

struct GenerateCommand {
    std::string generator;
    std::string plugin;
    bool dry_run = false;
    bool verbose = false;
};

std::string find_halides_plugin(const std::string& scheduler) {
    std::string name;
    for (const char c : scheduler) {
        name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    const std::string path = halide_library_folder() + "/libautoschedule_" + name + ".so";
    return std::filesystem::exists(path) ? path : "";
}

/** Options of our own, which may stand anywhere: generators have none with two dashes. */
std::vector<std::string> take_own_options(std::vector<std::string> words,
                                          GenerateCommand& options) {
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < words.size(); i++) {
        if (words[i] == "--dry-run") {
            options.dry_run = true;
        } else if (words[i] == "--verbose") {
            options.verbose = true;
        } else if (words[i] == "--plugin" && i + 1 < words.size()) {
            options.plugin = words[++i];
        } else if (words[i].starts_with("--")) {
            refuse_usage("unknown option " + words[i]);
        } else {
            rest.push_back(words[i]);
        }
    }
    return rest;
}

Status run_generator(const Generator& generator, TranslatedArguments& translated) {
    std::optional<Staging> staging;
    if (translated.output_folder) {
        std::string& folder = translated.words[*translated.output_folder];
        Result<Staging> made = Staging::create(folder);
        if (!made.ok()) {
            return Error{made.error()};
        }
        staging.emplace(std::move(made).value());
        folder = staging->path();
    }
    std::vector<std::string> command{generator.path()};
    command.insert(command.end(), translated.words.begin(), translated.words.end());
    const Result<ProcessResult> result = run_process(command, {Stream::Inherit, Stream::Copy});
    if (!result.ok()) {
        return Error{result.error()};
    }
    if (!result.value().ok()) {
        return Error{
            generator.explain_failure(command, staging ? staging->path() : "", result.value())};
    }
    if (!staging) {
        return Ok{};
    }
    const auto paths = staging->commit();
    if (!paths.ok()) {
        return Error{paths.error()};
    }
    if (paths.value().empty()) {
        const auto names = generator.names();
        return Error{names.ok() ? "the generator ended well, but wrote nothing"
                                : "nothing was written: " + names.error()};
    }
    if (translated.log_outputs) {
        std::cout << joined(paths.value(), "\n") << "\n";
    }
    return Ok{};
}

Status run(GenerateCommand options, const std::vector<std::string>& remaining) {
    const std::vector<std::string> words = take_own_options(remaining, options);
    const Result<Generator> generator = Generator::open(options.generator);
    if (!generator.ok()) {
        return Error{generator.error()};
    }
    const PluginFinder find{
        [&](const std::string& file) { return find_plugin(options.plugin, file); },
        find_halides_plugin};
    Result<TranslatedArguments> translated = translate_old_arguments(words, find);
    if (!translated.ok()) {
        return Error{translated.error()};
    }
    std::vector<std::string> command{options.generator};
    command.insert(command.end(), translated.value().words.begin(), translated.value().words.end());
    if (options.verbose) {
        for (const std::string& note : translated.value().notes) {
            std::cerr << "nestor: " << note << "\n";
        }
        std::cerr << "nestor: runs " << shell_text(command) << "\n";
    }
    if (options.dry_run) {
        std::cout << shell_text(command) << "\n";
        return Ok{};
    }
    return run_generator(generator.value(), translated.value());
}

}  // namespace

Action define_generate(CLI::App& app) {
    const auto options = std::make_shared<GenerateCommand>();
    app.add_option("generator", options->generator, "the program")
        ->required()
        ->type_name("GENERATOR");
    app.add_flag("--dry-run", options->dry_run, "print the equivalent command line, run nothing");
    app.add_flag("--verbose", options->verbose, "say what becomes of which argument");
    app.add_option("--plugin", options->plugin, "our plug-in, if it is not beside this program")
        ->type_name("FILE");
    app.prefix_command();
    app.footer(kGenerateExamples);
    return [options, &app] { return run(*options, app.remaining()); };
}

}  // namespace nestor
