#include "halide/serialized_check.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "halide/errors.h"
#include "halide/halide.h"

namespace nestor {

namespace {

constexpr std::size_t kPadding = 1 << 20;
constexpr unsigned kSeconds = 20;
constexpr rlim_t kMemory = rlim_t{4} << 30;

std::vector<std::uint8_t> read_back(const std::string& bytes, std::uint8_t behind) {
    std::vector<std::uint8_t> data(bytes.begin(), bytes.end());
    data.resize(bytes.size() + kPadding, behind);
    const Halide::Pipeline pipeline = Halide::deserialize_pipeline(data, {});
    std::vector<std::uint8_t> again;
    if (pipeline.defined() && !pipeline.outputs().empty()) {
        Halide::serialize_pipeline(pipeline, again);
    }
    return again;
}

int run_child(const std::string& bytes) {
    // What Halide prints about garbage is of no interest.
    const int null = ::open("/dev/null", O_WRONLY);
    ::dup2(null, STDERR_FILENO);
    ::alarm(kSeconds);
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    const rlimit memory{kMemory, kMemory};
    ::setrlimit(RLIMIT_AS, &memory);
    const Status complete = catching("refused", [&]() -> Status {
        const auto zeros = read_back(bytes, 0x00);
        const auto ones = read_back(bytes, 0xff);
        return zeros.empty() || zeros != ones ? Status(Error{"truncated"}) : Status(Ok{});
    });
    return complete.ok() ? 0 : 1;
}

}  // namespace

Status check_serialized(const std::string& bytes) {
    const pid_t child = ::fork();
    if (child < 0) {
        return Error{std::string("cannot start a process to check the pipeline: ") +
                     std::strerror(errno)};
    }
    if (child == 0) {
        ::_exit(run_child(bytes));  // no destructors of the parent's objects
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return Ok{};
    }
    return Error{"it is truncated or damaged, or another release of Halide wrote it"};
}

}  // namespace nestor
