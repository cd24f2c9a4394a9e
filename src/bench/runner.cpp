#include "bench/runner.h"

#include "bench/child_answer.h"
#include "measure/compiled_library.h"
#include "measure/timing.h"

namespace nestor {

using nlohmann::json;

namespace {

void serve(const ParentLink& link, const RunnerSetup& setup, const CallShape& shape,
           const Memories& inputs) {
    const auto runtime = must(CompiledRuntime::load(setup.runtime));
    const auto pipeline = must(CompiledPipeline::load(setup.library, setup.function));
    runtime.set_threads(setup.threads);
    const Memories outputs = allocate(shape, Direction::Outputs, BufferMemory::Kind::Private);
    fill_garbage(outputs, 0);  // so that no run pays for its pages
    const CallPointers pointers(shape, inputs, outputs);
    while (true) {
        const int runs = std::stoi(link.hear());
        answer_parent(link, [&]() -> json {
            return time_runs([&] { must(pipeline.run(pointers.argv())); }, runs);
        });
    }
}

}  // namespace

Result<std::unique_ptr<Runner>> Runner::start(const RunnerSetup& setup, const CallShape& shape,
                                              const Memories& inputs) {
    Result<std::unique_ptr<ForkedChild>> child = ForkedChild::start(
        [&](const ParentLink& link) { serve(link, setup, shape, inputs); }, setup.bytes);
    if (!child) {
        return Error{child.error()};
    }
    return std::unique_ptr<Runner>(new Runner(std::move(child).value(), setup.slow_seconds));
}

Result<double> Runner::sample(int runs) {
    child_->tell(std::to_string(runs));
    const ChildAnswer told = await_answer(*child_, slow_seconds_ * runs);
    if (!told.failure.empty()) {
        return Error{told.failure};
    }
    return told.answer.get<double>();
}

}  // namespace nestor
