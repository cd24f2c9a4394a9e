#include "halide/calls.h"

namespace nestor {

void CountCalls::visit(const Halide::Internal::Call* call) {
    IRGraphVisitor::visit(call);
    if (call->call_type == Halide::Internal::Call::Halide) {
        calls[{call->name, call->value_index}]++;
    }
}

Environment locked_environment(const Halide::Pipeline& pipeline) {
    Environment env = environment(pipeline);
    for (auto& [name, function] : env) {
        function.lock_loop_levels();
    }
    return env;
}

bool has_no_place(const HalideFunction& f) {
    return f.schedule().compute_level().is_inlined();
}

bool is_inlined(const HalideFunction& f) {
    return f.can_be_inlined() && has_no_place(f);
}

bool is_input_wrapper(const HalideFunction& f) {
    const Halide::Internal::Call* call = f.is_wrapper();
    return call != nullptr && call->call_type == Halide::Internal::Call::Image;
}

}  // namespace nestor
