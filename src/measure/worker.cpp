#include "measure/worker.h"

#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <deque>
#include <list>
#include <nlohmann/json.hpp>
#include <thread>

#include "measure/forked_child.h"
#include "measure/lines.h"
#include "measure/reference_kernel.h"
#include "measure/subject.h"
#include "measure/timing.h"

namespace nestor {

namespace {

using nlohmann::json;

/** Lines from a file descriptor, without blocking for longer than asked. */
class LineReader {
  public:
    explicit LineReader(int in) : in_(in) {}

    [[nodiscard]] int descriptor() const { return in_; }
    [[nodiscard]] bool ended() const { return ended_; }

    /** Reads what is there, at least one byte: blocks if there is none. */
    void read_some() {
        std::array<char, 65536> chunk{};
        const ssize_t n = read(in_, chunk.data(), chunk.size());
        if (n > 0) {
            text_.append(chunk.data(), static_cast<std::size_t>(n));
        } else if (n == 0 || errno != EINTR) {
            ended_ = true;
        }
    }
    bool next(std::string& line) {
        const std::size_t end = text_.find('\n');
        if (end == std::string::npos) {
            return false;
        }
        line = text_.substr(0, end);
        text_.erase(0, end + 1);
        return true;
    }

  private:
    int in_;
    std::string text_;
    bool ended_ = false;
};

void tell(int out, const json& message) {
    if (!write_line(out, message.dump(-1, ' ', false, json::error_handler_t::replace))) {
        _exit(1);  // nobody listens any more
    }
}

enum class Phase { Building, Running, Ready, Timing };

const char* phase_text(Phase phase) {
    switch (phase) {
        case Phase::Building:
            return "while it was built";
        case Phase::Running:
            return "in its first run";
        case Phase::Ready:
            return "waiting to be timed";
        case Phase::Timing:
            return "while it was timed";
    }
    return "";
}

struct Request {
    json id;
    Candidate candidate;
};

struct Running {
    json id;
    std::unique_ptr<ForkedChild> child;
    Phase phase = Phase::Building;
    bool timed_out = false;
    std::optional<Measurement> result = std::nullopt;
};

Measurement measurement_of_end(const Running& running, const ForkedChild::End& end) {
    const std::string when = std::string(" ") + phase_text(running.phase);
    if (running.timed_out) {
        return Measurement::failure(Outcome::Timeout, "the time limit was reached" + when);
    }
    if (end.errors.find("bad_alloc") != std::string::npos ||
        end.errors.find("ut of memory") != std::string::npos) {
        return Measurement::failure(Outcome::OutOfMemory, end.text() + when);
    }
    if (end.signal == SIGKILL) {
        return Measurement::failure(Outcome::OutOfMemory,
                                    "killed by the system, most likely for want of memory," + when);
    }
    return Measurement::failure(
        running.phase == Phase::Building ? Outcome::CompileError : Outcome::Crash,
        end.text() + when);
}

/** 1. prepare the subject; 2. compute the right result in a child; 3. measure what is asked for. */
class Worker {
  public:
    Worker(int in, int out) : in_(in), out_(out) {}

    int run() {
        signal(SIGPIPE, SIG_IGN);
        if (Status status = prepare(); !status) {
            tell(out_, {{"error", status.error()}});
            return 1;
        }
        tell(out_, {{"ready", true}, {"verified_against", verified_against_}});
        while (true) {
            take_requests();
            start_builds();
            let_one_time();
            if (running_.empty() && queue_.empty() && in_.ended()) {
                return 0;
            }
            wait_for_events();
            enforce_limits();
        }
    }

  private:
    Status prepare() {
        std::string line;
        while (!in_.next(line)) {
            if (in_.ended()) {
                return Error{"no options came"};
            }
            in_.read_some();
        }
        Result<MeasureOptions> options =
            measure_options_from_json(json::parse(line, nullptr, false));
        if (!options) {
            return Error{options.error()};
        }
        machine_ = machine_state(0);
        MeasureOptions& asked = options.value();
        asked.threads = asked.threads > 0 ? asked.threads : machine_.cores;
        asked.builders = asked.builders > 0 ? asked.builders : machine_.cores;
        machine_.threads = asked.threads;
        Result<Subject> subject = Subject::create(asked);
        if (!subject) {
            return Error{subject.error()};
        }
        subject_.emplace(std::move(subject).value());
        if (Status status = find_reference(); !status) {
            return status;
        }
        reference_seconds_ = time_reference_kernel();
        return Ok{};
    }

    static double time_reference_kernel() {
        double checksum = 0;
        TimingLimits limits;
        limits.seconds = 0.5;
        limits.precision = 0.01;
        const TimingResult timing = time_interleaved(
            {runnable("reference kernel", [&] { checksum += reference_kernel(); })}, limits);
        return checksum > 0 ? median_of(timing.versions.front().samples) : 0;
    }

    Status find_reference() {
        if (!subject_->missing_externs().empty()) {
            verified_against_ = "";
            return Ok{};
        }
        std::string reasons;
        for (const Subject::Reference reference :
             {Subject::Reference::Unscheduled, Subject::Reference::AtRoot}) {
            const std::string failure = try_reference(reference);
            if (failure.empty()) {
                subject_->set_reference(reference);
                verified_against_ = Subject::reference_text(reference);
                return Ok{};
            }
            reasons += std::string("\n  ") + Subject::reference_text(reference) + ": " + failure;
        }
        return Error{"there is no result to compare with:" + reasons};
    }

    std::string try_reference(Subject::Reference reference) {
        const auto body = [&](const ParentLink& link) {
            const Status status = subject_->compute_reference(reference);
            link.tell(status ? "done" : "failed " + json(status.error()).dump());
        };
        Result<std::unique_ptr<ForkedChild>> started =
            ForkedChild::start(body, subject_->options().memory_bytes);
        if (!started) {
            return started.error();
        }
        ForkedChild& child = *started.value();
        const double limit =
            subject_->options().build_seconds + subject_->options().reference_seconds;
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

    void take_requests() {
        for (std::string line; in_.next(line);) {
            const json message = json::parse(line, nullptr, false);
            if (message.is_discarded() || !message.is_object() || !message.contains("id")) {
                tell(out_, {{"error", "not a request: " + line}});
                continue;
            }
            Request request;
            request.id = message["id"];
            request.candidate.schedule = message.value("schedule", "none");
            request.candidate.load = message.value("load", std::vector<std::string>{});
            queue_.push_back(std::move(request));
        }
    }

    [[nodiscard]] std::size_t count(Phase phase) const {
        return static_cast<std::size_t>(
            std::count_if(running_.begin(), running_.end(),
                          [&](const Running& each) { return each.phase == phase; }));
    }

    void start_builds() {
        const auto builders = static_cast<std::size_t>(subject_->options().builders);
        while (!queue_.empty() && count(Phase::Timing) == 0 && running_.size() < 2 * builders &&
               count(Phase::Building) + count(Phase::Running) < builders) {
            Request request = std::move(queue_.front());
            queue_.pop_front();
            const auto body = [&](const ParentLink& link) {
                const Measurement result =
                    subject_->measure(request.candidate,
                                      {[&] { link.tell("built"); }, [&] { link.wait_for_turn(); }});
                link.tell(to_json(result).dump(-1, ' ', false, json::error_handler_t::replace));
            };
            Result<std::unique_ptr<ForkedChild>> child =
                ForkedChild::start(body, subject_->options().memory_bytes);
            if (child) {
                running_.push_back({request.id, std::move(child).value()});
            } else {
                answer(request.id, Measurement::failure(Outcome::Lost, child.error()));
            }
        }
    }

    void let_one_time() {
        if (count(Phase::Timing) > 0) {
            return;
        }
        const auto ready = std::find_if(running_.begin(), running_.end(), [](const Running& each) {
            return each.phase == Phase::Ready;
        });
        if (ready == running_.end()) {
            return;
        }
        for (Running& other : running_) {
            if (other.phase != Phase::Ready) {
                other.child->pause();
            }
        }
        constexpr std::chrono::milliseconds kUntilStopped{2};
        std::this_thread::sleep_for(kUntilStopped);
        ready->phase = Phase::Timing;
        ready->child->start_clock();
        ready->child->give_turn();
    }

    void wait_for_events() {
        std::vector<pollfd> events;
        for (const Running& each : running_) {
            events.push_back({each.child->messages(), POLLIN, 0});
        }
        if (!in_.ended()) {
            events.push_back({in_.descriptor(), POLLIN, 0});
        }
        constexpr int kLongestWait = 200;  // milliseconds: how late a limit may be noticed
        poll(events.data(), events.size(), running_.empty() ? -1 : kLongestWait);
        if (!in_.ended() && events.back().revents != 0) {
            in_.read_some();
        }
        for (auto each = running_.begin(); each != running_.end();) {
            each = hear(*each) ? std::next(each) : running_.erase(each);
        }
    }

    /** False when the child has ended and its answer has been given. */
    bool hear(Running& running) {
        std::vector<std::string> lines;
        const bool open = running.child->receive(lines);
        for (const std::string& line : lines) {
            if (line == "built") {
                running.phase = Phase::Running;
                running.child->start_clock();
            } else if (line == "ready") {
                running.phase = Phase::Ready;
            } else if (Result<Measurement> result =
                           measurement_from_json(json::parse(line, nullptr, false));
                       result) {
                running.result = std::move(result).value();
            }
        }
        if (open) {
            return true;
        }
        const bool was_timing = running.phase == Phase::Timing;
        const ForkedChild::End end = running.child->wait();
        answer(running.id, running.result ? *running.result : measurement_of_end(running, end));
        if (was_timing) {
            for (Running& other : running_) {
                other.child->resume();
            }
        }
        return false;
    }

    void answer(const json& id, Measurement result) {
        result.machine = machine_;
        result.drift = reference_seconds_ > 0 ? result.drift / reference_seconds_ : 0;
        tell(out_, {{"id", id}, {"measurement", to_json(result)}});
    }

    void enforce_limits() {
        const MeasureOptions& options = subject_->options();
        for (Running& each : running_) {
            double limit = options.build_seconds;
            if (each.phase == Phase::Ready) {
                continue;
            }
            if (each.phase == Phase::Running) {
                limit = options.run_seconds;
            } else if (each.phase == Phase::Timing) {
                constexpr double kRuns = 6;  // that may be under way or are made at least
                limit = options.timing_seconds + kRuns * options.run_seconds;
            }
            if (!each.timed_out && each.child->seconds() > limit) {
                each.timed_out = true;
                each.child->kill();
            }
        }
    }

    LineReader in_;
    int out_;
    std::optional<Subject> subject_;
    std::string verified_against_;
    MachineState machine_;
    double reference_seconds_ = 0;
    std::deque<Request> queue_;
    std::list<Running> running_;
};

}  // namespace

int run_worker(int in, int out) {
    return Worker(in, out).run();
}

}  // namespace nestor
