// Runs compiled pipelines for compare.py, one step a process, so that a version that crashes or
// hangs takes nothing else with it.
//
//   compare_driver describe JOB.json   the arguments of the first version, as JSON
//   compare_driver run JOB.json        runs the first version once; writes its outputs
//   compare_driver time JOB.json       times all versions, interleaved
//
// JOB.json: {"runtime": LIBRARY, "versions": [{"name", "library", "function"}...],
//            "inputs": {NAME: {"file", "minima"}}, "scalars": {NAME: VALUE}, "outputs": DIRECTORY,
//            "seconds": LIMIT, "precision": PART}. Answers go to stdout as JSON, failures to stderr
// with exit code 1.

#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "arguments.h"
#include "measure/timing.h"
#include "version.h"

namespace nestor::compare {

namespace {

using nlohmann::json;

std::vector<Version> load_versions(const json& job) {
    std::vector<Version> versions;
    for (const json& row : job.at("versions")) {
        versions.emplace_back(row.at("library").get<std::string>(),
                              row.at("function").get<std::string>());
    }
    if (versions.empty()) {
        throw std::runtime_error("no versions in the job");
    }
    return versions;
}

json describe(const json& job) {
    const Version version = load_versions(job).front();
    const Arguments arguments(version, job.value("scalars", json::object()));
    return {{"target", version.metadata().target}, {"arguments", arguments.describe()}};
}

json run_once(const json& job, Runtime& runtime) {
    const Version version = load_versions(job).front();
    Arguments arguments(version, job.value("scalars", json::object()));
    arguments.load(job.at("inputs"));
    runtime.count_allocations();
    const auto start = std::chrono::steady_clock::now();
    version.run(arguments.argv());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    arguments.write_outputs(job.at("outputs").get<std::string>());
    return {{"seconds", seconds.count()}, {"peak_bytes", Runtime::peak_bytes()}};
}

json time_all(const json& job) {
    const std::vector<Version> versions = load_versions(job);
    Arguments arguments(versions.front(), job.value("scalars", json::object()));
    arguments.load(job.at("inputs"));
    std::vector<Runnable> runnables;
    for (std::size_t i = 0; i < versions.size(); i++) {
        runnables.push_back(
            {job["versions"][i].at("name").get<std::string>(),
             [&arguments, &version = versions[i]] { version.run(arguments.argv()); }});
    }
    TimingLimits limits;
    limits.seconds = job.value("seconds", limits.seconds);
    limits.precision = job.value("precision", limits.precision);
    const TimingResult result = time_interleaved(runnables, limits);

    json answer = {{"rounds", result.rounds}, {"stopped", result.stopped}};
    for (const Timed& timed : result.versions) {
        answer["versions"].push_back({{"name", timed.name},
                                      {"median", median_of(timed.samples)},
                                      {"uncertainty", timed.uncertainty},
                                      {"runs_per_sample", timed.runs_per_sample},
                                      {"samples", timed.samples}});
    }
    return answer;
}

int main_of(const std::vector<std::string>& words) {
    if (words.size() != 2) {
        std::cerr << "usage: compare_driver describe|run|time JOB.json\n";
        return 2;
    }
    std::ifstream file(words[1]);
    if (!file) {
        throw std::runtime_error("cannot read " + words[1]);
    }
    const json job = json::parse(file);
    Runtime runtime(job.at("runtime").get<std::string>());
    if (words[0] == "describe") {
        std::cout << describe(job) << "\n";
    } else if (words[0] == "run") {
        std::cout << run_once(job, runtime) << "\n";
    } else if (words[0] == "time") {
        std::cout << time_all(job) << "\n";
    } else {
        throw std::runtime_error("unknown command " + words[0]);
    }
    return 0;
}

}  // namespace

}  // namespace nestor::compare

int main(int argc, char** argv) {
    try {
        return nestor::compare::main_of({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
