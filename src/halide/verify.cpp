#include "halide/verify.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "halide/apply.h"
#include "halide/baseline.h"
#include "halide/careful_call.h"
#include "halide/compiling.h"
#include "halide/confused_loads.h"
#include "halide/errors.h"
#include "halide/lone_elements.h"
#include "halide/reversed_vectors.h"
#include "halide/undefined_names.h"

namespace nestor {

using Halide::Pipeline;
using Halide::Target;
using Halide::Internal::Stmt;

namespace {

// Checks that have to be known to hold.
constexpr std::array kNeeded = {"halide_error_access_out_of_bounds",
                                "halide_error_fold_factor_too_small", "halide_error_bad_fold"};

/** A target whose lowered statement has the checks that are to be evaluated. */
Target with_checks(const Target& target) {
    return target.without_feature(Target::NoAsserts)
        .without_feature(Target::NoBoundsQuery)
        .without_feature(Target::Profile)
        .without_feature(Target::ProfileByTimer);
}

std::string range_text(const Range& range) {
    return std::to_string(range.min) + ".." + std::to_string(range.max());
}

std::string region_text(const BufferRegion& region) {
    std::string all;
    for (const Range& range : region) {
        all += (all.empty() ? "" : " x ") + range_text(range);
    }
    return all.empty() ? "0-dimensional" : all;
}

bool contains(const Range& outer, const Range& inner) {
    return inner.extent <= 0 || (outer.min <= inner.min && inner.max() <= outer.max());
}

/** What is wrong with what the scheduled pipeline requires of a buffer, or nothing. */
std::string requires_more(const std::vector<std::optional<Range>>& required,
                          const std::vector<std::optional<Range>>& before,
                          const BufferRegion& given) {
    for (std::size_t dim = 0; dim < required.size() && dim < before.size() && dim < given.size();
         dim++) {
        // Where the unscheduled pipeline fails or cannot tell, there is nothing to compare with.
        if (!before[dim] || !contains(given[dim], *before[dim])) {
            continue;
        }
        const std::string subject = " in dimension " + std::to_string(dim) + " is required ";
        if (!required[dim]) {
            return subject + "in a region that cannot be known before it runs";
        }
        if (!contains(given[dim], *required[dim])) {
            return subject + "at " + range_text(*required[dim]) +
                   "; the unscheduled pipeline requires it at " + range_text(*before[dim]);
        }
    }
    return {};
}

}  // namespace

BoundsQuery query_bounds(const Stmt& lowered, const CheckPoint& point,
                         const std::map<std::string, BufferRegion>& inputs) {
    ImaginedCall call{point.outputs, point.scalars, inputs.empty()};
    call.buffers.insert(inputs.begin(), inputs.end());
    return CheckProgram(lowered).run(call);
}

Result<Verifier> Verifier::create(const Pipeline& pipeline, const Target& target) {
    return catching("checking the unscheduled pipeline failed", [&]() -> Result<Verifier> {
        Verifier verifier(with_checks(target));
        const Result<Stmt> lowered = lower_baseline(pipeline, verifier.target_);
        if (!lowered.ok()) {
            return Error{"the pipeline does not compile as it is: " + lowered.error()};
        }
        const CheckProgram program(lowered.value());
        const std::vector<CheckPoint> points = check_points(pipeline);
        for (const CheckPoint& point : points) {
            verifier.add_point(program, point, points.front());
        }
        for (const Baseline& baseline : verifier.baselines_) {
            for (const std::string& check : baseline.answer.unknown_checks) {
                if (std::find(verifier.notes_.begin(), verifier.notes_.end(), check) ==
                    verifier.notes_.end()) {
                    verifier.notes_.push_back(check);
                }
            }
        }
        return verifier;
    });
}

void Verifier::add_point(const CheckProgram& program, const CheckPoint& point,
                         const CheckPoint& estimates) {
    std::vector<Baseline> tried;
    for (const bool scaled : {false, true}) {
        Baseline baseline{point.text, careful_call(program, point, estimates, scaled), {}};
        baseline.answer = program.run(baseline.call);
        if (tried.empty() || !(tried[0].call.buffers == baseline.call.buffers)) {
            tried.push_back(std::move(baseline));
        }
    }
    for (Baseline& baseline : tried) {
        if (baseline.answer.failed_checks.empty() || baselines_.empty()) {
            baselines_.push_back(std::move(baseline));
        }
    }
}

Status Verifier::verify(const Pipeline& scheduled, Observed* observed) const {
    if (const std::string name = function_with_confused_loads(scheduled); !name.empty()) {
        return Error{name +
                     " is vectorised over strided loads that an index is computed from, which "
                     "Halide would take for equal"};
    }
    Result<Stmt> lowered = lower(scheduled, target_);
    if (!lowered.ok()) {
        return Error{lowered.error()};
    }
    return catching("checking the schedule failed", [&]() -> Status {
        if (const std::string name = undefined_name(lowered.value()); !name.empty()) {
            return Error{"lowering loses the definition of " + name + ", a fault of Halide's"};
        }
        if (const std::string name = lone_element_as_vector(lowered.value()); !name.empty()) {
            return Error{name + " is a single element that is used as a vector, which crashes"};
        }
        if (const std::string name = memory_before_its_beginning(lowered.value()); !name.empty()) {
            return Error{name + " is read backwards in a vector that begins before it, which " +
                         "Halide's code generator refuses"};
        }
        const CheckProgram program(lowered.value());
        for (const Baseline& baseline : baselines_) {
            if (Status status = compare(baseline, program.run(baseline.call)); !status.ok()) {
                return status;
            }
        }
        if (observed != nullptr) {
            *observed =
                observe(lowered.value(), program.resolve(baselines_.front().call), Observe::Costs);
            observed->access_pairs = most_access_pairs(lowered.value(), target_);
        }
        return Ok{};
    });
}

Status Verifier::compare(const Baseline& baseline, const BoundsQuery& answer) {
    std::string where;
    for (const auto& [name, region] : baseline.call.buffers) {
        where += (where.empty() ? "" : ", ") + name + " " + region_text(region);
    }
    where = "at " + baseline.point + " (" + where + "): ";
    for (const auto& [name, required] : answer.required) {
        const auto given = baseline.call.buffers.find(name);
        const auto before = baseline.answer.required.find(name);
        if (given == baseline.call.buffers.end() || before == baseline.answer.required.end()) {
            continue;
        }
        if (const std::string more = requires_more(required, before->second, given->second);
            !more.empty()) {
            return Error{where + name + more};
        }
    }
    for (const FailedCheck& check : answer.failed_checks) {
        const auto& failed = baseline.answer.failed_checks;
        if (std::none_of(failed.begin(), failed.end(),
                         [&](const FailedCheck& f) { return f.key == check.key; })) {
            return Error{where + check.text};
        }
    }
    if (!answer.complete && baseline.answer.complete) {
        return Error{where + "it has too many checks in its loops to evaluate"};
    }
    for (const std::string& check : answer.unknown_checks) {
        const bool needed =
            std::ranges::any_of(kNeeded, [&](const char* name) { return check.starts_with(name); });
        if (needed && !baseline.answer.unknown_checks.contains(check)) {
            return Error{where + "cannot be known before it runs: " + check};
        }
    }
    return Ok{};
}

}  // namespace nestor
