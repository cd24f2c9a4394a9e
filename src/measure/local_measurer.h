#pragma once
// Candidates compiled into forks of this process, which have the inputs and the right result in
// their memory.

#include "measure/measurer.h"
#include "measure/subject.h"

namespace nestor {

class LocalMeasurer : public Measurer {
  public:
    [[nodiscard]] static Result<std::unique_ptr<Measurer>> create(const MeasureOptions& options);

    [[nodiscard]] Status prepare() override;
    [[nodiscard]] const MachineState& machine() const override { return machine_; }
    [[nodiscard]] std::string verified_against() const override {
        return subject_.verified_against();
    }
    [[nodiscard]] double reference_kernel_seconds() const override { return kernel_seconds_; }
    [[nodiscard]] double turn_seconds() const override;
    [[nodiscard]] Measurement measure(const Candidate& candidate,
                                      const MeasureProgress& progress) const override {
        return subject_.measure(candidate, progress);
    }
    [[nodiscard]] bool has_anchors() const override { return true; }
    [[nodiscard]] Error be_anchor(const Candidate& candidate,
                                  const AnchorLink& link) const override {
        return subject_.be_anchor(candidate, link);
    }

  private:
    LocalMeasurer(Subject subject, MachineState machine)
        : subject_(std::move(subject)), machine_(std::move(machine)) {}
    /** In a child; why it failed, empty: it did not. */
    [[nodiscard]] std::string run_apart(const std::function<Status()>& compute) const;

    Subject subject_;
    MachineState machine_;
    double kernel_seconds_ = 0;
};

}  // namespace nestor
