// The schedules that are printed, and then applied by what was printed: for every awkward pipeline
// and 50 random ones, one of Nestor's seeds and one random legal schedule.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "schedule/schedule.h"
#include "support/pipelines.h"

namespace nestor::testing {

struct PrintedCase {
    std::string name;  ///< <pipeline>_seed or <pipeline>_random; an identifier
    TestPipeline pipeline;
    std::uint64_t number = 0;  ///< of its name: which seed, and the seed of the random schedule
    bool random = false;
};

std::vector<PrintedCase> printed_cases();

/// The case's schedule of the pipeline. The same in every process.
Schedule schedule_of(const PrintedCase& test, const PipelineDag& dag, const Halide::Target& target);

/// A printed body, compiled.
using ApplyBody = void (*)(Halide::Pipeline pipeline, Halide::Target target);

/// By the name of the case. The files that `write` generates fill it.
std::map<std::string, ApplyBody>& printed_bodies();

struct RegisterBody {
    RegisterBody(const std::string& name, ApplyBody body) { printed_bodies().emplace(name, body); }
};

}  // namespace nestor::testing
