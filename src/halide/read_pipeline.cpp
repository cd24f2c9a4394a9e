#include "halide/read_pipeline.h"

#include <algorithm>
#include <sstream>

#include "halide/access.h"
#include "halide/apply.h"
#include "halide/calls.h"
#include "halide/definition_text.h"
#include "halide/errors.h"
#include "halide/estimates.h"
#include "halide/layouts.h"
#include "halide/operation_counts.h"
#include "halide/parts.h"
#include "halide/pinned.h"
#include "halide/predicate_share.h"
#include "halide/regions.h"

namespace nestor {

using namespace Halide;
using namespace Halide::Internal;

namespace {

std::string text_of(const Expr& e) {
    std::ostringstream text;
    text << e;
    return text.str();
}

/** 1. inputs and scalars; 2. functions and their regions; 3. stages: loops, then loads and
 * operations;
 *  4. consumers and what may be inlined. */
class Reading {
  public:
    Reading(const PipelineParts& parts, const Estimates& estimates)
        : parts_(parts), estimates_(estimates) {}

    PipelineDag run() {
        read_inputs();
        read_scalars();
        const auto regions = regions_at_estimates(parts_, estimates_);
        for (const HalideFunction& f : parts_.order) {
            read_function(f, regions.at(f.name()));
        }
        for (const HalideFunction& f : parts_.outputs) {
            dag_.outputs.push_back(parts_.index(f.name()));
            Function& output = dag_.functions[dag_.outputs.back()];
            output.is_output = true;
            if (!f.output_buffers().empty()) {
                output.dense_dim = dense_dim_of(f.output_buffers()[0]);
                output.strides = strides_of(f.output_buffers()[0]);
                output.constant = constant_ranges_of(f.output_buffers()[0]);
            }
        }
        assume_layouts(parts_, dag_);
        link_consumers();
        find_constant_ranges();
        assume_small_ranges();
        find_phases();
        dag_.name = dag_.functions[dag_.outputs.front()].id.stem;
        dag_.algorithm_hash = algorithm_hash(parts_);
        return std::move(dag_);
    }

  private:
    void read_inputs() {
        for (const Parameter& p : parts_.images) {
            input_index_[p.name()] = static_cast<int>(dag_.inputs.size());
            dag_.inputs.push_back({p.name(), scalar_type(p.type()), estimates_.input(p.name()),
                                   false, constraints_of(p), dense_dim_of(p), strides_of(p)});
        }
        for (const Buffer<>& b : parts_.buffers) {
            input_index_[b.name()] = static_cast<int>(dag_.inputs.size());
            dag_.inputs.push_back({split_name(b.name()).stem,
                                   scalar_type(b.type()),
                                   estimates_.input(b.name()),
                                   true,
                                   "",
                                   0,
                                   {}});
        }
    }

    static std::string constraints_of(const Parameter& p) {
        std::string text;
        const auto add = [&](const char* what, int d, const Expr& e) {
            if (e.defined()) {
                text += (text.empty() ? "" : ", ") + std::string(what) + "(" + std::to_string(d) +
                        ") = " + text_of(e);
            }
        };
        for (int d = 0; d < p.dimensions(); d++) {
            add("min", d, p.min_constraint(d));
            add("extent", d, p.extent_constraint(d));
            // Stride 1 of dimension 0 is Halide's default, not worth a word.
            if (!(d == 0 && p.stride_constraint(d).defined() &&
                  is_const_one(p.stride_constraint(d)))) {
                add("stride", d, p.stride_constraint(d));
            }
        }
        return text;
    }

    static std::vector<std::int64_t> strides_of(const Parameter& p) {
        std::vector<std::int64_t> strides;
        for (int d = 0; d < p.dimensions(); d++) {
            const Expr stride = p.stride_constraint(d);
            strides.push_back(stride.defined() ? as_const_int(simplify(stride)).value_or(0) : 0);
        }
        return strides;
    }

    static std::vector<bool> constant_ranges_of(const Parameter& p) {
        std::vector<bool> constant;
        for (int d = 0; d < p.dimensions(); d++) {
            const auto is_known = [](const Expr& e) {
                return e.defined() && as_const_int(simplify(e)).has_value();
            };
            constant.push_back(is_known(p.min_constraint(d)) && is_known(p.extent_constraint(d)));
        }
        return constant;
    }

    static int dense_dim_of(const Parameter& p) {
        const std::vector<std::int64_t> strides = strides_of(p);
        const auto dense = std::find(strides.begin(), strides.end(), 1);
        return dense == strides.end() ? 0 : static_cast<int>(dense - strides.begin());
    }

    void read_scalars() {
        for (const Parameter& p : parts_.scalars) {
            const Expr value = estimates_.substitute(Variable::make(p.type(), p.name(), p));
            const bool known = value.defined() && value.as<Variable>() == nullptr;
            dag_.scalars.push_back(
                {p.name(), scalar_type(p.type()), known ? text_of(simplify(value)) : ""});
        }
    }

    void read_function(const HalideFunction& f, const std::vector<Range>& region) {
        Function function;
        function.id = parts_.ids.at(f.name());
        function.halide_name = f.name();
        for (const Type& t : f.output_types()) {
            function.types.push_back(scalar_type(t));
        }
        for (const std::string& arg : f.args()) {
            function.args.push_back(unique_label(function.args, variable_label(arg)));
        }
        function.region = region;
        function.pinned = pinned_reason(parts_, f);
        function.pinned_inside = pinned_inside(parts_, f);
        function.is_extern = f.has_extern_definition();
        function.can_inline = f.can_be_inlined();
        for (const ExternFuncArgument& arg : f.extern_arguments()) {
            if (arg.is_func()) {
                function.extern_inputs.push_back(parts_.index(HalideFunction(arg.func).name()));
            }
        }
        if (!f.has_extern_definition()) {  // of an extern stage, the definition is empty
            for (int stage = 0; stage <= static_cast<int>(f.updates().size()); stage++) {
                function.stages.push_back(read_stage(function, f, stage));
            }
        }
        function.only_wraps_input = function.stages.size() == 1 && is_input_wrapper(f);
        dag_.functions.push_back(std::move(function));
    }

    static std::string unique_label(const std::vector<std::string>& taken, std::string label) {
        while (std::find(taken.begin(), taken.end(), label) != taken.end()) {
            label += "_";
        }
        return label;
    }

    Stage read_stage(const Function& function, const HalideFunction& f, int index) {
        const Definition& d = index == 0 ? f.definition() : f.update(index - 1);
        Stage stage;
        stage.index = index;
        std::vector<std::string> labels = function.args;
        for (int i = 0; i < f.dimensions(); i++) {
            const Variable* variable = d.args()[i].as<Variable>();
            // Where a definition over a reduction variable comes first, Halide gives the pure one
            // its name.
            const bool pure = variable != nullptr && !variable->reduction_domain.defined();
            if (pure && variable->name == f.args()[i]) {
                stage.loops.push_back(
                    {function.args[i], f.args()[i], LoopKind::Pure, i, function.region[i], false});
            }
        }
        const std::vector<ReductionVariable>& rvars = d.schedule().rvars();
        for (std::size_t i = 0; i < rvars.size(); i++) {
            Loop loop =
                reduction_loop(d, rvars[i], unique_label(labels, variable_label(rvars[i].var)));
            loop.position = static_cast<int>(i);
            labels.push_back(loop.label);
            stage.loops.push_back(std::move(loop));
        }
        analyse_definition(parts_, estimates_, input_index_, f, d, stage);
        const std::vector<Expr> conditions = d.split_predicate();
        stage.predicated = !rvars.empty() && !conditions.empty();
        if (stage.predicated) {
            stage.predicate_share = predicate_share(conditions, stage.loops, estimates_);
        }
        prove(f, d, stage);
        stage.text = definition_text(parts_, f, index);
        return stage;
    }

    [[nodiscard]] Loop reduction_loop(const Definition& d, const ReductionVariable& rvar,
                                      std::string label) const {
        Loop loop;
        loop.label = std::move(label);
        loop.variable = rvar.var;
        loop.kind = LoopKind::Reduction;
        for (const Dim& dim : d.schedule().dims()) {
            if (dim.var == rvar.var && dim.dim_type == DimType::PureRVar) {
                loop.kind = LoopKind::RaceFree;
            }
        }
        loop.range.min = estimates_.constant(rvar.min).value_or(0);
        loop.range.extent = std::max<std::int64_t>(estimates_.constant(rvar.extent).value_or(1), 1);
        loop.constant_extent = as_const_int(simplify(rvar.extent)).has_value();
        return loop;
    }

    // The prover matches expression trees against a table of operators; huge definitions are not
    // worth it.
    static void prove(const HalideFunction& f, const Definition& d, Stage& stage) {
        constexpr int kLargestProof = 5000;
        const bool reduces =
            std::any_of(stage.loops.begin(), stage.loops.end(),
                        [](const Loop& loop) { return loop.kind == LoopKind::Reduction; });
        if (!reduces || stage.expression_size > kLargestProof) {
            return;
        }
        const AssociativeOp op = prove_associativity(f.name(), d.args(), d.values());
        stage.associative = op.associative();
        stage.commutative = op.associative() && op.commutative() && is_elementwise(op);
    }

    // Whether each element of a tuple is combined with its like alone. Halide 21 calls argmax and
    // argmin commutative; which of two equal values wins depends on the order, though.
    static bool is_elementwise(const AssociativeOp& op) {
        class Find : public IRVisitor {
          public:
            Find(const std::string& x, const std::string& y) : x_(x), y_(y) {}
            bool others = false;

          protected:
            using IRVisitor::visit;
            void visit(const Variable* op) override {
                others = others || (op->name != x_ && op->name != y_);
            }

          private:
            const std::string& x_;
            const std::string& y_;
        };
        for (std::size_t i = 0; i < op.pattern.ops.size(); i++) {
            Find find(op.xs[i].var, op.ys[i].var);
            op.pattern.ops[i].accept(&find);
            if (find.others) {
                return false;
            }
        }
        return true;
    }

    void link_consumers() {
        for (int i = 0; i < static_cast<int>(dag_.functions.size()); i++) {
            for (const Stage& stage : dag_.functions[i].stages) {
                for (const Load& load : stage.loads) {
                    if (load.source == Source::Function) {
                        add_consumer(load.index, i);
                    }
                }
            }
            for (const int input : dag_.functions[i].extern_inputs) {
                add_consumer(input, i);
                dag_.functions[input].can_inline = false;
            }
        }
        for (const int output : dag_.outputs) {
            dag_.functions[output].can_inline = false;
        }
    }

    // Channels, mostly: what an output's buffer constrains, and whatever is read over dimensions of
    // such extents only.
    void find_constant_ranges() {
        for (Function& f : dag_.functions) {
            if (!f.is_output) {
                f.constant.assign(f.args.size(), !f.consumers.empty());
            }
            f.constant.resize(f.args.size(), false);
        }
        for (int i = static_cast<int>(dag_.functions.size()) - 1; i >= 0; i--) {
            const Function& reader = dag_.functions[i];
            for (const int input : reader.extern_inputs) {
                dag_.functions[input].constant.assign(dag_.functions[input].args.size(), false);
            }
            for (const Stage& stage : reader.stages) {
                for (const Load& load : stage.loads) {
                    if (load.source == Source::Function) {
                        keep_constant(reader, stage, load, dag_.functions[load.index].constant);
                    }
                }
            }
        }
    }

    void assume_small_ranges() {
        constexpr std::int64_t kSmall = 16;
        std::vector<std::vector<bool>> always;
        for (const Function& f : dag_.functions) {
            always.push_back(f.constant);
        }
        for (const int index : dag_.outputs) {
            Function& output = dag_.functions[index];
            for (int d = 0; d < output.dimensions(); d++) {
                if (!output.constant[d] && output.region[d].extent <= kSmall) {
                    output.constant[d] = true;
                    dag_.assumptions.push_back({index, d, output.region[d]});
                }
            }
        }
        find_constant_ranges();
        for (std::size_t i = 0; i < always.size(); i++) {
            Function& f = dag_.functions[i];
            for (std::size_t d = 0; d < f.constant.size(); d++) {
                f.assumed.push_back(f.constant[d] && !always[i][d]);
            }
        }
    }

    void find_phases() {
        for (std::size_t i = 0; i < dag_.functions.size(); i++) {
            Function& function = dag_.functions[i];
            const HalideFunction& f = parts_.order[i];
            for (Stage& stage : function.stages) {
                std::vector<bool> constant;
                for (const Loop& loop : stage.loops) {
                    constant.push_back(has_constant_range(function, loop));
                }
                analyse_phases(parts_, estimates_, input_index_, f,
                               stage.index == 0 ? f.definition() : f.update(stage.index - 1),
                               constant, stage);
            }
        }
    }

    static bool has_constant_range(const Function& f, const Loop& loop) {
        return loop.is_reduction() ? loop.constant_extent : f.constant[loop.position];
    }

    static void keep_constant(const Function& reader, const Stage& stage, const Load& load,
                              std::vector<bool>& constant) {
        for (std::size_t d = 0; d < constant.size(); d++) {
            const Coordinate& at = load.coords[d];
            bool stays = at.affine;
            for (std::size_t l = 0; l < stage.loops.size() && stays; l++) {
                stays = at.rates[l] == 0 || has_constant_range(reader, stage.loops[l]);
            }
            constant[d] = constant[d] && stays;
        }
    }

    void add_consumer(int producer, int consumer) {
        std::vector<int>& consumers = dag_.functions[producer].consumers;
        if (std::find(consumers.begin(), consumers.end(), consumer) == consumers.end()) {
            consumers.push_back(consumer);
            std::sort(consumers.begin(), consumers.end());
        }
    }

    const PipelineParts& parts_;
    const Estimates& estimates_;
    std::map<std::string, int> input_index_;
    PipelineDag dag_;
};

Status check_target(const Target& target) {
    if (target.has_gpu_feature()) {
        return Error{"Nestor schedules for CPUs; the target " + target.to_string() +
                     " has a GPU feature. Remove it from the target, or use a GPU autoscheduler "
                     "(Anderson2021)."};
    }
    if (target.os == Target::OSUnknown || target.arch == Target::ArchUnknown) {
        return Error{
            "the target " + target.to_string() +
            " is not a machine to schedule for. Name one, such as host or x86-64-linux-avx2."};
    }
    return Ok{};
}

void lock_levels(HalideFunction f) {
    f.lock_loop_levels();
    for (const auto& [consumer, wrapper] : f.schedule().wrappers()) {
        lock_levels(HalideFunction(wrapper));
    }
}

Result<PipelineDag> read(const Pipeline& pipeline, const ReadOptions& options) {
    // Levels can be inspected only once they are locked, which is for the user's own functions to
    // decide: look at a copy.
    PipelineParts parts = read_parts(deep_copy(pipeline));
    for (const HalideFunction& f : parts.order) {
        lock_levels(f);
    }
    Result<Estimates> estimates = Estimates::collect(parts, options.default_extent);
    if (!estimates) {
        return Error{estimates.error()};
    }
    return Reading(parts, estimates.value()).run();
}

}  // namespace

Result<PipelineDag> read_pipeline(const Pipeline& pipeline, const Target& target,
                                  const ReadOptions& options) {
    if (!pipeline.defined()) {
        return Error{"the pipeline is undefined: it has no outputs."};
    }
    if (Status status = check_target(target); !status) {
        return Error{status.error()};
    }
    return catching("the pipeline could not be analysed", [&] { return read(pipeline, options); });
}

}  // namespace nestor
