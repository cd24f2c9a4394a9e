#pragma once
// Program: the directive list as statements, before it becomes C++ or Python. It decides on
// identifiers, on what is declared where, and on which calls make one chain; the printers decide on
// syntax.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "schedule/code/identifiers.h"
#include "schedule/directives.h"

namespace nestor {

/** A variable that the code declares. */
struct Variable {
    std::string identifier;
    VariableArg source;  // of its first use; says where it comes from
};

/** subject.call(...).call(...), with the result of the last call bound to `result` if that is not
 * empty. */
struct Statement {
    std::vector<int>
        declares;  // variables to declare right before: they need what was made meanwhile
    int function = 0;
    int stage = 0;  // 0: the function itself, which stands for its pure definition too
    int specialization = -1;
    std::vector<const Directive*> calls;
    std::string result;
    bool result_is_stage = false;
};

/** A function of the pipeline, by which the code tells that the pipeline is the right one. */
struct Expected {
    int function = 0;  // into PipelineDag::functions
    std::string stem;
    int dimensions = 0;
    int updates = 0;
};

class Program {
  public:
    Program(const PipelineDag& dag, const Schedule& schedule);

    /** All functions of the pipeline, sorted by stem and rank. */
    [[nodiscard]] const std::vector<Expected>& expected() const { return expected_; }
    /** Positions in expected() of the functions that the code names. */
    [[nodiscard]] std::vector<int> fetched() const;
    /** Variables that can be declared as soon as the functions are fetched. */
    [[nodiscard]] const std::vector<int>& early() const { return early_; }
    [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }
    /** Names of the inputs on whose strides or values the code is specialised, each once. */
    [[nodiscard]] std::set<std::string> inputs() const;
    [[nodiscard]] const std::vector<Statement>& statements() const { return statements_; }

    [[nodiscard]] const std::string& function(int function) const {
        return functions_.at(function);
    }
    [[nodiscard]] const std::string& variable(const VariableArg& arg) const;
    /** Of a pure variable that an rfactor makes. */
    [[nodiscard]] const std::string& preserved(const Directive& rfactor,
                                               const std::string& name) const;
    /** Of a Stage that a Specialize returned. */
    [[nodiscard]] const std::string& specialization(const Statement& statement) const;
    /** Whether output_buffer() exists, that is, whether the function is no tuple. */
    [[nodiscard]] bool has_one_value(int function) const;

  private:
    void name_functions();
    void name_variables();
    void use(const VariableArg& arg, std::size_t at);
    void make_statements();
    [[nodiscard]] bool is_early(const VariableArg& arg, std::size_t at) const;

    const PipelineDag& dag_;
    const Schedule& schedule_;
    const std::vector<Directive> list_;
    std::vector<Expected> expected_;
    std::map<int, std::string> functions_;  // those that are named
    std::vector<Variable> variables_;
    std::map<std::string, int> variable_of_key_;
    std::vector<int> early_;
    std::vector<std::vector<int>> late_;  // [directive]
    std::map<std::vector<int>, std::string> specializations_;
    std::vector<Statement> statements_;
    Identifiers identifiers_;
};

/** First line of a schedule as code: whose it is, by what it was made, for which algorithm. */
[[nodiscard]] std::string head_comment(const PipelineDag& dag);

}  // namespace nestor
