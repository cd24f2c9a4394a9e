#include "search/joint_blocks.h"

namespace nestor {

namespace {

class JointBlocks {
  public:
    JointBlocks(const PipelineDag& dag, const Plan& plan, bool doubled)
        : dag_(dag), changed_(plan), doubled_(doubled), seen_(plan.functions.size(), false) {}

    // False if that is impossible, or changes nothing but the function itself.
    bool scale(int function, int stage, int loop) {
        seen_[function] = true;
        NestPlan& nest = changed_.functions[function].stages[stage];
        return scale_block(nest, loop) &&
               scale_sources(dag_.functions[function].stages[stage], loop);
    }

    [[nodiscard]] const Plan& changed() const { return changed_; }

  private:
    bool scale_block(NestPlan& nest, int loop) const {
        const int size = doubled_ ? nest.block[loop] * 2 : nest.block[loop] / 2;
        if (size < 1 || size > kLargestBlock) {
            return false;
        }
        nest.block[loop] = size;
        return true;
    }

    // Of what a stage reads along a loop; whether there is any.
    bool scale_sources(const Stage& reader, int loop) {
        bool any = false;
        for (const Load& load : reader.loads) {
            if (load.source != Source::Function || seen_[load.index]) {
                continue;
            }
            const int dim = moving_dim(load, loop);
            const Function& source = dag_.functions[load.index];
            if (dim < 0 || source.pinned || source.is_extern ||
                changed_.functions[load.index].place == Place::Root) {
                continue;
            }
            seen_[load.index] = true;
            for (const Stage& stage : source.stages) {
                any = scale_stage(load.index, stage, dim) || any;
            }
        }
        return any;
    }

    bool scale_stage(int function, const Stage& stage, int dim) {
        const Function& f = dag_.functions[function];
        FunctionPlan& plan = changed_.functions[function];
        const int loop = loop_along(stage, dim);
        if (loop < 0 || !is_free(f, stage.loops[loop])) {
            return false;
        }
        NestPlan& nest = plan.stages[stage.index];
        const bool scaled =
            plan.place == Place::At && loop != nest.vector_dim && scale_block(nest, loop);
        return scale_sources(stage, loop) || scaled;
    }

    const PipelineDag& dag_;
    Plan changed_;
    const bool doubled_;
    std::vector<bool> seen_;  // functions
};

}  // namespace

void for_each_joint_block(const PipelineDag& dag, const Plan& plan, int function,
                          const std::function<void(const Plan&)>& visit) {
    const Function& f = dag.functions[function];
    if (f.pinned || f.is_extern || plan.functions[function].place == Place::Inlined) {
        return;
    }
    for (const Stage& stage : f.stages) {
        for (int loop = 0; loop < std::ssize(stage.loops); loop++) {
            if (!is_free(f, stage.loops[loop]) ||
                loop == plan.functions[function].stages[stage.index].vector_dim ||
                stage.loops[loop].range.extent <= kLargestBlock) {
                continue;
            }
            for (const bool doubled : {true, false}) {
                JointBlocks blocks(dag, plan, doubled);
                if (blocks.scale(function, stage.index, loop)) {
                    visit(blocks.changed());
                }
            }
        }
    }
}

}  // namespace nestor
