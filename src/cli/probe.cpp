// nestor probe

#include "probe/probe.h"

#include <filesystem>
#include <iostream>
#include <memory>

#include "base/files.h"
#include "cli/command.h"
#include "halide/parse_target.h"
#include "halide/target_machine.h"
#include "machine/machine_file.h"
#include "machine/machine_table.h"
#include "plugin/machine_choice.h"

namespace nestor {

namespace {

constexpr const char* kProbeExamples = R"(
Examples:
  nestor probe
      measures this machine (about a minute; let it do nothing else) and keeps the result where
      the plug-in finds it
  nestor probe --show
      what schedules are made for now; measures nothing
  nestor probe --show --target arm-64-linux
      the same for another target
  nestor probe -o here.json
      keeps the result elsewhere: autoscheduler.machine=here.json uses it

Without a probe, or with autoscheduler.machine=shipped, the profile that comes with Nestor for the
target's instruction set is used.)";

struct ProbeCommand {
    std::string target = "host", output;
    bool show = false, json = false, markdown = false, quiet = false;
};

void print(const ProbeCommand& options, const Machine& machine) {
    std::cout << (options.json ? to_text(machine)
                               : machine_table(machine, options.markdown ? MachineTable::Markdown
                                                                         : MachineTable::Plain));
}

Status measure(const ProbeCommand& options, const Halide::Target& target) {
    const std::string path =
        options.output.empty() ? probed_machine_file(instruction_set_of(target)) : options.output;
    if (path.empty()) {
        return Error{
            "neither XDG_CACHE_HOME nor HOME is set: say with -o where to keep the result"};
    }
    ProbeOptions probe;
    probe.target = target;
    probe.say = [&](const std::string& text) {
        if (!options.quiet) {
            std::cerr << text << "\n";
        }
    };
    const Result<Machine> machine = probe_machine(probe);
    if (!machine) {
        return Error{machine.error()};
    }
    const std::string folder = std::filesystem::absolute(path).parent_path().string();
    if (Status status = make_directory(folder); !status) {
        return status;
    }
    if (Status status = write_file(path, to_text(machine.value())); !status) {
        return status;
    }
    print(options, machine.value());
    if (!options.quiet) {
        std::cerr << "kept in " << path << "\n";
    }
    return Ok{};
}

Status run(const ProbeCommand& options) {
    const Result<Halide::Target> target = parse_target(options.target);
    if (!target) {
        return Error{target.error()};
    }
    if (!options.show) {
        return measure(options, target.value());
    }
    const Result<Machine> machine = choose_machine(target.value(), Params{});
    if (!machine) {
        return Error{machine.error()};
    }
    print(options, machine.value());
    return Ok{};
}

}  // namespace

Action define_probe(CLI::App& app) {
    const auto options = std::make_shared<ProbeCommand>();
    app.add_option("-t,--target", options->target,
                   "instruction set to measure: the host's, or with fewer features than it has")
        ->capture_default_str();
    CLI::Option* output =
        app.add_option("-o,--output", options->output,
                       "keep the result in this file instead of the user's cache directory")
            ->type_name("FILE");
    app.add_flag("--show", options->show, "measure nothing; print what is known")->excludes(output);
    app.add_flag("--json", options->json, "print the machine file instead of tables");
    app.add_flag("--markdown", options->markdown, "tables as Markdown");
    app.add_flag("--quiet", options->quiet, "no progress on stderr");
    app.footer(kProbeExamples);
    return [options] { return run(*options); };
}

}  // namespace nestor
