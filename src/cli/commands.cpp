#include "cli/command.h"

namespace nestor {

namespace {

constexpr Command kCommands[] = {
    {"schedule", "Schedule a pipeline; print the schedule, or compile with it", define_schedule},
    {"apply", "Replay a schedule that was kept as JSON, and check that it is right", define_apply},
    {"dag", "Print what a pipeline computes", define_dag},
    {"explain", "Show the loop nest that is chosen for a pipeline, and why", define_explain},
    {"bench", "Compare schedulers on pipelines: build, verify and time them in turns",
     define_bench},
    {"measure", "Build, run, check and time schedules of a pipeline", define_measure},
    {"measure-worker", "What measure starts", define_measure_worker},
    {"predict", "Predict how fast schedules are, by cost term", define_predict},
    {"sample", "Draw random legal schedules of a pipeline", define_sample},
    {"probe", "Measure this machine, for schedules that fit it", define_probe},
    {"generate", "Run a generator with the command line of older Halide releases", define_generate},
    {"doctor", "Check this installation: Halide, the plug-in, the machine", define_doctor},
};

}  // namespace

std::span<const Command> commands() {
    return kCommands;
}

void refuse_usage(const std::string& message) {
    throw CLI::ValidationError(message);
}

}  // namespace nestor
