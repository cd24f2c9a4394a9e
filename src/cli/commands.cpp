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
    {"tune", "Find a faster schedule by measuring, and keep what was learned", define_tune},
    {"autotune", "Tune as Adams2019's autotune loop does: batches of samples, retraining",
     define_autotune, respell_autotune},
    {"featurization_to_sample", "Join a featurization and a run time to a sample",
     define_featurization_to_sample},
    {"retrain_cost_model", "Learn from samples, as Adams2019's program of this name",
     define_retrain_cost_model},
    {"measure", "Build, run, check and time schedules of a pipeline", define_measure},
    {"measure-worker", "What measure starts", define_measure_worker},
    {"predict", "Predict how fast schedules are, by cost term", define_predict},
    {"sample", "Draw random legal schedules of a pipeline", define_sample},
    {"records", "List, compare, join and prune files of measured schedules", define_records},
    {"report", "Write a page about how tuning went, what was tried, and the winner", define_report},
    {"examples", "Make measured schedules into what can be learned from", define_examples},
    {"train", "Learn the errors of predicted times from measured ones", define_train},
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
