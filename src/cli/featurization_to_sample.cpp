// nestor featurization_to_sample

#include <cmath>
#include <memory>

#include "base/files.h"
#include "cli/command.h"
#include "train/sample.h"

namespace nestor {

namespace {

constexpr const char* kFeaturizationToSampleExamples = R"(
Example:
  ./harris.generator -g harris -o out -e featurization -p libautoschedule_nestor.so target=host autoscheduler=Nestor
  nestor featurization_to_sample out/harris.featurization 0.0031 0 10007 out/harris.sample
      what `-e featurization` wrote, and 3.1 ms that it took: a sample for retrain_cost_model

Arguments and their order are those of Halide's program of this name. The files are Nestor's own.)";

struct FeaturizationToSampleCommand {
    std::string featurization;
    double seconds = 0;
    int pipeline = 0;
    std::int64_t schedule = 0;
    std::string sample;
};

Status run(const FeaturizationToSampleCommand& options) {
    if (!(options.seconds > 0) || !std::isfinite(options.seconds)) {
        refuse_usage("the run time is a number of seconds above 0");
    }
    const Result<std::string> text = read_file(options.featurization);
    if (!text) {
        return Error{text.error()};
    }
    if (const Result<Featurization> read = parse_featurization(text.value()); !read) {
        return Error{options.featurization + ": " + read.error()};
    }
    return write_file(options.sample, print_sample(options.seconds, options.pipeline,
                                                   options.schedule, text.value()));
}

}  // namespace

Action define_featurization_to_sample(CLI::App& app) {
    const auto options = std::make_shared<FeaturizationToSampleCommand>();
    app.add_option("featurization", options->featurization, "what `-e featurization` wrote")
        ->required()
        ->type_name("FILE.featurization");
    app.add_option("runtime", options->seconds, "measured, in seconds")
        ->required()
        ->type_name("SECONDS");
    app.add_option("pipeline_id", options->pipeline,
                   "a number for the pipeline: times compare within one")
        ->required()
        ->type_name("NUMBER");
    app.add_option("schedule_id", options->schedule, "a number for the schedule, for people")
        ->required()
        ->type_name("NUMBER");
    app.add_option("sample", options->sample, "is written")->required()->type_name("FILE.sample");
    app.footer(kFeaturizationToSampleExamples);
    return [options] { return run(*options); };
}

}  // namespace nestor
