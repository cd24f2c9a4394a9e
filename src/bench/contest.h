#pragma once
// One pipeline's versions against each other.

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/version.h"
#include "bench/wishes.h"
#include "measure/compare.h"
#include "measure/timing.h"

namespace nestor {

struct ContestOptions {
    BuildJob build;  // of this pipeline
    std::vector<Contender> contenders;
    std::vector<std::string> inputs;                  // folders, see wishes.h
    int threads = 1;                                  // of Halide's pool
    double slow_seconds = 60;                         // limit of a first run
    std::int64_t run_bytes = std::int64_t{8} << 30U;  // that a run may use
    TimingLimits timing;
    std::string outputs;  // folder that gets VERSION/OUTPUT.npy; empty: none
    std::function<void(const std::string&)> say = [](const std::string&) {};
};

/** 1. build() every version, under limits; 2. run() each once in a process of its own, on the same
 * inputs, and compare its outputs with those of the first that finishes; 3. time() those that are
 * right, in turns, each in a process of its own; again adds samples. Whatever goes wrong is a
 * version's failure. Build all contests before the first is timed. */
class Contest {
  public:
    explicit Contest(ContestOptions options);

    /** An Error if a signal asked to stop meanwhile. */
    Status build();
    void run();
    void time();

    [[nodiscard]] const std::string& name() const { return options_.build.name; }
    [[nodiscard]] BoardRow row() const { return {name(), versions_}; }
    [[nodiscard]] const CallShape& shape() const { return shape_; }

    /** Sizes and inputs, from what the first version that was built says of its arguments. run()
     * does this by itself. */
    Status prepare();

  private:
    void run_one(Version& version);
    [[nodiscard]] TypeFacts types_of(const Version& version) const;
    void add_samples(const std::vector<Version*>& versions, const TimingResult& result);
    std::string compare(const Memories& outputs) const;
    [[nodiscard]] Status write_outputs(const Version& version, const Memories& outputs) const;

    ContestOptions options_;
    std::vector<Version> versions_;
    std::string runtime_;
    Wishes wishes_;
    TypeFacts types_;
    CallShape shape_;
    Memories inputs_;
    std::string reference_;  // label of the version that the others are compared with
    Memories expected_;
    int rounds_ = 0;  // of all calls of time()
};

/** [{"name", "kind": "input", "output" or "scalar", "type", "minima", "extents", or "value"}],
 * dimension 0 first. */
[[nodiscard]] nlohmann::json arguments_json(const CallShape& shape);

}  // namespace nestor
