#include "schedule/code/writer.h"

#include "schedule/enum_names.h"

namespace nestor {

std::string join(const std::vector<std::string>& items, const std::string& separator) {
    std::string text;
    for (const std::string& item : items) {
        text += (text.empty() ? "" : separator) + item;
    }
    return text;
}

std::string Writer::subject(const Statement& statement) const {
    if (statement.specialization >= 0) {
        return program_.specialization(statement);
    }
    const std::string& function = program_.function(statement.function);
    if (statement.stage == 0) {
        return function;
    }
    const int update = statement.stage - 1;
    return function + ".update(" + (update == 0 ? "" : std::to_string(update)) + ")";
}

std::string Writer::call(const Directive& directive) const {
    return method(directive.method) + "(" + join(arguments(directive), ", ") + ")";
}

std::string Writer::origin(const VariableArg& arg) const {
    if (arg.original < 0) {
        return make(arg.reduction ? "RVar" : "Var", string_literal(arg.name));
    }
    const std::string& function = program_.function(arg.function);
    const std::string index = "[" + std::to_string(arg.original) + "]";
    if (!arg.reduction) {
        return function + ".args()" + index;
    }
    return function + ".rvars(" + std::to_string(arg.stage - 1) + ")" + index;
}

Writer::Arguments Writer::arguments(const Directive& directive) const {
    Arguments arguments;
    for (const DirectiveArg& arg : directive.args) {
        add(arg, directive, arguments);
    }
    return arguments;
}

void Writer::add(const DirectiveArg& arg, const Directive& directive, Arguments& arguments) const {
    struct Visitor {
        const Writer& writer;
        const Directive& directive;
        Arguments& arguments;

        void operator()(std::int64_t number) const { arguments.push_back(std::to_string(number)); }
        void operator()(bool forward) const {
            if (!forward) {  // fold_storage's default
                arguments.push_back(writer.boolean(forward));
            }
        }
        void operator()(const FunctionArg& function) const {
            arguments.push_back(writer.program_.function(function.function));
        }
        void operator()(const VariableArg& variable) const {
            arguments.push_back(writer.program_.variable(variable));
        }
        void operator()(const LevelArg& level) const {
            writer.add_level(level, directive, arguments);
        }
        void operator()(Tail tail) const {
            if (tail != Tail::Auto) {
                arguments.push_back(writer.value("TailStrategy", enum_name(kTailNames, tail)));
            }
        }
        void operator()(Memory memory) const {
            arguments.push_back(writer.value("MemoryType", enum_name(kMemoryNames, memory)));
        }
        void operator()(PartitionPolicy policy) const {
            arguments.push_back(writer.value("Partition", enum_name(kPartitionNames, policy)));
        }
        void operator()(PrefetchBounds bounds) const {
            if (bounds != PrefetchBounds::GuardWithIf) {
                arguments.push_back(
                    writer.value("PrefetchBoundStrategy", enum_name(kPrefetchNames, bounds)));
            }
        }
        void operator()(const ConditionArg& condition) const {
            arguments.push_back(writer.condition(condition, directive.function));
        }
        void operator()(const FunctionListArg& functions) const {
            writer.add_functions(functions, arguments);
        }
        void operator()(const PreservedArg& preserved) const {
            writer.add_preserved(preserved, directive, arguments);
        }
    };
    std::visit(Visitor{*this, directive, arguments}, arg);
}

void Writer::add_level(const LevelArg& level, const Directive& directive,
                       Arguments& arguments) const {
    const std::string& function = program_.function(level.loop.function);
    const std::string& variable = program_.variable(level.loop);
    if (directive.method != Method::ComputeWith) {
        arguments.push_back(function);
        arguments.push_back(variable);
        return;
    }
    arguments.push_back(
        make("LoopLevel", function + ", " + variable + ", " + std::to_string(level.loop.stage)));
}

void Writer::add_functions(const FunctionListArg& list_arg, Arguments& arguments) const {
    std::vector<std::string> names;
    for (const int f : list_arg.functions) {
        names.push_back(program_.function(f));
    }
    if (names.size() == 1) {
        arguments.push_back(names[0]);
    } else if (!names.empty()) {
        arguments.push_back(list(names));
    }
}

void Writer::add_preserved(const PreservedArg& preserved, const Directive& directive,
                           Arguments& arguments) const {
    std::vector<std::string> pairs;
    for (const auto& [variable, name] : preserved.pairs) {
        const std::string& made = program_.preserved(directive, name);
        if (preserved.pairs.size() == 1) {
            arguments.push_back(program_.variable(variable));
            arguments.push_back(made);
            return;
        }
        pairs.push_back(pair(program_.variable(variable), made));
    }
    arguments.push_back(list(pairs));
}

std::string Writer::condition(const ConditionArg& condition, int function) const {
    std::vector<std::string> terms;
    for (const ExtentCondition& term : condition.terms) {
        const std::string dim = buffer_dim(term.output_for(function), term.dim);
        if (term.min) {
            terms.push_back(dim + ".min() == " + std::to_string(*term.min));
        }
        terms.push_back(dim + ".extent() " + (term.min ? "== " : ">= ") +
                        std::to_string(term.extent));
        if (term.multiple > 1) {
            const std::string remainder = " % " + std::to_string(term.multiple) + " == 0";
            terms.push_back(dim + ".min()" + remainder);
            terms.push_back(dim + ".extent()" + remainder);
        }
    }
    for (const StrideArg& each : condition.strides) {
        const std::string stride =
            each.stride.source == Source::Function
                ? buffer_dim(each.stride.index, each.stride.dim) + ".stride()"
                : input_stride(each.input, each.stride.dim);
        terms.push_back(stride + " == " + std::to_string(each.stride.stride));
    }
    if (condition.selected) {
        terms.push_back(selected(*condition.selected));
    }
    return both(terms);
}

std::string Writer::buffer_dim(int output, int dim) const {
    const std::string buffer =
        program_.has_one_value(output) ? ".output_buffer()" : ".output_buffers()[0]";
    return program_.function(output) + buffer + ".dim(" + std::to_string(dim) + ")";
}

std::string Writer::selected(const SelectedArg& selected) const {
    const Selector& selector = selected.selector;
    std::string value;
    if (selector.scalar >= 0) {
        value = scalar(selected.name);
    } else {
        std::vector<std::string> coordinates;
        for (const std::int64_t coordinate : selector.at) {
            coordinates.push_back(std::to_string(coordinate));
        }
        value = point(program_.function(selector.function), join(coordinates, ", "));
    }
    const std::string plain = make("Expr", value);
    const std::string expression = is_widened(selector) ? widened(plain) : plain;
    return selector.type.is_boolean() ? expression
                                      : expression + " == " + std::to_string(selected.value);
}

}  // namespace nestor
