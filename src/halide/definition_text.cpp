#include "halide/definition_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "base/hash.h"
#include "halide/access.h"
#include "halide/pinned.h"

namespace nestor {

using namespace Halide;
using namespace Halide::Internal;

namespace {

constexpr int kReadableSize = 400;  // nodes of an expression that is printed in full

// Names that are the same in every process.
class StableNames {
  public:
    explicit StableNames(const PipelineParts& parts) : parts_(parts) {
        for (std::size_t i = 0; i < parts.buffers.size(); i++) {
            buffers_[parts.buffers[i].name()] = "buffer" + (i == 0 ? "" : std::to_string(i));
        }
    }

    [[nodiscard]] std::string function(const std::string& name) const {
        const auto it = parts_.ids.find(name);
        return it == parts_.ids.end() ? name : it->second.text();
    }

    // Parameters keep their names; "buffer.extent.0" of an embedded buffer is renamed with it.
    [[nodiscard]] std::string symbol(const std::string& name) const {
        const std::string stem = name.substr(0, name.find('.'));
        const auto it = buffers_.find(stem);
        return it == buffers_.end() ? split_name(stem).stem + name.substr(stem.size())
                                    : it->second + name.substr(stem.size());
    }

  private:
    const PipelineParts& parts_;
    std::map<std::string, std::string> buffers_;
};

class Rename : public IRMutator {
  public:
    explicit Rename(const StableNames& names) : names_(names) {}

  protected:
    using IRMutator::visit;

    Expr visit(const Variable* op) override {
        const bool symbol = op->param.defined() || op->image.defined();
        return Variable::make(op->type,
                              symbol ? names_.symbol(op->name) : variable_label(op->name));
    }

    Expr visit(const Call* op) override {
        const bool is_function = op->call_type == Call::Halide;
        if (!is_function && op->call_type != Call::Image) {
            const Type type = op->type.is_handle() ? Handle() : op->type;
            return Call::make(type, op->name, mutate(op->args), op->call_type);
        }
        std::string name = is_function ? names_.function(op->name) : names_.symbol(op->name);
        if (op->func.defined() && HalideFunction(op->func).outputs() > 1) {
            name += "[" + std::to_string(op->value_index) + "]";
        }
        return Call::make(op->type, name, mutate(op->args), Call::PureExtern);
    }

  private:
    const StableNames& names_;
};

// Merkle hash: each node is printed with its children replaced by their hashes, so that the cost is
// linear in the graph where printing it would be exponential.
class GraphHash : public IRMutator {
  public:
    explicit GraphHash(const StableNames& names,
                       const std::map<std::string, std::string>& variables)
        : names_(names), variables_(variables) {}

    Expr mutate(const Expr& e) override {
        if (!e.defined()) {
            return e;
        }
        const auto it = memo_.find(e);
        if (it != memo_.end()) {
            return it->second;
        }
        const Expr shallow = IRMutator::mutate(e);
        std::ostringstream text;
        text << plain(e.type()) << " " << shallow;
        Expr digest = Variable::make(plain(e.type()), "h" + hash_text(hash_bytes(text.str())));
        memo_.emplace(e, digest);
        return digest;
    }

    // Lets are substituted: their names carry counters.
    [[nodiscard]] std::string of(const Expr& e) {
        return e.defined() ? mutate(substitute_in_all_lets(e)).as<Variable>()->name : "none";
    }

  protected:
    using IRMutator::visit;

    Expr visit(const Variable* op) override {
        const auto it = variables_.find(op->name);
        return Variable::make(op->type,
                              it != variables_.end() ? it->second : names_.symbol(op->name));
    }

    Expr visit(const Call* op) override {
        std::string name = op->name;
        if (op->call_type == Call::Halide) {
            name = names_.function(op->name) + "." + std::to_string(op->value_index);
        } else if (op->call_type == Call::Image) {
            name = names_.symbol(op->name);
        }
        return Call::make(plain(op->type), name, mutate_with_changes(op->args).first,
                          Call::PureExtern);
    }

  private:
    // A serialised pipeline forgets what a handle points to.
    static Type plain(const Type& type) { return type.is_handle() ? Handle() : type; }

    const StableNames& names_;
    const std::map<std::string, std::string>& variables_;
    std::map<Expr, Expr, ExprCompare> memo_;
};

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) {
        text += (text.empty() ? "" : ", ") + part;
    }
    return text;
}

std::string text_of(const Expr& e) {
    std::ostringstream text;
    text << e;
    std::string s = text.str();
    // Halide prints calls to extern functions with their result type in front: "(uint8)f(x)".
    for (const char* type :
         {"(uint8)", "(uint16)", "(uint32)", "(uint64)", "(int8)", "(int16)", "(int32)", "(int64)",
          "(float16)", "(float32)", "(float64)", "(uint1)", "(bfloat16)"}) {
        for (std::size_t at = s.find(type); at != std::string::npos; at = s.find(type, at)) {
            s.erase(at, std::string(type).size());
        }
    }
    return s;
}

// Names of everything that a definition reads, in order of name.
class Reads : public IRGraphVisitor {
  public:
    explicit Reads(const StableNames& names) : names_(names) {}
    std::set<std::string> found;

  protected:
    using IRGraphVisitor::visit;
    void visit(const Call* op) override {
        IRGraphVisitor::visit(op);
        if (op->call_type == Call::Halide || op->call_type == Call::Image) {
            found.insert(op->call_type == Call::Halide ? names_.function(op->name)
                                                       : names_.symbol(op->name));
        }
    }

  private:
    const StableNames& names_;
};

// f(args) = f(args) + e: the e, for "+=".
Expr added_to_itself(const HalideFunction& f, const Definition& d, int element) {
    const Expr value = substitute_in_all_lets(d.values()[element]);
    const Add* add = value.as<Add>();
    if (add == nullptr) {
        return {};
    }
    const auto is_self = [&](const Expr& e) {
        const Call* call = e.as<Call>();
        if (call == nullptr || call->name != f.name() || call->value_index != element) {
            return false;
        }
        for (std::size_t i = 0; i < d.args().size(); i++) {
            if (!equal(call->args[i], substitute_in_all_lets(d.args()[i]))) {
                return false;
            }
        }
        return true;
    };
    return is_self(add->a) ? add->b : is_self(add->b) ? add->a : Expr();
}

std::string right_hand_side(const StableNames& names, const Definition& d,
                            const std::vector<Expr>& definitions) {
    const std::vector<Expr> values = without_lets(definitions);
    if (size_of(values, kReadableSize + 1).tree > kReadableSize) {
        Reads reads(names);
        d.accept(&reads);
        return "... (reads " + joined({reads.found.begin(), reads.found.end()}) + ")";
    }
    std::vector<std::string> parts;
    for (const Expr& value : values) {
        parts.push_back(text_of(Rename(names).mutate(value)));
    }
    return parts.size() == 1 ? parts[0] : "{" + joined(parts) + "}";
}

std::string extern_text(const StableNames& names, const HalideFunction& f) {
    std::vector<std::string> args;
    for (const ExternFuncArgument& arg : f.extern_arguments()) {
        if (arg.is_func()) {
            args.push_back(names.function(HalideFunction(arg.func).name()));
        } else if (arg.is_image_param()) {
            args.push_back(arg.image_param.name());
        } else if (arg.is_buffer()) {
            args.push_back(names.symbol(arg.buffer.name()));
        } else if (arg.is_expr()) {
            args.push_back(text_of(Rename(names).mutate(arg.expr)));
        }
    }
    return "extern " + f.extern_function_name() + "(" + joined(args) + ")";
}

const Definition& definition_of(const HalideFunction& f, int stage) {
    return stage == 0 ? f.definition() : f.update(stage - 1);
}

void hash_definition(const StableNames& names, const HalideFunction& f, int stage,
                     std::string& text) {
    const Definition& d = definition_of(f, stage);
    std::map<std::string, std::string> variables;
    for (int i = 0; i < f.dimensions(); i++) {
        variables[f.args()[i]] = "a" + std::to_string(i);
    }
    const std::vector<ReductionVariable>& rvars = d.schedule().rvars();
    for (std::size_t i = 0; i < rvars.size(); i++) {
        variables[rvars[i].var] = "r" + std::to_string(i);
    }
    GraphHash graph(names, variables);
    text += "stage";
    for (const Expr& e : d.args()) {
        text += " [" + graph.of(e) + "]";
    }
    for (const Expr& e : d.values()) {
        text += " " + graph.of(e);
    }
    for (const ReductionVariable& rvar : rvars) {
        text += " over " + graph.of(rvar.min) + " " + graph.of(rvar.extent);
    }
    for (const Expr& e : d.split_predicate()) {
        text += " where " + graph.of(e);
    }
    text += "\n";
}

}  // namespace

std::string definition_text(const PipelineParts& parts, const HalideFunction& f, int stage) {
    const StableNames names(parts);
    std::vector<std::string> args;
    if (f.has_extern_definition()) {
        for (const std::string& arg : f.args()) {
            args.push_back(variable_label(arg));
        }
        return names.function(f.name()) + "(" + joined(args) + ") = " + extern_text(names, f);
    }
    const Definition& d = definition_of(f, stage);
    for (const Expr& arg : d.args()) {
        args.push_back(text_of(Rename(names).mutate(substitute_in_all_lets(arg))));
    }
    std::vector<Expr> values = d.values();
    bool sums = stage > 0;
    for (std::size_t i = 0; i < values.size() && sums; i++) {
        const Expr rest = added_to_itself(f, d, static_cast<int>(i));
        sums = rest.defined();
        values[i] = sums ? rest : values[i];
    }
    if (!sums) {
        values = d.values();
    }
    return names.function(f.name()) + "(" + joined(args) + ") " + (sums ? "+=" : "=") + " " +
           right_hand_side(names, d, values);
}

std::uint64_t algorithm_hash(const PipelineParts& parts) {
    const StableNames names(parts);
    std::string text;
    for (const HalideFunction& f : parts.order) {
        text += names.function(f.name()) + "/" + std::to_string(f.dimensions());
        for (const Type& type : f.output_types()) {
            std::ostringstream type_text;
            type_text << type;
            text += " " + type_text.str();
        }
        text += pinned_reason(parts, f) ? " pinned\n" : "\n";
        if (f.has_extern_definition()) {
            text += extern_text(names, f) + "\n";
            continue;
        }
        for (int stage = 0;
             stage <= static_cast<int>(f.updates().size()) && f.has_pure_definition(); stage++) {
            hash_definition(names, f, stage, text);
        }
    }
    for (const HalideFunction& f : parts.outputs) {
        text += "output " + names.function(f.name()) + "\n";
    }
    return hash_bytes(text);
}

}  // namespace nestor
