#include "plugin/tune.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/process.h"
#include "halide/pipeline_file.h"
#include "halide/task_target.h"
#include "plugin/helper_process.h"
#include "plugin/machine_choice.h"

namespace nestor {

namespace fs = std::filesystem;

namespace {

/** A folder that is gone afterwards. */
class Folder {
  public:
    Folder() : path_((fs::temp_directory_path() / "nestor-XXXXXX").string()) {
        if (mkdtemp(path_.data()) == nullptr) {
            path_.clear();
        }
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

// The folder of the default file is made; that of a user's is the user's business.
std::string records_file(const Params& params) {
    if (!params.records.empty()) {
        return params.records;
    }
    const std::string cache = cache_folder();
    if (cache.empty() || !make_directory(cache + "/nestor")) {
        return "";
    }
    return cache + "/nestor/records.db";
}

}  // namespace

Result<TuningResult> tune(const Halide::Pipeline& pipeline, const Halide::Target& target,
                          const Params& params) {
    TuningResult result{records_file(params), ""};
    if (result.records.empty()) {
        return TuningResult{"",
                            "there is no cache folder for what is measured: name a file with "
                            "autoscheduler.records"};
    }
    if (!is_of_host(target)) {
        result.problem = target.to_string() + " does not run on this machine";
        return result;
    }
    const Result<std::string> nestor = find_nestor(params.nestor);
    if (!nestor) {
        result.problem = nestor.error();
        return params.nestor.empty() ? Result(result)
                                     : Error{"parameter `nestor`: " + nestor.error()};
    }
    const Folder folder;
    const std::string file = folder.path() + "/pipeline.hlpipe";
    if (const Status status = save_pipeline(pipeline, file); !status) {
        result.problem = status.error();
        return result;
    }
    const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    const int threads = std::min(params.parallelism, cores);
    const auto answer = ask_nestor(
        nestor.value(),
        {"tune", file, "-t", target.to_string(), "--trials", std::to_string(params.trials),
         "--records", result.records, "--threads", std::to_string(threads), "--quiet", "--json",
         "autoscheduler.memory_limit=" + std::to_string(params.memory_limit),
         "autoscheduler.default_extent=" + std::to_string(params.default_extent)},
        0);
    if (was_interrupted()) {
        return Error{"interrupted"};
    }
    if (!answer || answer.value().refused) {
        result.problem = answer ? answer.value().text : answer.error();
    }
    return result;
}

}  // namespace nestor
