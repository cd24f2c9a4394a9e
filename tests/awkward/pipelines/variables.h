// The variables that the pipelines are written in.
#pragma once

#include <Halide.h>

namespace nestor::testing {

inline const Halide::Var x("x"), y("y"), z("z"), c("c"), n("n"), u("u"), v("v");

}  // namespace nestor::testing
