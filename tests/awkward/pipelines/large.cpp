// Definitions that are large as they are written.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;

// As a tree it has a million nodes; Halide computes each of its 17 steps once.
BuiltPipeline definition_of_many_nodes() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(32), "in", {{0, 102}, {0, 70}});
    Func large("large"), out("out");
    Expr value = in(x, y) + in(x + 2, y);
    for (int i = 0; i < 17; i++) {
        value = (value >> 1) ^ (value + i);
    }
    large(x, y) = value;
    out(x, y) = large(x, y) + large(x, y + 1);
    b.output(out, {{0, 100}, {0, 69}});
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> large_pipelines() {
    return {
        {"definition_of_many_nodes", "large definition", definition_of_many_nodes},
    };
}

}  // namespace nestor::testing
