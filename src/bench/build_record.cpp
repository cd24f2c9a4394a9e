#include "bench/build_record.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/hash.h"

namespace nestor {

using nlohmann::json;

namespace {

std::string record_file(const Version& version) {
    return version.folder + "/build.json";
}

/** Of a file that cannot be read: of its error, which no build succeeds with. */
std::string content_hash(const std::string& path) {
    const Result<std::string> bytes = read_file(path);
    return hash_text(hash_bytes(bytes ? bytes.value() : bytes.error()));
}

}  // namespace

std::string build_key(const BuildJob& job, const Version& version, const std::string& plugin) {
    const json decides = {{"generator", content_hash(job.generator)},
                          {"name", job.name},
                          {"scheduler", version.contender.scheduler},
                          {"plugin", plugin.empty() ? "" : content_hash(plugin)},
                          {"params", job.params},
                          {"own params", version.contender.params},
                          {"parallelism", job.parallelism},
                          {"seconds", job.seconds},
                          {"bytes", job.memory_bytes},
                          {"compiler", job.compiler}};
    return hash_text(hash_bytes(decides.dump()));
}

Status remember_build(const Version& version, const std::string& key) {
    const json record = {{"key", key},
                         {"failure", version.failure},
                         {"schedule_seconds", version.schedule_seconds},
                         {"schedule_peak_bytes", version.schedule_peak_bytes},
                         {"compile_seconds", version.compile_seconds},
                         {"library", version.library}};
    return write_file(record_file(version),
                      record.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

bool recall_build(Version& version, const std::string& key) {
    const Result<std::string> text = read_file(record_file(version));
    if (!text) {
        return false;
    }
    const json record = json::parse(text.value(), nullptr, false);
    if (!record.is_object() || record.value("key", "") != key) {
        return false;
    }
    const auto failure = record.value("failure", std::string());
    const auto library = record.value("library", std::string());
    if (failure.empty() && !std::filesystem::exists(library)) {
        return false;
    }
    version.failure = failure;
    version.library = library;
    version.schedule_seconds = record.value("schedule_seconds", 0.0);
    version.schedule_peak_bytes = record.value("schedule_peak_bytes", std::int64_t{0});
    version.compile_seconds = record.value("compile_seconds", 0.0);
    return true;
}

}  // namespace nestor
