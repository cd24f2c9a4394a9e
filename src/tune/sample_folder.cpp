#include "tune/sample_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/files.h"

namespace nestor {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kBatch = "batch_";

// N of batch_N_M; 0 of other names.
int batch_number(const std::string& name) {
    int number = 0;
    if (name.starts_with(kBatch)) {
        const char* const begin = name.data() + kBatch.size();
        const char* const end = name.data() + name.size();
        const auto [behind, problem] = std::from_chars(begin, end, number);
        if (problem != std::errc() || behind == end || *behind != '_') {
            return 0;
        }
    }
    return number;
}

Status write_all(const std::vector<std::pair<std::string, const std::string*>>& files) {
    for (const auto& [path, text] : files) {
        if (text->empty()) {
            continue;
        }
        if (Status status = write_file(path, *text); !status) {
            return status;
        }
    }
    return Ok{};
}

bool exists(const std::string& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

}  // namespace

SampleFolder::~SampleFolder() {
    if (lock_ >= 0) {
        ::close(lock_);
    }
}

Status SampleFolder::open(const Correction& starting) {
    if (Status status = make_directory(path_); !status) {
        return status;
    }
    // The system lets go of it however this process ends, and its children never hold it.
    const std::string file = path_ + "/autotune.lock";
    lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock_ < 0) {
        return Error{"cannot write " + file + ": " + std::strerror(errno)};
    }
    struct flock whole{};
    whole.l_type = F_WRLCK;
    if (::fcntl(lock_, F_SETLK, &whole) != 0 && (errno == EAGAIN || errno == EACCES)) {
        return Error{"another autotune is at work in " + path_};
    }
    const std::string text = starting.text();
    for (const std::string& file : {path_ + "/starting.weights", updated_weights()}) {
        if (!exists(file)) {
            if (Status status = write_file(file, text); !status) {
                return status;
            }
        }
    }
    return Ok{};
}

Result<Correction> SampleFolder::read(const std::string& file) const {
    const Result<std::string> text = read_file(file);
    if (!text) {
        return Error{text.error()};
    }
    Result<Correction> weights = Correction::parse(text.value());
    if (!weights) {
        return Error{file + ": " + weights.error() + "; or autotune in another folder than " +
                     path_};
    }
    return weights;
}

Result<Correction> SampleFolder::read_starting() const {
    return read(path_ + "/starting.weights");
}

Status SampleFolder::write_updated(const Correction& weights) const {
    return write_file(updated_weights(), weights.text());
}

std::string SampleFolder::batch_folder(int batch, int set) const {
    return path_ + "/" + std::string(kBatch) + std::to_string(batch) + "_" + std::to_string(set);
}

Result<Correction> SampleFolder::begin_batch(int batch, int set,
                                             const std::vector<std::string>& args) const {
    const std::string folder = batch_folder(batch, set);
    if (Status status = make_directory(folder); !status) {
        return Error{status.error()};
    }
    std::string lines;
    for (const std::string& arg : args) {
        lines += arg + "\n";
    }
    if (Status status = write_file(folder + "/extra_generator_args.txt", lines); !status) {
        return Error{status.error()};
    }
    const std::string used = folder + "/used.weights";
    if (exists(used)) {
        return read(used);
    }
    Result<Correction> weights = read(updated_weights());
    if (!weights) {
        return weights;
    }
    if (Status status = write_file(used, weights.value().text()); !status) {
        return Error{status.error()};
    }
    return weights;
}

Status SampleFolder::write_sample(int batch, int set, int index, const SampleFiles& files) const {
    const std::string folder = batch_folder(batch, set) + "/" + std::to_string(index);
    if (Status status = make_directory(folder); !status) {
        return status;
    }
    const std::string stem = folder + "/" + name_;
    return write_all({{stem + ".schedule.h", &files.header},
                      {stem + ".schedule.json", &files.json},
                      {stem + ".featurization", &files.featurization},
                      {stem + ".sample", &files.sample},
                      {folder + "/bench.txt", &files.bench}});
}

Status SampleFolder::write_best(int of_set, const SampleFiles& files) const {
    const std::string stem = best() + (of_set < 0 ? "" : "." + std::to_string(of_set));
    return write_all({{stem + ".schedule.h", &files.header},
                      {stem + ".schedule.json", &files.json},
                      {stem + ".benchmark.txt", &files.bench}});
}

int SampleFolder::last_batch() const {
    int last = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(path_, ignored)) {
        last = std::max(last, batch_number(entry.path().filename().string()));
    }
    return last;
}

std::vector<std::string> SampleFolder::samples() const {
    std::vector<std::string> paths;
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(path_, ignored)) {
        if (entry.path().extension() == ".sample") {
            paths.push_back(entry.path().string());
        }
    }
    std::ranges::sort(paths);
    return paths;
}

}  // namespace nestor
