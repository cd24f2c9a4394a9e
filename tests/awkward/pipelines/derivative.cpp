// Gradients: pipelines that Halide derives itself, full of scatters and odd reduction domains.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;
namespace bc = Halide::BoundaryConditions;

/// The derivatives refer to functions of their own; this gives one a name and a first stage.
Func output_of(const Func& derivative, const std::string& name) {
    Func out(name);
    out(derivative.args()) = derivative(derivative.args());
    return out;
}

// Gradient of a convolution with respect to its input and its weights.
BuiltPipeline gradient_of_convolution() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 36}, {0, 28}}, kOwnExtents);
    ImageParam weights = b.image(Float(32), "weights", {{0, 3}, {0, 3}}, kOwnExtents);
    ImageParam adjoint = b.image(Float(32), "adjoint", {{0, 34}, {0, 26}}, kOwnExtents);
    Func image("image"), kernel("kernel"), conv("conv");
    image(x, y) = bc::constant_exterior(in, 0.0f)(x, y);
    kernel(x, y) = bc::constant_exterior(weights, 0.0f)(x, y);
    RDom r(0, 3, 0, 3, "r");
    conv(x, y) = 0.0f;
    conv(x, y) += image(x + r.x, y + r.y) * kernel(r.x, r.y);
    Func incoming = bc::constant_exterior(adjoint, 0.0f);
    Derivative d = propagate_adjoints(conv, incoming, {{0, 34}, {0, 26}});
    b.output(output_of(d(image), "d_image"), {{0, 36}, {0, 28}});
    b.output(output_of(d(kernel), "d_kernel"), {fixed(0, 3), fixed(0, 3)});
    b.expect().relative_tolerance = 1e-3;
    return b.finish();
}

BuiltPipeline gradient_of_loss() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 50}, {0, 30}}, kOwnExtents);
    ImageParam target = b.image(Float(32), "target", {{0, 50}, {0, 30}}, kOwnExtents);
    Func image("image"), loss("loss");
    image(x, y) = bc::repeat_edge(in)(x, y);
    RDom r(0, 50, 0, 30, "r");
    const Expr error = image(r.x, r.y) * image(r.x, r.y) - target(r.x, r.y);
    loss() = 0.0f;
    loss() += error * error;
    Derivative d = propagate_adjoints(loss);
    b.output(output_of(d(image), "d_image"), {{0, 50}, {0, 30}});
    b.output(loss, {});
    b.expect().relative_tolerance = 1e-3;
    return b.finish();
}

// Two layers with a rectifier between them: the adjoint passes through select.
BuiltPipeline gradient_through_layers() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 20}, {0, 8}}, kOwnExtents);
    ImageParam w1 = b.image(Float(32), "w1", {{0, 16}, {0, 20}}, kOwnExtents);
    ImageParam w2 = b.image(Float(32), "w2", {{0, 4}, {0, 16}}, kOwnExtents);
    Func layer1("layer1"), layer2("layer2"), first("first"), hidden("hidden"), second("second");
    layer1(x, y) = bc::constant_exterior(w1, 0.0f)(x, y);
    layer2(x, y) = bc::constant_exterior(w2, 0.0f)(x, y);
    RDom k(0, 20, "k"), j(0, 16, "j"), all(0, 4, 0, 8, "all");
    Func bounded = bc::constant_exterior(in, 0.0f), loss("loss");
    first(x, n) = 0.0f;
    first(x, n) += layer1(x, k) * bounded(k, n);
    hidden(x, n) = max(first(x, n), 0.0f);
    second(x, n) = 0.0f;
    second(x, n) += layer2(x, j) * hidden(j, n);
    loss() = 0.0f;
    loss() += second(all.x, all.y) * second(all.x, all.y);
    Derivative d = propagate_adjoints(loss);
    b.output(output_of(d(layer1), "d_layer1"), {{0, 16}, {0, 20}});
    b.output(output_of(d(layer2), "d_layer2"), {{0, 4}, {0, 16}});
    b.expect().relative_tolerance = 1e-3;
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

// The adjoint of a gather is a scatter.
BuiltPipeline gradient_of_gather() {
    PipelineBuilder b;
    ImageParam values = b.image(Float(32), "values", {{0, 40}}, kOwnExtents);
    ImageParam index = b.image(Int(32), "index", {{0, 100}}, {InputSize::Estimate, {}, {0, 39}});
    Func table("table"), picked("picked"), loss("loss");
    table(x) = bc::constant_exterior(values, 0.0f)(x);
    picked(x) = table(clamp(index(clamp(x, 0, 99)), 0, 39)) * cast<float>(x % 5);
    RDom r(0, 100, "r");
    loss() = 0.0f;
    loss() += picked(r) * picked(r);
    Derivative d = propagate_adjoints(loss);
    b.output(output_of(d(table), "d_table"), {{0, 40}});
    b.expect().relative_tolerance = 1e-3;
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

BuiltPipeline gradient_of_downsampling() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 64}, {0, 48}}, kOwnExtents);
    Func image("image"), half("half"), loss("loss");
    image(x, y) = bc::repeat_edge(in)(x, y);
    half(x, y) = (image(2 * x, 2 * y) + image(2 * x + 1, 2 * y)) * 0.5f;
    RDom r(0, 32, 0, 24, "r");
    loss() = 0.0f;
    loss() += half(r.x, r.y) * half(r.x, r.y) * cast<float>(r.x % 3);
    Derivative d = propagate_adjoints(loss);
    b.output(output_of(d(image), "d_image"), {{0, 64}, {0, 48}});
    b.expect().relative_tolerance = 1e-3;
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

BuiltPipeline gradient_of_parameter() {
    PipelineBuilder b;
    Param<float> gain = b.scalar<float>("gain", {0.5f, 2.0f});
    ImageParam in = b.image(Float(32), "in", {{0, 60}, {0, 40}}, kOwnExtents);
    Func loss("loss");
    RDom r(0, 60, 0, 40, "r");
    const Expr value = gain * in(r.x, r.y) - gain * gain;
    loss() = 0.0f;
    loss() += value * value;
    Derivative d = propagate_adjoints(loss);
    b.output(output_of(d(gain), "d_gain"), {});
    b.output(loss, {});
    b.expect().relative_tolerance = 1e-3;
    b.expect().min_legal_sizes = 1;
    return b.finish();
}

// Backwards in time through a scan.
BuiltPipeline gradient_of_scan() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 30}, {0, 12}}, kOwnExtents);
    Func image("image"), scan("scan"), loss("loss");
    image(x, y) = bc::constant_exterior(in, 0.0f)(x, y);
    RDom r(1, 29, "r"), all(0, 30, 0, 12, "all");
    scan(x, y) = image(x, y);
    scan(r, y) = scan(r - 1, y) * 0.5f + scan(r, y);
    loss() = 0.0f;
    loss() += scan(all.x, all.y) * scan(all.x, all.y);
    Derivative d = propagate_adjoints(loss);
    b.output(output_of(d(image), "d_image"), {{0, 30}, {0, 12}});
    b.expect().relative_tolerance = 1e-3;
    b.expect().reference = ReferenceSchedule::AllRoot;
    return b.finish();
}

}  // namespace

std::vector<TestPipeline> derivative_pipelines() {
    const std::string kind = "derivative";
    return {
        {"gradient_of_convolution", kind, gradient_of_convolution},
        {"gradient_of_loss", kind, gradient_of_loss},
        {"gradient_through_layers", kind, gradient_through_layers},
        {"gradient_of_gather", kind, gradient_of_gather},
        {"gradient_of_downsampling", kind, gradient_of_downsampling},
        {"gradient_of_parameter", kind, gradient_of_parameter},
        {"gradient_of_scan", kind, gradient_of_scan},
    };
}

}  // namespace nestor::testing
