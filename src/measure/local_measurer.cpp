#include "measure/local_measurer.h"

#include <poll.h>

#include <nlohmann/json.hpp>

#include "halide/jit_program.h"
#include "measure/candidate_timing.h"
#include "measure/forked_child.h"

namespace nestor {

Result<std::unique_ptr<Measurer>> LocalMeasurer::create(const MeasureOptions& options) {
    MachineState machine = machine_state(options.threads);
    MeasureOptions asked = options;
    asked.threads = asked.threads > 0 ? asked.threads : machine.cores;
    machine.threads = asked.threads;
    Result<Subject> subject = Subject::create(asked);
    if (!subject) {
        return Error{subject.error()};
    }
    return std::unique_ptr<Measurer>(
        new LocalMeasurer(std::move(subject).value(), std::move(machine)));
}

Status LocalMeasurer::prepare() {
    if (Status compiled = JitProgram::compile_runtime(subject_.target()); !compiled) {
        return compiled;
    }
    if (subject_.missing_externs().empty()) {
        Status found =
            subject_.find_reference([this](const auto& compute) { return run_apart(compute); });
        if (!found) {
            return found;
        }
    }
    kernel_seconds_ = time_reference_kernel();
    return Ok{};
}

double LocalMeasurer::turn_seconds() const {
    constexpr double kRuns = 6;  // that may be under way or are made at least
    return subject_.options().timing_seconds + kRuns * subject_.options().run_seconds;
}

std::string LocalMeasurer::run_apart(const std::function<Status()>& compute) const {
    const auto body = [&](const ParentLink& link) {
        const Status status = compute();
        link.tell(status ? "done" : "failed " + nlohmann::json(status.error()).dump());
    };
    Result<std::unique_ptr<ForkedChild>> started =
        ForkedChild::start(body, subject_.options().memory_bytes);
    if (!started) {
        return started.error();
    }
    ForkedChild& child = *started.value();
    const double limit = subject_.options().build_seconds + subject_.options().reference_seconds;
    std::vector<std::string> lines;
    while (child.receive(lines)) {
        const double left = limit - child.seconds();
        pollfd event{child.messages(), POLLIN, 0};
        if (left <= 0) {
            child.kill();
            return "it takes more than " + std::to_string(static_cast<int>(limit)) + " s";
        }
        poll(&event, 1, static_cast<int>(left * 1000) + 1);
    }
    const ForkedChild::End end = child.wait();
    if (lines.empty()) {
        return end.text();
    }
    return lines.front() == "done" ? "" : lines.front();
}

}  // namespace nestor
