#include "cli/tune_display.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/times.h"

namespace nestor {

namespace {

std::string failures_text(const TuneProgress& progress) {
    std::string text;
    for (const auto& [outcome, count] : progress.failures) {
        text += (text.empty() ? "" : ", ") + fmt::format("{} {}", count, outcome);
    }
    return text;
}

/** How much of the work is done, 0 to 1, by what ends first; 0 where nothing limits it. */
double share_done(const TuneProgress& p) {
    const double trials = p.wanted > 0 ? static_cast<double>(p.trials) / p.wanted : 0;
    const double time = p.limit_seconds > 0 ? p.seconds / p.limit_seconds : 0;
    return std::min(1.0, std::max(trials, time));
}

/** Seconds that are left; negative: nobody knows. */
double seconds_left(const TuneProgress& p) {
    double left = p.limit_seconds > 0 ? p.limit_seconds - p.seconds : -1;
    if (p.wanted > 0 && p.this_run > 0) {
        const double by_trials = p.seconds / p.this_run * (p.wanted - p.trials);
        left = left < 0 ? by_trials : std::min(left, by_trials);
    }
    return left;
}

std::string standing(const TuneProgress& p) {
    std::string text = p.wanted > 0 ? fmt::format("{}/{} trials", p.trials, p.wanted)
                                    : fmt::format("{} trials", p.trials);
    if (p.best_seconds > 0) {
        text += ", best " + time_text(p.best_seconds);
        if (p.start_seconds > 0) {
            text += fmt::format(" ({:.2f}x the start)", p.start_seconds / p.best_seconds);
        }
    }
    if (const std::string failures = failures_text(p); !failures.empty()) {
        text += "; failed: " + failures;
    }
    if (const double left = seconds_left(p); left >= 0) {
        text += "; " + duration_text(left) + " left";
    }
    return text;
}

class Lines : public TuneListener {
  public:
    void phase(const std::string& task, const std::string& text) override {
        if (text != last_phase_ && !is_routine(text)) {
            show(task + ": " + text);
        }
        last_phase_ = text;
    }
    void measured(const Record& record, const TuneProgress& progress) override {
        constexpr int kEvery = 32;
        if (record.timed() && is_gain(progress)) {
            show(fmt::format("{}: trial {}: {} ({})", progress.task, progress.trials,
                             time_text(record.seconds), record.origin));
        } else if (progress.this_run % kEvery == 0) {
            show(progress.task + ": " + standing(progress));
        }
    }

  protected:
    virtual void show(const std::string& line) { std::cerr << line << "\n" << std::flush; }

    static bool is_routine(const std::string& text) {
        return text == "measuring" || text == "choosing what to measure";
    }
    static bool is_gain(const TuneProgress& p) {
        return p.best_seconds > 0 && p.best_trial == p.trials;
    }

  private:
    std::string last_phase_;
};

class Terminal : public Lines {
  public:
    ~Terminal() override { clear(); }
    void phase(const std::string& task, const std::string& text) override {
        Lines::phase(task, text);
        draw(task + ": " + text);
    }
    void measured(const Record& record, const TuneProgress& progress) override {
        if (record.timed() && is_gain(progress)) {
            Lines::measured(record, progress);
        }
        constexpr int kBar = 20;
        const int done = static_cast<int>(std::lround(kBar * share_done(progress)));
        draw(progress.task + " [" + std::string(done, '#') + std::string(kBar - done, '.') + "] " +
             standing(progress));
    }

  protected:
    void show(const std::string& line) override {
        clear();
        Lines::show(line);
    }

  private:
    static void clear() { std::cerr << "\r\033[K" << std::flush; }
    static void draw(const std::string& text) {
        winsize size{};
        const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
        const std::size_t width = known ? size.ws_col - 1U : 100;
        clear();
        std::cerr << text.substr(0, width) << std::flush;
    }
};

class JsonLines : public TuneListener {
  public:
    void measured(const Record& record, const TuneProgress& p) override {
        nlohmann::json row{{"task", p.task},
                           {"trial", p.trials},
                           {"outcome", record.outcome},
                           {"origin", record.origin},
                           {"schedule_hash", record.schedule_hash},
                           {"predicted", record.predicted},
                           {"best_seconds", p.best_seconds},
                           {"start_seconds", p.start_seconds},
                           {"elapsed_seconds", p.seconds}};
        if (record.timed()) {
            row["seconds"] = record.seconds;
            row["uncertainty"] = record.uncertainty;
        } else {
            row["message"] = record.message;
        }
        std::cout << row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n"
                  << std::flush;
    }
};

}  // namespace

std::unique_ptr<TuneListener> make_display(DisplayKind kind) {
    switch (kind) {
        case DisplayKind::Terminal:
            return std::make_unique<Terminal>();
        case DisplayKind::Lines:
            return std::make_unique<Lines>();
        case DisplayKind::Json:
            return std::make_unique<JsonLines>();
        case DisplayKind::Quiet:
            return std::make_unique<TuneListener>();
    }
    return nullptr;
}

}  // namespace nestor
