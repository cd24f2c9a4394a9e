// A schedule as Python: a module with apply_schedule_<name>.

#include "schedule/code/writer.h"
#include "schedule/print.h"

namespace nestor {

namespace {

class PythonWriter : public Writer {
  public:
    using Writer::Writer;

  protected:
    [[nodiscard]] std::string method(Method method) const override {
        return method == Method::In ? "in_" : method_name(method);
    }
    [[nodiscard]] std::string value(const char* type, const char* name) const override {
        return std::string("hl.") + type + "." + name;
    }
    [[nodiscard]] std::string boolean(bool value) const override {
        return value ? "True" : "False";
    }
    [[nodiscard]] std::string list(const std::vector<std::string>& items) const override {
        return "[" + join(items, ", ") + "]";
    }
    [[nodiscard]] std::string pair(const std::string& a, const std::string& b) const override {
        return "(" + a + ", " + b + ")";
    }
    [[nodiscard]] std::string both(const std::vector<std::string>& conditions) const override {
        return conditions.size() == 1 ? conditions[0] : "(" + join(conditions, ") & (") + ")";
    }
    [[nodiscard]] std::string make(const char* type, const std::string& args) const override {
        return std::string("hl.") + type + "(" + args + ")";
    }
    [[nodiscard]] std::string point(const std::string& function,
                                    const std::string& coordinates) const override {
        return function + "[" + (coordinates.empty() ? "()" : coordinates) + "]";
    }
    [[nodiscard]] std::string scalar(const std::string& name) const override {
        return "inputs[" + string_literal(name) + "]";
    }
    [[nodiscard]] std::string input_stride(const std::string& input, int dim) const override {
        return "inputs[" + string_literal(input) + "].dim(" + std::to_string(dim) + ").stride()";
    }
    [[nodiscard]] std::string widened(const std::string& value) const override {
        return "hl.cast(hl.Int(32), " + value + ")";
    }
};

// Fetches all functions into `funcs`, sorted by stem and creation, and refuses another pipeline.
std::string python_preamble(const Program& program) {
    std::string text =
        R"py(    # All functions by name, without what depends on the process ("sum$3", "f12"), in order of creation.
    def key(f):
        dollar = r"(?<=.)\$([0-9]{1,9})(?![0-9])"
        name = f.name().replace("_d_def___", "_d_def__$")
        counters = [int(n) for n in re.findall(dollar, name, re.DOTALL)]
        stem = re.sub(dollar, "", name, flags=re.DOTALL)
        inner = len(counters) - bool(re.search(r".\$[0-9]{1,9}$", name, re.DOTALL))
        while found := re.fullmatch(r"(.+)_([0-9]{1,9})(_d_def__|_intm)", stem, re.DOTALL):
            stem = found[1] + found[3]
            counters.insert(inner, int(found[2]))
        if found := re.fullmatch(r"(f(?!_)|lambda(?=_))_?([0-9]{1,9})(_d_def__|_intm)?", stem):
            stem, counters = found[1] + (found[3] or ""), [int(found[2])] + counters
        return stem, counters

)py";
    const std::string count = std::to_string(program.expected().size());
    text += "    funcs = sorted((pipeline.get_func(i) for i in range(" + count + ")), key=key)\n";
    text += R"(
    # Another pipeline is refused before anything is touched: name, dimensions, updates.
    expected = [
)";
    for (const Expected& e : program.expected()) {
        text += "        (" + string_literal(e.stem) + ", " + std::to_string(e.dimensions) + ", " +
                std::to_string(e.updates) + "),\n";
    }
    text += R"(    ]
    found = [(key(f)[0], f.dimensions(), f.num_update_definitions()) for f in funcs]
    if found != expected:
        raise ValueError(f"This schedule is for another algorithm: it expects {expected}, and finds {found}.")
)";
    return text;
}

std::string declarations(const Program& program, const PythonWriter& writer,
                         const std::vector<int>& variables) {
    std::string text;
    for (const int v : variables) {
        const Variable& variable = program.variables()[v];
        text += kIndent + variable.identifier + " = " + writer.origin(variable.source) + "\n";
    }
    return text;
}

std::string statement_text(const Program& program, const PythonWriter& writer,
                           const Statement& statement) {
    std::string text = declarations(program, writer, statement.declares) + kIndent;
    text += statement.result.empty() ? "" : statement.result + " = ";
    if (statement.calls.size() == 1) {
        return text + writer.subject(statement) + "." + writer.call(*statement.calls[0]) + "\n";
    }
    text += "(\n        " + writer.subject(statement) + "\n";
    for (const Directive* call : statement.calls) {
        text += "        ." + writer.call(*call) + "\n";
    }
    return text + "    )\n";
}

}  // namespace

std::string print_python(const PipelineDag& dag, const Schedule& schedule) {
    const Program program(dag, schedule);
    const PythonWriter writer(program);
    std::string text = "# " + head_comment(dag) + "\nimport re\n\nimport halide as hl\n\n\n";
    text += "def apply_schedule_" + as_identifier(dag.name) + "(pipeline, target, inputs={}):\n";
    text += python_preamble(program);
    for (const std::string& input : program.inputs()) {
        const std::string name = string_literal(input);
        text += kIndent + std::string("if ") + name + " not in inputs:\n" + kIndent + kIndent +
                "raise ValueError('pass the input (its ImageParam or Param) by name: inputs={" +
                name + ": ...}')\n";
    }
    const std::vector<int> fetched = program.fetched();
    text += fetched.empty() ? "" : "\n";
    for (const int i : fetched) {
        text += kIndent + program.function(program.expected()[i].function) + " = funcs[" +
                std::to_string(i) + "]\n";
    }
    text += declarations(program, writer, program.early());
    text += program.statements().empty() ? "" : "\n";
    for (const Statement& statement : program.statements()) {
        text += statement_text(program, writer, statement);
    }
    return text;
}

}  // namespace nestor
