#include "halide/careful_call.h"

#include <algorithm>

#include "halide/baseline.h"
#include "halide/errors.h"

namespace nestor {

namespace {

Range hull(const Range& a, const Range& b) {
    const std::int64_t min = std::min(a.min, b.min);
    return {min, std::max(a.max(), b.max()) - min + 1};
}

/** What a caller has before it asks: the estimates of an input, scaled as the outputs are at this
 * point (a boundary condition depends on the size of the input that is passed). */
BufferRegion first_guess(const ArgumentBuffer& input, const CheckPoint& point,
                         const CheckPoint& estimates, bool scaled) {
    Interpreter constants;
    BufferRegion region;
    for (int dim = 0; dim < input.dimensions; dim++) {
        Range now{0, 1};
        Range estimated{0, 1};
        for (const auto& [name, output] : point.outputs) {
            if (dim < static_cast<int>(output.size())) {
                now = output[dim];
                estimated = estimates.outputs.at(name)[dim];
                break;
            }
        }
        Range guess = now;
        const Value min = constants.evaluate(input.parameter.min_constraint_estimate(dim));
        const Value extent = constants.evaluate(input.parameter.extent_constraint_estimate(dim));
        if (const auto* known = as_integer(min)) {
            guess.min = *known;
        }
        if (const auto* known = as_integer(extent)) {
            guess.extent = *known;
            if (scaled && estimated.extent > 0) {
                guess.extent =
                    std::max<std::int64_t>(1, guess.extent * now.extent / estimated.extent);
            }
        }
        region.push_back(guess);
    }
    return region;
}

/** Grows or shrinks the buffers of a call to what the pipeline requires; true if that changed
 * something. */
bool satisfy(const BoundsQuery& answer, const CheckPoint& point, ImaginedCall& call) {
    bool changed = false;
    for (const auto& [name, required] : answer.required) {
        const auto buffer = call.buffers.find(name);
        for (std::size_t dim = 0; buffer != call.buffers.end() && dim < required.size(); dim++) {
            if (!required[dim]) {
                continue;
            }
            // An output that another output reads may have to be larger than what was asked for.
            Range& range = buffer->second[dim];
            const Range wanted =
                point.outputs.contains(name) ? hull(range, *required[dim]) : *required[dim];
            changed = changed || !(range == wanted);
            range = wanted;
        }
    }
    return changed;
}

}  // namespace

ImaginedCall careful_call(const CheckProgram& program, const CheckPoint& point,
                          const CheckPoint& estimates, bool scaled) {
    ImaginedCall call{point.outputs, point.scalars, true};
    for (const auto& [name, buffer] : program.buffers()) {
        if (!buffer.embedded && !point.outputs.contains(name)) {
            call.buffers[name] = first_guess(buffer, point, estimates, scaled);
        }
    }
    // What is required may depend on the sizes that are passed (in boundary conditions), so ask
    // again.
    for (int round = 0; round < 4; round++) {
        if (!satisfy(program.run(call), point, call)) {
            break;
        }
    }
    call.bounds_query = false;
    return call;
}

Result<ResolvedCall> estimated_call(const Halide::Pipeline& pipeline, const Halide::Target& target,
                                    const std::map<std::string, Halide::Expr>& scalars) {
    return catching("the sizes of the arguments cannot be found", [&]() -> Result<ResolvedCall> {
        const Result<Halide::Internal::Stmt> lowered = lower_baseline(pipeline, target);
        if (!lowered) {
            return Error{lowered.error()};
        }
        const CheckProgram program(lowered.value());
        CheckPoint point = check_points(pipeline).front();
        for (const auto& [name, value] : scalars) {
            point.scalars[name] = value;
        }
        return program.resolve(careful_call(program, point, point, false));
    });
}

}  // namespace nestor
