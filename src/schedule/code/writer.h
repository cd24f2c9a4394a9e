#pragma once
// Writer: the parts of emitting a Program that C++ and Python share. A language says how its words
// look.

#include <string>
#include <vector>

#include "schedule/code/program.h"

namespace nestor {

constexpr const char* kIndent = "    ";  // of a statement, in both languages

class Writer {
  public:
    explicit Writer(const Program& program) : program_(program) {}
    virtual ~Writer() = default;

    /** "f.update(0)": what the calls of a statement are made on. */
    [[nodiscard]] std::string subject(const Statement& statement) const;
    /** "split(x, x, xi, 8)" */
    [[nodiscard]] std::string call(const Directive& directive) const;
    /** "blur.args()[0]", "Var(\"xi\")": where a variable comes from. */
    [[nodiscard]] std::string origin(const VariableArg& arg) const;

  protected:
    [[nodiscard]] virtual std::string method(Method method) const = 0;
    /** A value of an enumeration: TailStrategy::RoundUp, hl.TailStrategy.RoundUp. */
    [[nodiscard]] virtual std::string value(const char* type, const char* name) const = 0;
    [[nodiscard]] virtual std::string boolean(bool value) const = 0;
    [[nodiscard]] virtual std::string list(const std::vector<std::string>& items) const = 0;
    [[nodiscard]] virtual std::string pair(const std::string& a, const std::string& b) const = 0;
    [[nodiscard]] virtual std::string both(const std::vector<std::string>& conditions) const = 0;
    [[nodiscard]] virtual std::string make(const char* type, const std::string& args) const = 0;
    /** A function's value at constant coordinates: f(1, 2), f[1, 2]. */
    [[nodiscard]] virtual std::string point(const std::string& function,
                                            const std::string& coordinates) const = 0;
    /** A scalar parameter of the pipeline, of Program::inputs(). */
    [[nodiscard]] virtual std::string scalar(const std::string& name) const = 0;
    [[nodiscard]] virtual std::string input_stride(const std::string& input, int dim) const = 0;
    [[nodiscard]] virtual std::string widened(const std::string& value) const = 0;  // to int

    const Program& program_;

  private:
    using Arguments = std::vector<std::string>;
    [[nodiscard]] Arguments arguments(const Directive& directive) const;
    void add(const DirectiveArg& arg, const Directive& directive, Arguments& arguments) const;
    void add_level(const LevelArg& level, const Directive& directive, Arguments& arguments) const;
    void add_functions(const FunctionListArg& list_arg, Arguments& arguments) const;
    void add_preserved(const PreservedArg& preserved, const Directive& directive,
                       Arguments& arguments) const;
    [[nodiscard]] std::string condition(const ConditionArg& condition, int function) const;
    [[nodiscard]] std::string buffer_dim(int output, int dim) const;
    [[nodiscard]] std::string selected(const SelectedArg& selected) const;
};

[[nodiscard]] std::string join(const std::vector<std::string>& items, const std::string& separator);

}  // namespace nestor
