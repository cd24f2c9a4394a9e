#include "bench/version.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <sstream>

#include "base/files.h"
#include "base/process.h"
#include "bench/build_record.h"

namespace nestor {

namespace {

struct Known {
    const char* label;
    const char* scheduler;
    const char* param;
};

constexpr std::array kKnown = {
    Known{"expert", "", nullptr},
    Known{"unscheduled", "Nestor", "autoscheduler.schedule=none"},
    Known{"no-search", "Nestor", "autoscheduler.num_passes=0"},
    Known{"Adams2019-greedy", "Adams2019", "autoscheduler.beam_size=1"},
};

std::vector<std::string> split(const std::string& text, char between) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, between);) {
        parts.push_back(part);
    }
    return parts;
}

Contender parse_contender(const std::string& text) {
    std::vector<std::string> parts = split(text, ':');
    Contender contender{text, parts.front(), {}};
    for (const Known& known : kKnown) {
        if (parts.front() == known.label) {
            contender.scheduler = known.scheduler;
            if (known.param != nullptr) {
                contender.params.emplace_back(known.param);
            }
        }
    }
    contender.params.insert(contender.params.end(), parts.begin() + 1, parts.end());
    return contender;
}

std::string lower_case(std::string text) {
    for (char& c : text) {
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return text;
}

std::string slug_of(const std::string& label) {
    std::string slug;
    for (const char c : lower_case(label)) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            slug += c;
        } else if (!slug.empty() && slug.back() != '_') {
            slug += '_';
        }
    }
    return slug;
}

/** Halide prints one message on several lines; the first says what is wrong. */
std::string first_lines(const std::string& errors) {
    constexpr std::size_t kLongest = 300;
    std::string text;
    std::istringstream lines(errors);
    for (std::string line; std::getline(lines, line) && text.size() < kLongest;) {
        if (line.find_first_not_of(" \t") != std::string::npos && !line.starts_with("Warning")) {
            text += (text.empty() ? "" : " ") + line;
        }
    }
    return text.substr(0, kLongest);
}

/** Empty if it went well. */
std::string failure_of(const Result<ProcessResult>& result, const BuildJob& job) {
    if (!result) {
        return result.error();
    }
    const ProcessResult& done = result.value();
    if (done.timed_out) {
        std::ostringstream text;
        text << "time limit of " << job.seconds << " s";
        return text.str();
    }
    if (done.ok()) {
        return "";
    }
    if (done.errors.find("bad_alloc") != std::string::npos ||
        done.errors.find("ut of memory") != std::string::npos) {
        return "memory limit of " + std::to_string(job.memory_bytes >> 20U) + " MiB";
    }
    const std::string lines = first_lines(done.errors);
    return done.how_it_ended() + (lines.empty() ? "" : ": " + lines);
}

Result<ProcessResult> run_limited(const BuildJob& job, const std::vector<std::string>& command,
                                  bool search_path = false) {
    ProcessOptions options;
    options.seconds = job.seconds;
    options.memory_bytes = job.memory_bytes;
    options.search_path = search_path;
    return run_process(command, options);
}

std::string plugin_file(const BuildJob& job, const std::string& scheduler) {
    return scheduler == "Nestor" ? job.nestor_plugin
                                 : job.rivals + "/libautoschedule_" + lower_case(scheduler) + ".so";
}

std::vector<std::string> generator_command(const BuildJob& job, const Version& version,
                                           const std::string& outputs) {
    std::vector<std::string> command = {
        job.generator, "-g", job.name, "-f", version.function, "-o", version.folder, "-e", outputs};
    const std::string& scheduler = version.contender.scheduler;
    if (!scheduler.empty()) {
        command.insert(command.end(), {"-p", plugin_file(job, scheduler)});
    }
    command.emplace_back("target=host-no_runtime");
    if (!scheduler.empty()) {
        command.push_back("autoscheduler=" + scheduler);
        command.push_back("autoscheduler.parallelism=" + std::to_string(job.parallelism));
    }
    for (const auto* params : {&job.params, &version.contender.params}) {
        command.insert(command.end(), params->begin(), params->end());
    }
    return command;
}

}  // namespace

Result<std::vector<Contender>> parse_contenders(const std::string& text) {
    std::vector<Contender> contenders;
    for (const std::string& part : split(text, ',')) {
        if (part.empty()) {
            return Error{"an empty name in " + text};
        }
        contenders.push_back(parse_contender(part));
        const std::string slug = slug_of(part);
        for (std::size_t i = 0; i + 1 < contenders.size(); i++) {
            if (slug_of(contenders[i].label) == slug) {
                return Error{part + " is there twice in " + text};
            }
        }
    }
    if (contenders.empty()) {
        return Error{"nobody to compare"};
    }
    return contenders;
}

const char* default_contenders() {
    return "expert,Nestor,no-search,Adams2019,Adams2019-greedy,Mullapudi2016,Li2018";
}

std::string Version::slug() const {
    return slug_of(contender.label);
}

std::string Version::schedule_file() const {
    return folder + "/" + function + ".schedule.h";
}

namespace {

/** Schedules for the time and memory that it takes. Yields what went wrong. */
std::string measure_scheduling(const BuildJob& job, Version& version) {
    const auto made = run_limited(job, generator_command(job, version, "schedule"));
    if (made) {
        version.schedule_seconds = made.value().seconds;
        version.schedule_peak_bytes = made.value().peak_bytes;
    }
    const std::string failure = failure_of(made, job);
    return failure.empty() ? "" : "scheduling: " + failure;
}

/** The same. */
std::string compile_and_link(const BuildJob& job, Version& version) {
    const auto made = run_limited(job, generator_command(job, version, "object,c_header"));
    if (const std::string failure = failure_of(made, job); !failure.empty()) {
        return "compiling: " + failure;
    }
    version.compile_seconds = made.value().seconds;
    const std::string base = version.folder + "/" + version.function;
    version.library = base + ".so";
    const auto linked =
        run_limited(job, {job.compiler, "-shared", "-o", version.library, base + ".o"}, true);
    const std::string failure = failure_of(linked, job);
    return failure.empty() ? "" : "linking: " + failure;
}

}  // namespace

void build_version(const BuildJob& job, Version& version) {
    version.function = job.name + "_" + version.slug();
    version.folder = job.folder + "/" + version.slug();
    if (Status status = make_directory(version.folder); !status) {
        version.failure = status.error();
        return;
    }
    const std::string& scheduler = version.contender.scheduler;
    const std::string plugin = scheduler.empty() ? "" : plugin_file(job, scheduler);
    if (!plugin.empty() && !std::filesystem::exists(plugin)) {
        version.failure = "no plug-in " + plugin;
        return;
    }
    const std::string key = build_key(job, version, plugin);
    if (job.reuse && recall_build(version, key)) {
        return;
    }
    if (!scheduler.empty()) {
        version.failure = measure_scheduling(job, version);
    }
    if (version.healthy()) {
        version.failure = compile_and_link(job, version);
    }
    if (was_interrupted()) {
        return;  // which says nothing about the version
    }
    if (const Status status = remember_build(version, key); !status && version.healthy()) {
        version.failure = status.error();
    }
}

Result<std::string> save_algorithm(const BuildJob& job, const Version& version) {
    Version unscheduled = version;
    unscheduled.contender.scheduler.clear();
    std::erase_if(unscheduled.contender.params,
                  [](const std::string& param) { return param.starts_with("autoscheduler."); });
    const auto made = run_limited(job, generator_command(job, unscheduled, "hlpipe"));
    if (const std::string failure = failure_of(made, job); !failure.empty()) {
        return Error{failure};
    }
    return version.folder + "/" + version.function + ".hlpipe";
}

Result<std::string> build_runtime(const BuildJob& job) {
    if (Status status = make_directory(job.folder); !status) {
        return Error{status.error()};
    }
    const auto made = run_limited(
        job, {job.generator, "-r", "runtime", "-o", job.folder, "-e", "object", "target=host"});
    if (const std::string failure = failure_of(made, job); !failure.empty()) {
        return Error{"cannot build the Halide run-time: " + failure};
    }
    const std::string library = job.folder + "/runtime.so";
    const auto linked = run_limited(
        job,
        {job.compiler, "-shared", "-o", library, job.folder + "/runtime.o", "-ldl", "-lpthread"},
        true);
    if (const std::string failure = failure_of(linked, job); !failure.empty()) {
        return Error{"cannot link the Halide run-time: " + failure};
    }
    return library;
}

}  // namespace nestor
