#include "measure/worker.h"

#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <limits>
#include <list>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <thread>

#include "measure/forked_child.h"
#include "measure/lines.h"
#include "measure/measurer.h"
#include "measure/options.h"

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
    Request request;
    std::unique_ptr<ForkedChild> child;
    int number = 0;  // among all that were ever started
    Phase phase = Phase::Building;
    bool timed_out = false;
    bool lost_anchor = false;  // it asked for one that is gone
    std::optional<Measurement> result = std::nullopt;
};

/** What candidates are timed in turns with. */
struct Anchor {
    Candidate candidate;
    double seconds = 0;  // that it is said to take
    std::unique_ptr<ForkedChild> child;
    Phase phase = Phase::Building;  // Ready: to take a sample
    // Running::number of those that samples are for, in order. They may have died meanwhile.
    std::deque<int> asked = {};  // NOLINT(readability-redundant-member-init)
};

constexpr const char* kAskAnchor = "anchor ";
constexpr const char* kSampleOfAnchor = "sample ";

Candidate candidate_of(const json& message) {
    Candidate candidate;
    candidate.schedule = message.value("schedule", "none");
    candidate.load = message.value("load", std::vector<std::string>{});
    candidate.give_up_seconds = message.value("give_up_seconds", 0.0);
    return candidate;
}

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

/** 1. prepare what measures; 2. measure what is asked for. */
class Worker {
  public:
    Worker(int in, int out) : in_(in), out_(out) {}

    int run() {
        signal(SIGPIPE, SIG_IGN);
        if (Status status = prepare(); !status) {
            tell(out_, {{"error", status.error()}});
            return 1;
        }
        tell(out_, {{"ready", true},
                    {"verified_against", measurer_->verified_against()},
                    {"machine", to_json(measurer_->machine())}});
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
        options_ = std::move(options).value();
        const int cores = machine_state(0).cores;
        options_.builders = options_.builders > 0 ? options_.builders : cores;
        Result<std::unique_ptr<Measurer>> measurer = make_measurer(options_);
        if (!measurer) {
            return Error{measurer.error()};
        }
        measurer_ = std::move(measurer).value();
        return measurer_->prepare();
    }

    void take_requests() {
        for (std::string line; in_.next(line);) {
            const json message = json::parse(line, nullptr, false);
            if (message.is_object() && message.contains("anchor")) {
                start_anchor(message["anchor"]);
                continue;
            }
            if (message.is_discarded() || !message.is_object() || !message.contains("id")) {
                tell(out_, {{"error", "not a request: " + line}});
                continue;
            }
            queue_.push_back({message["id"], candidate_of(message)});
        }
    }

    void start_anchor(const json& message) {
        anchor_.reset();
        if (!measurer_->has_anchors()) {
            return;
        }
        Anchor anchor{candidate_of(message), message.value("seconds", 0.0), nullptr};
        const auto body = [&](const ParentLink& link) {
            const AnchorLink samples{
                [&] { link.tell("built"); },
                [&] {
                    link.tell("ready");
                    return std::stoi(link.hear());
                },
                [&](double seconds) { link.tell(kSampleOfAnchor + json(seconds).dump()); }};
            throw std::runtime_error(measurer_->be_anchor(anchor.candidate, samples).message);
        };
        Result<std::unique_ptr<ForkedChild>> child =
            ForkedChild::start(body, options_.memory_bytes);
        if (child && anchor.seconds > 0) {
            anchor.child = std::move(child).value();
            anchor_ = std::move(anchor);
        }
    }

    [[nodiscard]] std::size_t count(Phase phase) const {
        return static_cast<std::size_t>(
            std::count_if(running_.begin(), running_.end(),
                          [&](const Running& each) { return each.phase == phase; }));
    }

    void start_builds() {
        const auto builders = static_cast<std::size_t>(options_.builders);
        while (!queue_.empty() && count(Phase::Timing) == 0 && running_.size() < 2 * builders &&
               count(Phase::Building) + count(Phase::Running) < builders) {
            Request request = std::move(queue_.front());
            queue_.pop_front();
            const auto body = [&](const ParentLink& link) {
                MeasureProgress progress{[&] { link.tell("built"); },
                                         [&] { link.wait_for_turn(); }};
                if (anchor_) {
                    progress.anchor = {[&](int runs) {
                                           link.tell(kAskAnchor + std::to_string(runs));
                                           return std::stod(link.hear());
                                       },
                                       anchor_->seconds};
                }
                const Measurement result = measurer_->measure(request.candidate, progress);
                link.tell(to_json(result).dump(-1, ' ', false, json::error_handler_t::replace));
            };
            Result<std::unique_ptr<ForkedChild>> child =
                ForkedChild::start(body, options_.memory_bytes);
            if (child) {
                running_.push_back({std::move(request), std::move(child).value(), started_++});
            } else {
                answer(request.id, Measurement::failure(Outcome::Lost, child.error()));
            }
        }
    }

    void let_one_time() {
        if (count(Phase::Timing) > 0 || (anchor_ && anchor_->phase != Phase::Ready)) {
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
        if (anchor_) {
            events.push_back({anchor_->child->messages(), POLLIN, 0});
        }
        if (!in_.ended()) {
            events.push_back({in_.descriptor(), POLLIN, 0});
        }
        constexpr int kLongestWait = 200;  // milliseconds: how late a limit may be noticed
        poll(events.data(), events.size(), running_.empty() && !anchor_ ? -1 : kLongestWait);
        if (!in_.ended() && events.back().revents != 0) {
            in_.read_some();
        }
        if (anchor_ && !hear_anchor()) {
            lose_anchor();
        }
        for (auto each = running_.begin(); each != running_.end();) {
            each = hear(*each) ? std::next(each) : running_.erase(each);
        }
    }

    /** False when it has ended, which it should not. */
    bool hear_anchor() {
        std::vector<std::string> lines;
        const bool open = anchor_->child->receive(lines);
        for (const std::string& line : lines) {
            if (line == "built") {
                anchor_->phase = Phase::Running;
                anchor_->child->start_clock();
            } else if (line == "ready") {
                anchor_->phase = Phase::Ready;
            } else if (line.starts_with(kSampleOfAnchor) && !anchor_->asked.empty()) {
                for (const Running& each : running_) {
                    if (each.number == anchor_->asked.front()) {
                        each.child->tell(line.substr(std::strlen(kSampleOfAnchor)));
                    }
                }
                anchor_->asked.pop_front();
            }
        }
        return open;
    }

    void ask_anchor(Running& asking, const std::string& runs) {
        if (anchor_) {
            anchor_->asked.push_back(asking.number);
            anchor_->child->tell(runs);
        } else {
            begin_anew(asking);
        }
    }

    [[nodiscard]] bool waits_for_anchor(const Running& running) const {
        return anchor_ && !anchor_->asked.empty() && anchor_->asked.front() == running.number;
    }

    void lose_anchor() {
        anchor_.reset();
        for (Running& each : running_) {
            if (each.phase == Phase::Timing) {
                begin_anew(each);
            }
        }
    }

    // Without an anchor.
    static void begin_anew(Running& running) {
        running.lost_anchor = true;
        running.child->kill();
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
                // A run that ended between two looks at the clock may have taken too long as well.
                enforce_limit(running);
                running.phase = Phase::Ready;
            } else if (line.starts_with(kAskAnchor)) {
                ask_anchor(running, line.substr(std::strlen(kAskAnchor)));
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
        if (running.lost_anchor) {
            queue_.push_front(std::move(running.request));
        } else {
            answer(running.request.id,
                   running.result ? *running.result : measurement_of_end(running, end));
        }
        if (was_timing) {
            for (Running& other : running_) {
                other.child->resume();
            }
        }
        return false;
    }

    void answer(const json& id, Measurement result) {
        const double kernel = measurer_->reference_kernel_seconds();
        result.machine = measurer_->machine();
        if (result.anchor_seconds == 0) {
            result.drift = kernel > 0 ? result.drift / kernel : 0;
        }
        tell(out_, {{"id", id}, {"measurement", to_json(result)}});
    }

    [[nodiscard]] double limit_of(Phase phase) const {
        switch (phase) {
            case Phase::Running:
                return options_.run_seconds;
            case Phase::Ready:
                return std::numeric_limits<double>::infinity();
            case Phase::Timing:
                return measurer_->turn_seconds();
            case Phase::Building:
                break;
        }
        return options_.build_seconds;
    }

    void enforce_limit(Running& running) const {
        if (!running.timed_out && running.child->seconds() > limit_of(running.phase)) {
            running.timed_out = true;
            running.child->kill();
        }
    }

    void enforce_limits() {
        for (Running& each : running_) {
            if (waits_for_anchor(each) && each.child->seconds() > limit_of(each.phase)) {
                lose_anchor();
            }
            if (!each.lost_anchor) {
                enforce_limit(each);
            }
        }
        if (anchor_ && anchor_->child->seconds() > limit_of(anchor_->phase)) {
            lose_anchor();
        }
    }

    LineReader in_;
    int out_;
    MeasureOptions options_;
    std::unique_ptr<Measurer> measurer_;
    std::deque<Request> queue_;
    std::list<Running> running_;
    int started_ = 0;
    std::optional<Anchor> anchor_;
};

}  // namespace

int run_worker(int in, int out) {
    return Worker(in, out).run();
}

}  // namespace nestor
