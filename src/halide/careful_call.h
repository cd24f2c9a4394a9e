#pragma once
// What a careful caller passes to a pipeline: the outputs that are asked for, and inputs as large
// as the pipeline requires them.

#include "halide/verify.h"

namespace nestor {

/** A real call at `point`. `program` is of the unscheduled pipeline. Inputs begin with their
 * estimates, which are scaled with the outputs if `scaled` (a boundary condition depends on the
 * size of the input that is passed), and become what the pipeline then asks for. */
[[nodiscard]] ImaginedCall careful_call(const CheckProgram& program, const CheckPoint& point,
                                        const CheckPoint& estimates, bool scaled);

/** The call that the estimates describe; `scalars` replace estimates of parameters by name. */
[[nodiscard]] Result<ResolvedCall> estimated_call(
    const Halide::Pipeline& pipeline, const Halide::Target& target,
    const std::map<std::string, Halide::Expr>& scalars = {});

}  // namespace nestor
