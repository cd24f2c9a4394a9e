// A schedule as C++: the body of apply_schedule_<name>.

#include "schedule/code/writer.h"
#include "schedule/print.h"

namespace nestor {

namespace {

// Of what it names, Halide's wrapping of the body says `using` for these only.
bool is_used_unqualified(const std::string& type) {
    return type == "Func" || type == "MemoryType" || type == "RVar" || type == "TailStrategy" ||
           type == "Var";
}

std::string qualified(const std::string& type) {
    return is_used_unqualified(type) ? type : "::Halide::" + type;
}

class CppWriter : public Writer {
  public:
    using Writer::Writer;

    [[nodiscard]] std::string declaration(const Variable& variable) const {
        const VariableArg& source = variable.source;
        if (source.original < 0) {
            return variable.identifier + "(" + string_literal(source.name) + ")";
        }
        return variable.identifier + " = " + origin(source);
    }

  protected:
    [[nodiscard]] std::string method(Method method) const override { return method_name(method); }
    [[nodiscard]] std::string value(const char* type, const char* name) const override {
        return qualified(type) + "::" + name;
    }
    [[nodiscard]] std::string boolean(bool value) const override {
        return value ? "true" : "false";
    }
    [[nodiscard]] std::string list(const std::vector<std::string>& items) const override {
        return "{" + join(items, ", ") + "}";
    }
    [[nodiscard]] std::string pair(const std::string& a, const std::string& b) const override {
        return "{" + a + ", " + b + "}";
    }
    [[nodiscard]] std::string both(const std::vector<std::string>& conditions) const override {
        return join(conditions, " && ");
    }
    [[nodiscard]] std::string make(const char* type, const std::string& args) const override {
        return qualified(type) + "(" + args + ")";
    }
    [[nodiscard]] std::string point(const std::string& function,
                                    const std::string& coordinates) const override {
        return function + "(" + coordinates + ")";
    }
    [[nodiscard]] std::string scalar(const std::string& name) const override {
        return of_parameter(name, parameter(name) + ".type()", name);
    }
    [[nodiscard]] std::string input_stride(const std::string& input, int dim) const override {
        return of_parameter(input, "::Halide::Int(32)", input + ".stride." + std::to_string(dim));
    }
    [[nodiscard]] std::string widened(const std::string& value) const override {
        return "::Halide::cast<int>(" + value + ")";
    }

  private:
    static std::string parameter(const std::string& input) {
        return "inputs.at(" + string_literal(input) + ")";
    }
    static std::string of_parameter(const std::string& input, const std::string& type,
                                    const std::string& variable) {
        return "::Halide::Internal::Variable::make(" + type + ", " + string_literal(variable) +
               ", " + parameter(input) + ")";
    }
};

// Fetches all functions into `funcs`, sorted by stem and creation, and refuses another pipeline.
std::string preamble(const Program& program) {
    const std::string count = std::to_string(program.expected().size());
    std::string text = R"(
    // All functions by name, without what depends on the process ("sum$3", "f12"), in order of creation.
    const auto key = [](std::string stem) {
        std::vector<int> counters;
        const auto number_end = [&](size_t at) {
            return std::min(stem.find_first_not_of("0123456789", at), stem.size());
        };
        const auto take = [&](size_t position, size_t begin, size_t digits, size_t end) {
            if (digits >= end || end - digits > 9 || number_end(digits) < end) return false;
            const int counter = std::stoi(stem.substr(digits, end - digits));
            counters.insert(counters.begin() + position, counter);
            stem.erase(begin, end - begin);
            return true;
        };
        const std::string again = "_d_def___";
        for (size_t at = 0; (at = stem.find(again, at)) != std::string::npos; at++) {
            stem[at + again.size() - 1] = '$';
        }
        size_t inner = 0, ending_size = 0;
        for (size_t at = stem.find('$', 1); at != std::string::npos; at = stem.find('$', at)) {
            if (!take(counters.size(), at, at + 1, number_end(at + 1))) {
                at++;
            } else if (at < stem.size()) {
                inner++;
            }
        }
        for (const std::string ending : {"_d_def__", "_intm"}) {
            while (stem.size() > ending.size() &&
                   stem.compare(stem.size() - ending.size(), ending.size(), ending) == 0) {
                ending_size = ending.size();
                const size_t end = stem.size() - ending.size(), at = stem.rfind('_', end - 1);
                if (at == std::string::npos || at == 0 || !take(inner, at, at + 1, end)) break;
            }
        }
        if (stem[0] == 'f') {
            take(0, 1, 1, stem.size() - ending_size);
        } else if (stem.rfind("lambda_", 0) == 0) {
            take(0, 6, 7, stem.size() - ending_size);
        }
        return std::make_pair(stem, counters);
    };
    std::multimap<std::pair<std::string, std::vector<int>>, Func> functions;
    for (size_t i = 0; i < )" +
                       count + R"(; i++) {
        const Func f = pipeline.get_func(i);
        functions.emplace(key(f.name()), f);
    }

    // Another pipeline is refused before anything is touched.
    const struct { const char *name; int dimensions, updates; } expected[] = {
)";
    for (const Expected& e : program.expected()) {
        text += "        {" + string_literal(e.stem) + ", " + std::to_string(e.dimensions) + ", " +
                std::to_string(e.updates) + "},\n";
    }
    text += R"(    };
    std::vector<Func> funcs;
    for (const auto &found : functions) {
        const auto &e = expected[funcs.size()];
        const Func &f = found.second;
        if (found.first.first != e.name || f.dimensions() != e.dimensions ||
            f.num_update_definitions() != e.updates) {
            throw std::runtime_error("This schedule is for another algorithm: it expects " +
                                     std::string(e.name) + " with " + std::to_string(e.dimensions) +
                                     " dimensions and " + std::to_string(e.updates) +
                                     " updates, and finds " + f.name() + ".");
        }
        funcs.push_back(f);
    }
)";
    return text;
}

// Variables of one kind and origin share a declaration.
std::string declarations(const Program& program, const CppWriter& writer,
                         const std::vector<int>& variables) {
    std::string text;
    for (const bool reduction : {false, true}) {
        for (const bool original : {true, false}) {
            std::vector<std::string> declared;
            for (const int v : variables) {
                const Variable& variable = program.variables()[v];
                if (variable.source.reduction == reduction &&
                    (variable.source.original >= 0) == original) {
                    declared.push_back(writer.declaration(variable));
                }
            }
            if (!declared.empty()) {
                text += kIndent + std::string(reduction ? "RVar " : "Var ") + join(declared, ", ") +
                        ";\n";
            }
        }
    }
    return text;
}

std::string statement_text(const Program& program, const CppWriter& writer,
                           const Statement& statement) {
    std::string text = declarations(program, writer, statement.declares) + kIndent;
    if (!statement.result.empty()) {
        text +=
            (statement.result_is_stage ? "::Halide::Stage " : "Func ") + statement.result + " = ";
    }
    text += writer.subject(statement);
    const bool chain = statement.calls.size() > 1;
    for (const Directive* call : statement.calls) {
        text += (chain ? "\n        ." : ".") + writer.call(*call);
    }
    return text + ";\n";
}

}  // namespace

std::string print_cpp(const PipelineDag& dag, const Schedule& schedule) {
    const Program program(dag, schedule);
    const CppWriter writer(program);
    std::string text = kIndent + ("// " + head_comment(dag)) + "\n" + preamble(program);
    if (!program.inputs().empty()) {
        text += R"(
    // Conditions on inputs need their own parameters: others of the same name are refused.
    std::map<std::string, ::Halide::Parameter> inputs;
    std::vector<uint8_t> serialized;
    ::Halide::serialize_pipeline(pipeline, serialized, inputs);
)";
    }
    const std::vector<int> fetched = program.fetched();
    text += fetched.empty() ? "" : "\n";
    for (const int i : fetched) {
        text += kIndent + ("Func " + program.function(program.expected()[i].function)) +
                " = funcs[" + std::to_string(i) + "];\n";
    }
    text += declarations(program, writer, program.early());
    text += program.statements().empty() ? "" : "\n";
    for (const Statement& statement : program.statements()) {
        text += statement_text(program, writer, statement);
    }
    return text;
}

}  // namespace nestor
