#include "schedule/code/program.h"

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "base/version.h"

namespace nestor {

namespace {

// What the emitted code itself uses, in either language.
const std::set<std::string> kReserved = {
    "pipeline",  "target", "inputs", "funcs",      "functions",    "expected",
    "found",     "hl",     "re",     "key",        "Func",         "Var",
    "RVar",      "std",    "Halide", "MemoryType", "TailStrategy", "size_t",
    "number_at", "sorted", "range",  "ValueError",
};

// Two arguments are one variable if Halide gave them one name; without names, if they are the same
// loop of the same stage.
std::string key_of(const VariableArg& arg) {
    const std::string kind = arg.reduction ? "r:" : "v:";
    if (!arg.variable.empty()) {
        return kind + arg.variable;
    }
    return kind + std::to_string(arg.function) + ":" +
           (arg.reduction ? std::to_string(arg.stage) : "") + ":" + arg.name;
}

template <class Visit>
void each_variable(const Directive& directive, const Visit& visit) {
    for (const DirectiveArg& arg : directive.args) {
        if (const auto* variable = std::get_if<VariableArg>(&arg)) {
            visit(*variable);
        } else if (const auto* level = std::get_if<LevelArg>(&arg)) {
            visit(level->loop);
        } else if (const auto* preserved = std::get_if<PreservedArg>(&arg)) {
            for (const auto& [variable_arg, name] : preserved->pairs) {
                visit(variable_arg);
            }
        }
    }
}

template <class Visit>
void each_function(const Directive& directive, const Visit& visit) {
    visit(directive.function);
    for (const DirectiveArg& arg : directive.args) {
        if (const auto* function = std::get_if<FunctionArg>(&arg)) {
            visit(function->function);
        } else if (const auto* list = std::get_if<FunctionListArg>(&arg)) {
            std::ranges::for_each(list->functions, visit);
        } else if (const auto* condition = std::get_if<ConditionArg>(&arg)) {
            for (const ExtentCondition& term : condition->terms) {
                visit(term.output_for(directive.function));
            }
            for (const StrideArg& each : condition->strides) {
                if (each.stride.source == Source::Function) {
                    visit(each.stride.index);
                }
            }
            if (condition->selected && condition->selected->selector.function >= 0) {
                visit(condition->selected->selector.function);
            }
        }
    }
    each_variable(directive, [&](const VariableArg& arg) { visit(arg.function); });
}

// The pure variable that an rfactor makes, as an argument.
VariableArg new_variable(const Directive& directive, const std::string& name) {
    VariableArg arg;
    arg.function = directive.function;
    arg.name = name;
    arg.variable = name;
    return arg;
}

}  // namespace

Program::Program(const PipelineDag& dag, const Schedule& schedule)
    : dag_(dag), schedule_(schedule), list_(directives(dag, schedule)), identifiers_(kReserved) {
    for (int f = 0; f < static_cast<int>(dag.functions.size()); f++) {
        const Function& function = dag.functions[f];
        const int updates = std::max(0, static_cast<int>(function.stages.size()) - 1);
        expected_.push_back({f, function.id.stem, function.dimensions(), updates});
    }
    std::ranges::sort(expected_, {},
                      [&](const Expected& e) { return dag.functions[e.function].id; });
    name_functions();
    name_variables();
    make_statements();
}

void Program::name_functions() {
    std::set<int> named;
    for (const Directive& directive : list_) {
        each_function(directive, [&](int f) { named.insert(f); });
    }
    for (const int f : named) {
        functions_[f] = identifiers_.make(function_text(dag_, schedule_, f));
    }
}

void Program::name_variables() {
    late_.resize(list_.size());
    for (std::size_t at = 0; at < list_.size(); at++) {
        each_variable(list_[at], [&](const VariableArg& arg) { use(arg, at); });
        for (const DirectiveArg& arg : list_[at].args) {
            if (const auto* preserved = std::get_if<PreservedArg>(&arg)) {
                for (const auto& [variable_arg, name] : preserved->pairs) {
                    use(new_variable(list_[at], name), at);
                }
            }
        }
    }
}

void Program::use(const VariableArg& arg, std::size_t at) {
    const auto [known, is_new] =
        variable_of_key_.emplace(key_of(arg), static_cast<int>(variables_.size()));
    if (!is_new) {
        return;
    }
    variables_.push_back({identifiers_.make(arg.name), arg});
    (is_early(arg, at) ? early_ : late_[at]).push_back(known->second);
}

bool Program::is_early(const VariableArg& arg, std::size_t at) const {
    if (arg.original < 0) {
        return true;
    }
    if (arg.function >= static_cast<int>(dag_.functions.size())) {
        return false;
    }
    const auto changes_it = [&](const Directive& d) {
        return d.method == Method::Rfactor && d.function == arg.function && d.stage == arg.stage;
    };
    return !arg.reduction ||
           std::none_of(list_.begin(), list_.begin() + static_cast<std::ptrdiff_t>(at), changes_it);
}

void Program::make_statements() {
    bool open = false;  // the last statement takes more calls
    for (std::size_t at = 0; at < list_.size(); at++) {
        const Directive& d = list_[at];
        const int stage = std::max(0, d.stage);
        const bool same = open && statements_.back().function == d.function &&
                          statements_.back().stage == stage &&
                          statements_.back().specialization == d.specialization &&
                          d.method != Method::Specialize;
        if (!same) {
            Statement statement;
            statement.function = d.function;
            statement.stage = stage;
            statement.specialization = d.specialization;
            statements_.push_back(std::move(statement));
        }
        Statement& statement = statements_.back();
        statement.declares.insert(statement.declares.end(), late_[at].begin(), late_[at].end());
        statement.calls.push_back(&d);
        open = d.result < 0;
        if (d.method == Method::Specialize) {
            const std::string name = functions_[d.function] + "_case";
            statement.result = identifiers_.make(name);
            statement.result_is_stage = true;
            specializations_[{d.function, stage, d.result}] = statement.result;
        } else if (d.result >= 0) {
            if (!functions_.contains(d.result)) {
                functions_[d.result] = identifiers_.make(function_text(dag_, schedule_, d.result));
            }
            statement.result = functions_[d.result];
        }
    }
}

std::vector<int> Program::fetched() const {
    std::vector<int> fetched;
    for (int i = 0; i < static_cast<int>(expected_.size()); i++) {
        if (functions_.contains(expected_[i].function)) {
            fetched.push_back(i);
        }
    }
    return fetched;
}

std::set<std::string> Program::inputs() const {
    std::set<std::string> inputs;
    for (const Directive& directive : list_) {
        for (const DirectiveArg& arg : directive.args) {
            if (const auto* condition = std::get_if<ConditionArg>(&arg)) {
                for (const StrideArg& each : condition->strides) {
                    if (each.stride.source == Source::Input) {
                        inputs.insert(each.input);
                    }
                }
                if (condition->selected && condition->selected->selector.scalar >= 0) {
                    inputs.insert(condition->selected->name);
                }
            }
        }
    }
    return inputs;
}

const std::string& Program::variable(const VariableArg& arg) const {
    return variables_[variable_of_key_.at(key_of(arg))].identifier;
}

const std::string& Program::preserved(const Directive& rfactor, const std::string& name) const {
    return variable(new_variable(rfactor, name));
}

const std::string& Program::specialization(const Statement& statement) const {
    return specializations_.at({statement.function, statement.stage, statement.specialization});
}

bool Program::has_one_value(int function) const {
    return dag_.functions[function].types.size() == 1;
}

std::string head_comment(const PipelineDag& dag) {
    return "Schedule of " + string_literal(dag.name) + " by Nestor " + kVersion +
           ", for the algorithm " + hash_text(dag.algorithm_hash) + ".";
}

}  // namespace nestor
