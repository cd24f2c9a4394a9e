#include "measure/benchmark.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>

#include "measure/candidate_timing.h"
#include "measure/processor.h"
#include "measure/runtime_hooks.h"

namespace nestor {

namespace {

// 1. The answer.

std::string quoted(const std::string& text) {
    std::string json = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            json += '\\';
        }
        // Control characters are of no use to anyone who reads a message.
        json += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return json + "\"";
}

std::string machine_json(int threads) {
    utsname system{};
    uname(&system);
    std::ostringstream json;
    json << R"({"cpu":)" << quoted(processor_name() + " (" + system.machine + ")") << R"(,"cores":)"
         << usable_cores() << R"(,"threads":)" << (threads > 0 ? threads : usable_cores())
         << R"(,"halide":"","load":)" << load_average() << "}";
    return json.str();
}

struct Answer {
    std::string outcome;
    std::string message;
    CandidateTiming timing;
    std::size_t peak_bytes = 0;
    int threads = 0;

    [[nodiscard]] std::string line() const {
        const Timed& timed = timing.timed;
        std::ostringstream json;
        json.precision(std::numeric_limits<double>::max_digits10);
        json << kBenchmarkAnswer << R"({"outcome":)" << quoted(outcome) << R"(,"message":)"
             << quoted(message) << R"(,"samples":[)";
        for (std::size_t i = 0; i < timed.samples.size(); i++) {
            json << (i > 0 ? "," : "") << timed.samples[i];
        }
        json << R"(],"runs_per_sample":)" << timed.runs_per_sample << R"(,"seconds":)"
             << (timed.samples.empty() ? 0 : median_of(timed.samples)) << R"(,"uncertainty":)"
             << timed.uncertainty << R"(,"drift":)" << timing.reference_kernel
             << R"(,"build_seconds":0,"peak_bytes":)" << peak_bytes
             << R"(,"verified_against":"","machine":)" << machine_json(threads) << "}\n";
        return json.str();
    }
};

// 2. Ends that nobody can return from: their answers are ready before anything is run.

std::array<std::string, NSIG> last_words;

void say(const std::string& line) {
    std::size_t done = 0;
    while (done < line.size()) {
        const ssize_t n = write(STDOUT_FILENO, line.data() + done, line.size() - done);
        if (n <= 0) {
            return;
        }
        done += static_cast<std::size_t>(n);
    }
}

void end_with_last_words(int signal) {
    say(last_words[static_cast<std::size_t>(signal)]);
    _exit(0);
}

void prepare_end(int signal, const std::string& outcome, const std::string& message, int threads) {
    Answer answer;
    answer.outcome = outcome;
    answer.message = message;
    answer.threads = threads;
    last_words[static_cast<std::size_t>(signal)] = answer.line();
    struct sigaction action{};
    action.sa_handler = end_with_last_words;
    action.sa_flags = SA_ONSTACK;  // a stack may be what has overflowed
    sigaction(signal, &action, nullptr);
}

void prepare_ends(int threads) {
    static std::array<char, 65536> memory;
    const stack_t stack{memory.data(), 0, memory.size()};
    sigaltstack(&stack, nullptr);
    prepare_end(SIGALRM, "timeout", "the time limit was reached while it ran", threads);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
        prepare_end(signal, "crash", std::string("ended by signal ") + strsignal(signal), threads);
    }
}

/** A time-out of this process itself, because what started it may end without it. 0: none. */
void end_after(double seconds) {
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(seconds);
    timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
    setitimer(ITIMER_REAL, &timer, nullptr);
}

// 3. Settings.

struct Settings {
    bool is_reference = false;  // mode=reference: computes and keeps the right result, no more
    int threads = 0;
    double run_seconds = 20;
    double reference_seconds = 60;
    TimingLimits timing;
    bool flush_caches = false;
    double memory_bytes = 0;
    std::vector<Tolerance> tolerances;  // of the outputs, in their order
};

Tolerance read_tolerance(const std::string& text) {
    Tolerance tolerance;
    std::istringstream numbers(text);
    char comma = 0;
    numbers >> tolerance.relative >> comma >> tolerance.of_largest >> comma >> tolerance.absolute;
    if (!numbers) {
        throw std::runtime_error("not a tolerance: " + text);
    }
    return tolerance;
}

void read_word(const std::string& word, Settings& settings) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    const double number = std::strtod(value.c_str(), nullptr);
    if (key == "mode") {
        settings.is_reference = value == "reference";
    } else if (key == "threads") {
        settings.threads = static_cast<int>(number);
    } else if (key == "run_seconds") {
        settings.run_seconds = number;
    } else if (key == "reference_seconds") {
        settings.reference_seconds = number;
    } else if (key == "timing_seconds") {
        settings.timing.seconds = number;
    } else if (key == "precision") {
        settings.timing.precision = number;
    } else if (key == "slow_run") {
        settings.timing.slow_run = number;
    } else if (key == "flush_caches") {
        settings.flush_caches = number != 0;
    } else if (key == "memory") {
        settings.memory_bytes = number;
    } else if (key == "tolerance") {
        settings.tolerances.push_back(read_tolerance(value));
    } else {
        throw std::runtime_error("no setting of a benchmark: " + word);
    }
}

Settings read_settings(int argc, char** argv) {
    Settings settings;
    settings.timing.precision = 0.03;
    for (int i = 1; i < argc; i++) {
        read_word(argv[i], settings);
    }
    return settings;
}

// 4. Memory.

/** Of one buffer, aligned to 128 bytes. */
class Memory {
  public:
    explicit Memory(std::int64_t bytes) {
        // Halide's vectors may read a little over the end of what they need.
        const auto whole = static_cast<std::size_t>((bytes + 2 * kAlignment - 1) / kAlignment + 1);
        memory_.reset(static_cast<std::uint8_t*>(
            std::aligned_alloc(kAlignment, whole * static_cast<std::size_t>(kAlignment))));
        if (!memory_) {
            throw std::bad_alloc();
        }
        std::memset(memory_.get(), 0, whole * static_cast<std::size_t>(kAlignment));
    }
    [[nodiscard]] std::uint8_t* data() const { return memory_.get(); }

  private:
    static constexpr std::int64_t kAlignment = 128;
    struct Release {
        void operator()(std::uint8_t* memory) const { std::free(memory); }
    };
    std::unique_ptr<std::uint8_t, Release> memory_;
};

/** One memory for each argument that is a buffer of that direction, empty for others. */
using Memories = std::vector<std::unique_ptr<Memory>>;

std::uint64_t checksum(std::uint64_t state, const std::uint8_t* data, std::int64_t bytes) {
    for (std::int64_t i = 0; i < bytes; i++) {
        state = (state ^ data[i]) * 0x100000001b3U;  // FNV-1a
    }
    return state;
}

// 5. The benchmark.

/** What a run ended with. */
struct RunFailed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/**
 * 1. make the inputs; 2. find the right result: kept beside the binary by an earlier one, or
 * computed; 3. run the candidate once, and compare; 4. time it, and compare again.
 */
class Benchmark {
  public:
    Benchmark(const BenchmarkProgram& program, const Settings& settings, std::string kept)
        : program_(program), settings_(settings), kept_(std::move(kept)) {
        answer_.threads = settings.threads;
    }

    Answer run() {
        program_.set_error_handler(keep_error);
        program_.set_num_threads(settings_.threads);
        make_inputs();
        expected_ = allocate(true);
        if (settings_.is_reference) {
            compute_expected();
            keep_expected();
            answer_.timing.reference_kernel = time_reference_kernel();
            answer_.outcome = "timed";
            return answer_;
        }
        if (!read_expected()) {
            compute_expected();
        }
        actual_ = allocate(true);
        run_once();
        if (!is_right("") || !time()) {
            return answer_;
        }
        answer_.outcome = "timed";
        return answer_;
    }

  private:
    [[nodiscard]] Memories allocate(bool outputs) const {
        Memories memories;
        for (const BenchmarkArgument& argument : program_.arguments) {
            const bool wanted = argument.is_buffer && argument.is_output == outputs;
            memories.push_back(wanted ? std::make_unique<Memory>(argument.layout.bytes())
                                      : nullptr);
        }
        return memories;
    }

    void make_inputs() {
        inputs_ = allocate(false);
        for (std::size_t i = 0; i < inputs_.size(); i++) {
            const BenchmarkArgument& argument = program_.arguments[i];
            if (!inputs_[i]) {
                continue;
            }
            if (argument.contents != nullptr) {
                std::memcpy(inputs_[i]->data(), argument.contents,
                            static_cast<std::size_t>(argument.layout.bytes()));
            } else {
                fill_random(argument.layout, argument.stream, inputs_[i]->data());
            }
        }
    }

    void fill_outputs(const Memories& outputs) const {
        for (std::size_t i = 0; i < outputs.size(); i++) {
            const BenchmarkArgument& argument = program_.arguments[i];
            if (outputs[i]) {
                fill_garbage(argument.stream, outputs[i]->data(), argument.layout.bytes());
            }
        }
    }

    void call(int (*function)(void**), const Memories& outputs) const {
        std::vector<halide_buffer_t> buffers(program_.arguments.size());
        std::vector<std::vector<halide_dimension_t>> dimensions(program_.arguments.size());
        std::vector<std::uint64_t> scalars(program_.arguments.size());
        std::vector<void*> pointers;
        for (std::size_t i = 0; i < program_.arguments.size(); i++) {
            const BenchmarkArgument& argument = program_.arguments[i];
            if (!argument.is_buffer) {
                scalars[i] = argument.scalar;
                pointers.push_back(&scalars[i]);
                continue;
            }
            dimensions[i] = argument.layout.dimensions;
            buffers[i].host = (argument.is_output ? outputs : inputs_)[i]->data();
            buffers[i].type = argument.layout.type;
            buffers[i].dimensions = static_cast<int>(dimensions[i].size());
            buffers[i].dim = dimensions[i].data();
            pointers.push_back(&buffers[i]);
        }
        const int code = function(pointers.data());
        if (code != 0) {
            throw RunFailed("Halide error " + std::to_string(code) + ": " + take_error());
        }
    }

    void compute_expected() const {
        end_after(settings_.reference_seconds);
        fill_outputs(expected_);
        call(program_.reference, expected_);
        end_after(0);
    }

    // The right result is kept in a file beside the binary, behind identity and checksum; where
    // that cannot be written, every binary computes it again.

    [[nodiscard]] std::uint64_t expected_checksum() const {
        std::uint64_t sum = program_.identity;
        for (std::size_t i = 0; i < expected_.size(); i++) {
            if (expected_[i]) {
                sum = checksum(sum, expected_[i]->data(), program_.arguments[i].layout.bytes());
            }
        }
        return sum;
    }

    void keep_expected() const {
        std::ofstream file(kept_, std::ios::binary | std::ios::trunc);
        const std::array<std::uint64_t, 2> head{program_.identity, expected_checksum()};
        file.write(reinterpret_cast<const char*>(head.data()), sizeof(head));
        for (std::size_t i = 0; i < expected_.size(); i++) {
            if (expected_[i]) {
                file.write(reinterpret_cast<const char*>(expected_[i]->data()),
                           program_.arguments[i].layout.bytes());
            }
        }
    }

    [[nodiscard]] bool read_expected() const {
        std::ifstream file(kept_, std::ios::binary);
        std::array<std::uint64_t, 2> head{};
        file.read(reinterpret_cast<char*>(head.data()), sizeof(head));
        if (!file || head[0] != program_.identity) {
            return false;
        }
        for (std::size_t i = 0; i < expected_.size(); i++) {
            if (expected_[i]) {
                file.read(reinterpret_cast<char*>(expected_[i]->data()),
                          program_.arguments[i].layout.bytes());
            }
        }
        return file && head[1] == expected_checksum();
    }

    void run_once() {
        fill_outputs(actual_);
        const halide_malloc_t plain_malloc = program_.set_malloc(counted_malloc);
        const halide_free_t plain_free = program_.set_free(counted_free);
        end_after(settings_.run_seconds);
        call(program_.candidate, actual_);
        end_after(0);
        answer_.peak_bytes = counted_peak();
        program_.set_malloc(plain_malloc);
        program_.set_free(plain_free);
    }

    [[nodiscard]] bool is_right(const std::string& when) {
        std::size_t output = 0;
        for (std::size_t i = 0; i < expected_.size(); i++) {
            if (!expected_[i]) {
                continue;
            }
            const Tolerance tolerance = settings_.tolerances.at(output++);
            const std::string text = difference(program_.arguments[i].layout, expected_[i]->data(),
                                                actual_[i]->data(), tolerance);
            if (!text.empty()) {
                answer_.outcome = "wrong";
                answer_.message = when + text;
                return false;
            }
        }
        return true;
    }

    // False if a later run is wrong: a race may show only now.
    [[nodiscard]] bool time() {
        constexpr double kRuns = 5;  // that may be under way or are made at least
        end_after(settings_.timing.seconds + kRuns * settings_.run_seconds);
        answer_.timing = time_candidate([this] { call(program_.candidate, actual_); },
                                        settings_.timing, settings_.flush_caches);
        end_after(0);
        return is_right("not at once, but in a later run: ");
    }

    const BenchmarkProgram& program_;
    Settings settings_;
    std::string kept_;  // the file of the right result
    Memories inputs_, expected_, actual_;
    Answer answer_;
};

void limit_memory(double bytes) {
    if (bytes > 0) {
        const auto most = static_cast<rlim_t>(bytes);
        const rlimit limit{most, most};
        setrlimit(RLIMIT_AS, &limit);
    }
}

Answer failed(const std::string& outcome, const std::string& message, int threads) {
    Answer answer;
    answer.outcome = outcome;
    answer.message = message;
    answer.threads = threads;
    return answer;
}

Answer measure(const BenchmarkProgram& program, const Settings& settings, const std::string& kept) {
    try {
        return Benchmark(program, settings, kept).run();
    } catch (const RunFailed& error) {
        const std::string message = error.what();
        const bool memory = message.find("ut of memory") != std::string::npos;
        return failed(memory ? "out of memory" : "run error", message, settings.threads);
    } catch (const std::bad_alloc&) {
        return failed("out of memory", "no memory for inputs and outputs", settings.threads);
    }
}

}  // namespace

int run_benchmark(const BenchmarkProgram& program, int argc, char** argv) {
    try {
        const Settings settings = read_settings(argc, argv);
        limit_memory(settings.memory_bytes);
        prepare_ends(settings.threads);
        say(measure(program, settings, std::string(argv[0]) + ".expected").line());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
        return 2;
    }
    // Halide's threads need not be waited for.
    _exit(0);
}

}  // namespace nestor
