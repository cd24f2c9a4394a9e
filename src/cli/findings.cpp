#include "cli/findings.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

#include "base/process.h"
#include "cli/generator.h"
#include "cli/halide_library.h"
#include "cli/plugin_path.h"
#include "cli/scratch.h"
#include "halide/halide.h"
#include "halide/target_machine.h"
#include "plugin/params.h"

extern char** environ;

namespace nestor {

namespace {

using Json = nlohmann::ordered_json;
using State = Finding::State;

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

std::string install_halide() {
    return "python3 -m pip install halide==" + halide_built_for();
}

Finding examine_halide() {
    Finding f("Halide", halide_library_path());
    const std::string problem = halide_problem();
    f.facts = {{"path", f.text}, {"built_for", halide_built_for()}};
    if (problem.empty()) {
        f.text += " (release " + halide_built_for() + ", which Nestor was built for)";
    } else {
        f.state = State::Missing;
        f.text += ": " + problem;
        f.remedy = install_halide();
    }
    return f;
}

/** Loads a plug-in and schedules a small pipeline with it; an exit code, with what went wrong on
 * stderr. */
int try_plugin(const std::string& path, const std::string& scheduler) {
    try {
        Halide::load_plugin(path);
        Halide::Var x("x"), y("y");
        Halide::Func f("f"), g("g");
        f(x, y) = x + y;
        g(x, y) = f(x, y) + f(x + 1, y);
        g.set_estimates({{0, 1024}, {0, 1024}});
        Halide::Pipeline(g).apply_autoscheduler(Halide::get_host_target(), {scheduler, {}});
        return 0;
    } catch (const Halide::Error& problem) {
        std::cerr << problem.what();
    } catch (const std::exception& problem) {
        std::cerr << problem.what();
    }
    return 1;
}

/** "" if it works. */
std::string plugin_problem(const std::string& path, const std::string& scheduler) {
    const auto child = run_forked([&] { return try_plugin(path, scheduler); }, {});
    if (!child.ok()) {
        return child.error();
    }
    if (child.value().ok()) {
        return "";
    }
    return "loading it and scheduling a small pipeline " + child.value().how_it_ended() + ": " +
           child.value().errors;
}

Finding examine_plugin(const std::string& given, const char* file, const char* scheduler) {
    Finding f(file == std::string(kPluginFile) ? "plug-in" : "older name");
    const Result<std::string> path = find_plugin(given, file);
    const bool needed = file == std::string(kPluginFile);
    if (!path.ok()) {
        f.state = needed ? State::Missing : State::Note;
        f.text = first_line(path.error());
        f.remedy = needed ? "" : "Needed by build files that name libauto_schedule.so only.";
        return f;
    }
    f.facts = {{"path", path.value()}, {"scheduler", scheduler}};
    const std::string problem = plugin_problem(path.value(), scheduler);
    f.text = path.value() + (problem.empty()
                                 ? std::string(" (loads, registers ") + scheduler + ", schedules)"
                                 : ": " + problem);
    if (!problem.empty()) {
        f.state = State::Missing;
        f.remedy = "Install Nestor again: command and plug-in have to be of one build.";
    }
    return f;
}

Finding examine_target() {
    const Halide::Target host = Halide::get_host_target();
    Finding f("host target", host.to_string());
    f.facts = {{"target", f.text},
               {"vector_bytes", machine_of(host).lanes(1)},
               {"features", Json::array()}};
    const std::vector<std::string> parts = split(f.text, '-');
    for (std::size_t i = 3; i < parts.size(); i++) {
        f.facts["features"].push_back(parts[i]);
    }
    return f;
}

Finding examine_processor() {
    std::ifstream info("/proc/cpuinfo");
    std::string model = "unknown model";
    for (std::string line; std::getline(info, line);) {
        if (line.starts_with("model name") && line.find(": ") != std::string::npos) {
            model = line.substr(line.find(": ") + 2);
            break;
        }
    }
    cpu_set_t set;
    const int ours = ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    const unsigned cores = std::thread::hardware_concurrency();
    Finding f("processor", model + ", " + std::to_string(cores) + " cores");
    if (ours != 0 && ours != static_cast<int>(cores)) {
        f.text += ", " + std::to_string(ours) + " of them for this process";
    }
    f.facts = {{"model", model}, {"cores", cores}, {"cores_for_this_process", ours}};
    return f;
}

/** Variables that change what Halide and the plug-in do; a value that the plug-in refuses would
 * fail every run. */
Finding examine_environment() {
    Finding f("environment", "no HL_ variable is set");
    std::vector<std::string> set;
    for (char** entry = environ; *entry != nullptr; entry++) {
        if (std::string(*entry).starts_with("HL_")) {
            set.emplace_back(*entry);
        }
    }
    std::sort(set.begin(), set.end());
    f.facts = {{"variables", set}};
    if (!set.empty()) {
        f.text = joined(set, " ");
    }
    const Result<ParsedParams> params = parse_params({}, process_environment);
    if (!params.ok()) {
        f.state = State::Missing;
        f.text += ": " + params.error();
        f.remedy = "Unset or mend the variable.";
    } else if (!params.value().warnings.empty()) {
        f.state = State::Note;
        f.text += ": " + joined(params.value().warnings, "; ");
    }
    return f;
}

constexpr const char* kAskPython = R"(
import importlib.metadata as m, sys
def version(name):
    try: return m.version(name)
    except m.PackageNotFoundError: return ""
print(sys.executable); print(version("halide")); print(version("nestor"))
)";

Finding examine_python() {
    Finding f("Python", "no python3 on the PATH");
    f.state = State::Note;
    f.remedy = "Needed to use Nestor from Python only.";
    const char* environment = std::getenv("VIRTUAL_ENV");
    const std::string python =
        environment != nullptr ? std::string(environment) + "/bin/python3" : "python3";
    const auto child =
        run_process({python, "-c", kAskPython},
                    {.output = Stream::Capture, .errors = Stream::Capture, .search_path = true});
    if (!child.ok() || !child.value().ok()) {
        return f;
    }
    std::vector<std::string> lines;
    std::string rest = child.value().output;
    for (std::size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n')) {
        lines.push_back(rest.substr(0, end));
        rest.erase(0, end + 1);
    }
    lines.resize(3);
    f.facts = {{"python", lines[0]}, {"halide", lines[1]}, {"nestor", lines[2]}};
    f.text = lines[0] + ": halide " + (lines[1].empty() ? "not installed" : lines[1]) +
             ", nestor " + (lines[2].empty() ? "not installed" : lines[2]);
    if (lines[1] != halide_built_for()) {
        f.remedy = "To use Nestor from Python: " + install_halide();
    } else if (lines[2].empty()) {
        f.remedy = "To use Nestor from Python, in its source tree: python3 -m pip install .";
    } else {
        f.state = State::Good;
        f.remedy.clear();
    }
    return f;
}

Finding examine_scratch() {
    Finding f("scratch");
    const Result<Scratch> scratch = Scratch::create();
    if (scratch.ok()) {
        f.text = std::filesystem::path(scratch.value().path()).parent_path().string() +
                 " can be written";
    } else {
        f.state = State::Missing;
        f.text = scratch.error();
        f.remedy = "Set TMPDIR to a folder that can be written.";
    }
    return f;
}

}  // namespace

std::vector<Finding> examine(const std::string& plugin) {
    return {Finding("nestor", own_path()),
            examine_halide(),
            examine_plugin(plugin, kPluginFile, "Nestor"),
            examine_plugin(plugin, kOldPluginFile, "Adams2019"),
            examine_target(),
            examine_processor(),
            examine_environment(),
            examine_python(),
            examine_scratch()};
}

}  // namespace nestor
