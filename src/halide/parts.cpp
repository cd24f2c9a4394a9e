#include "halide/parts.h"

#include <algorithm>
#include <set>

#include "halide/identity.h"

namespace nestor {

using namespace Halide;
using namespace Halide::Internal;

namespace {

// Everything that one function refers to, in the order in which its expressions are read.
class References : public IRGraphVisitor {
  public:
    std::vector<HalideFunction> callees;
    std::vector<Parameter> parameters;
    std::vector<Buffer<>> buffers;

    void function(const FunctionPtr& pointer) {
        if (pointer.defined()) {
            callees.emplace_back(pointer);
        }
    }

  protected:
    using IRGraphVisitor::visit;

    void visit(const Call* op) override {
        IRGraphVisitor::visit(op);
        function(op->func);
        note(op->param, op->image);
    }

    void visit(const Variable* op) override { note(op->param, op->image); }

  private:
    void note(const Parameter& parameter, const Buffer<>& image) {
        if (parameter.defined()) {
            parameters.push_back(parameter);
        }
        if (image.defined()) {
            buffers.push_back(image);
        }
    }
};

References references_of(const HalideFunction& f) {
    References references;
    f.accept(&references);
    for (const ExternFuncArgument& arg : f.extern_arguments()) {
        if (arg.is_func()) {
            references.function(arg.func);
        } else if (arg.is_image_param()) {
            references.parameters.push_back(arg.image_param);
        } else if (arg.is_buffer()) {
            references.buffers.push_back(arg.buffer);
        }
    }
    return references;
}

class Walk {
  public:
    explicit Walk(PipelineParts& parts) : parts_(parts) {}

    void visit(const HalideFunction& f) {
        if (!parts_.functions.emplace(f.name(), f).second) {
            return;
        }
        const References references = references_of(f);
        for (const HalideFunction& callee : references.callees) {
            visit(callee);
        }
        for (const Parameter& parameter : references.parameters) {
            this->parameter(parameter);
        }
        for (const Buffer<>& buffer : references.buffers) {
            if (names_.insert(buffer.name()).second) {
                parts_.buffers.push_back(buffer);
            }
        }
        parts_.order.push_back(f);
    }

    void parameter(const Parameter& parameter) {
        if (output_buffers_.count(parameter.name()) == 0 &&
            names_.insert(parameter.name()).second) {
            (parameter.is_buffer() ? parts_.images : parts_.scalars).push_back(parameter);
        }
    }

    // The parameters of output buffers occur in their own constraints; they are no inputs.
    void ignore_output_buffers() {
        for (const HalideFunction& f : parts_.outputs) {
            for (const Parameter& buffer : f.output_buffers()) {
                output_buffers_.insert(buffer.name());
            }
        }
    }

  private:
    PipelineParts& parts_;
    std::set<std::string> names_, output_buffers_;
};

}  // namespace

int PipelineParts::index(const std::string& halide_name) const {
    const auto it = std::find_if(order.begin(), order.end(),
                                 [&](const HalideFunction& f) { return f.name() == halide_name; });
    return it == order.end() ? -1 : static_cast<int>(it - order.begin());
}

PipelineParts read_parts(const Pipeline& pipeline) {
    PipelineParts parts;
    for (const Func& output : pipeline.outputs()) {
        parts.outputs.push_back(output.function());
    }
    Walk walk(parts);
    walk.ignore_output_buffers();
    for (const HalideFunction& output : parts.outputs) {
        walk.visit(output);
    }
    References requirements;
    for (const Stmt& requirement : pipeline.requirements()) {
        requirement.accept(&requirements);
    }
    for (const Parameter& parameter : requirements.parameters) {
        walk.parameter(parameter);
    }
    parts.ids = identify(parts.functions);
    return parts;
}

}  // namespace nestor
