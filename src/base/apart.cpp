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

Result<std::string> ask_apart(const std::function<Result<std::string>()>& body, double seconds,
                              Clock clock) {
    if (!is_only_thread()) {
        return body();
    }
    ProcessOptions options;
    options.seconds = clock == Clock::Wall ? seconds : kWaiting * seconds;
    options.processor_seconds = clock == Clock::Processor ? seconds : 0;
    const auto child = run_forked(
        [&] {
            const Result<std::string> answer = body();
            std::cout << (answer ? '\n' + answer.value() : answer.error());
            return answer ? 0 : 1;
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
        // What was printed on the way comes before it.
        return result.output.substr(result.output.rfind('\n') + 1);
    }
    if (result.timed_out || result.signal != 0 || result.output.empty()) {
        return Error{"the process that tried it " + result.how_it_ended()};
    }
    return Error{result.output};
}

Status try_apart(const std::function<Status()>& body, double seconds, Clock clock) {
    const Result<std::string> answer = ask_apart(
        [&]() -> Result<std::string> {
            const Status status = body();
            return status ? Result<std::string>(std::string()) : Error{status.error()};
        },
        seconds, clock);
    return answer ? Status(Ok{}) : Error{answer.error()};
}

}  // namespace nestor
