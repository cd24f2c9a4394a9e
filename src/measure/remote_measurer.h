#pragma once
// Candidates compiled ahead of time for any target, each with the unscheduled pipeline in one
// binary (measure/benchmark.h) that a runner's command starts, on this machine or another.

#include <string>

#include "measure/measurer.h"
#include "measure/subject.h"

namespace nestor {

class RemoteMeasurer : public Measurer {
  public:
    /** Refuses pipelines with extern functions, and targets without a compiler. */
    [[nodiscard]] static Result<std::unique_ptr<Measurer>> create(const MeasureOptions& options);

    [[nodiscard]] Status prepare() override;
    [[nodiscard]] const MachineState& machine() const override { return machine_; }
    [[nodiscard]] std::string verified_against() const override { return verified_against_; }
    [[nodiscard]] double reference_kernel_seconds() const override { return kernel_seconds_; }
    [[nodiscard]] double turn_seconds() const override;
    [[nodiscard]] Measurement measure(const Candidate& candidate,
                                      const MeasureProgress& progress) const override;

  private:
    RemoteMeasurer(Subject subject, std::string compiler);

    [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
    [[nodiscard]] Status write_sources() const;
    /** The inputs that come from files, written as their bytes; their files, by name. */
    [[nodiscard]] Result<std::map<std::string, std::string>> write_inputs() const;
    [[nodiscard]] Status compile_source(const std::string& name) const;
    [[nodiscard]] Status compile_runtime() const;
    [[nodiscard]] Status compile_pipeline(const Halide::Pipeline& pipeline, const char* function,
                                          const std::string& object) const;
    /** The main program and the right result's code, then a run that keeps the result. */
    [[nodiscard]] Measurement try_reference(Subject::Reference reference) const;
    [[nodiscard]] Status link(const std::string& binary, const std::string& candidate) const;
    /** Copies it to where it is to run, and runs it. */
    [[nodiscard]] Measurement run(const std::string& arguments, double seconds) const;
    [[nodiscard]] std::string candidate_arguments(const Candidate& candidate,
                                                  const Schedule& schedule) const;

    Subject subject_;
    std::string compiler_;
    std::string folder_;  // of what is compiled
    std::string binary_;  // the path that every binary has when it is run
    std::string verified_against_;
    MachineState machine_;
    double kernel_seconds_ = 0;
    double reference_turn_ = 0;  // seconds that the right result's binary took
};

}  // namespace nestor
