#include "base/apart.h"

#include <csignal>
#include <filesystem>
#include <iostream>

#include "base/process.h"

namespace nestor {

namespace {

// Linux lists the threads of a process; elsewhere there is no telling.
bool is_only_thread() {
    std::error_code error;
    const std::filesystem::directory_iterator tasks("/proc/self/task", error);
    return !error && std::distance(begin(tasks), end(tasks)) == 1;
}

}  // namespace

Status try_apart(const std::function<Status()>& body, double seconds, Clock clock) {
    if (!is_only_thread()) {
        return body();
    }
    ProcessOptions options;
    options.seconds = clock == Clock::Wall ? seconds : kWaiting * seconds;
    options.processor_seconds = clock == Clock::Processor ? seconds : 0;
    const auto child = run_forked(
        [&] {
            const Status status = body();
            if (!status) {
                std::cout << status.error();
            }
            return status ? 0 : 1;
        },
        options);
    if (!child) {
        if (was_interrupted()) {
            std::raise(SIGINT);
        }
        return Error{child.error()};
    }
    const ProcessResult& result = child.value();
    if (result.ok()) {
        return Ok{};
    }
    if (result.timed_out || result.signal != 0 || result.output.empty()) {
        return Error{"the process that tried it " + result.how_it_ended()};
    }
    return Error{result.output};
}

}  // namespace nestor
