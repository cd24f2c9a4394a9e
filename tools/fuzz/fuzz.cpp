// The fuzzer: random pipelines, every seed schedule of each, compared with the unscheduled
// pipeline.
//
//     fuzz [--count N] [--seed S] [--keep-going]      pipelines S, S + 1, ... S + N - 1
//
// Each pipeline is tried in a process of its own, so that a crash or a hang of generated code is a
// finding like any other. The seed is printed before anything is tried; `fuzz --seed S --count 1`
// does it again.

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

#include "support/check_seeds.h"
#include "support/isolate.h"
#include "support/random_pipeline.h"

namespace {

using nestor::testing::IsolatedResult;
using nestor::testing::SeedsReport;
using nestor::testing::TestPipeline;

struct Totals {
    int pipelines = 0, failed = 0, accepted = 0, refused = 0;
};

// "ok ACCEPTED REFUSED", or "bad " and why: what goes through the pipe from the child.
std::string work(std::uint64_t seed) {
    const SeedsReport report =
        nestor::testing::check_seeds(nestor::testing::random_pipeline(seed), seed);
    return report.failure.empty()
               ? "ok " + std::to_string(report.accepted) + " " + std::to_string(report.refused)
               : "bad " + report.failure;
}

bool try_one(std::uint64_t seed, double limit_seconds, Totals& totals) {
    const IsolatedResult result =
        nestor::testing::run_isolated([&] { return work(seed); }, limit_seconds);
    totals.pipelines++;
    int accepted = 0, refused = 0;
    if (result.error.empty() &&
        std::sscanf(result.text.c_str(), "ok %d %d", &accepted, &refused) == 2) {
        totals.accepted += accepted;
        totals.refused += refused;
        return true;
    }
    totals.failed++;
    std::printf("FAILED seed %llu: %s%s\n%s\n", static_cast<unsigned long long>(seed),
                result.error.c_str(), result.text.c_str(),
                nestor::testing::random_pipeline(seed).description.c_str());
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Random pipelines against every seed schedule");
    int count = 200;
    std::uint64_t first = std::random_device{}();
    double limit_seconds = 120;
    bool keep_going = false;
    app.add_option("--count", count, "pipelines to try")->capture_default_str();
    app.add_option("--seed", first,
                   "of the first pipeline; the others follow (default: a new one)");
    app.add_option("--limit", limit_seconds, "seconds for one pipeline")->capture_default_str();
    app.add_flag("--keep-going", keep_going, "do not stop at the first failure");
    CLI11_PARSE(app, argc, argv);
    std::printf("seed %llu, %d pipelines\n", static_cast<unsigned long long>(first), count);
    std::fflush(stdout);
    const auto start = std::chrono::steady_clock::now();
    Totals totals;
    for (int i = 0; i < count; i++) {
        const bool ok = try_one(first + static_cast<std::uint64_t>(i), limit_seconds, totals);
        std::fflush(stdout);
        if (!ok && !keep_going) {
            break;
        }
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf(
        "%d pipelines: %d schedules compiled, run and compared; %d refused by the verifier; %.0f "
        "s\n",
        totals.pipelines, totals.accepted, totals.refused, seconds);
    std::printf("%d passed, %d failed\n", totals.pipelines - totals.failed, totals.failed);
    return totals.failed == 0 ? 0 : 1;
}
