// The loop nest of a schedule, for people.

#include <algorithm>
#include <set>
#include <utility>

#include "schedule/bounds.h"
#include "schedule/loops.h"
#include "schedule/placement.h"
#include "schedule/print.h"

namespace nestor {

namespace {

std::string sizes(const std::vector<std::int64_t>& extents) {
    std::string text;
    for (const std::int64_t extent : extents) {
        text += (text.empty() ? "" : " x ") + std::to_string(extent);
    }
    return text;
}

std::string bytes_text(std::int64_t bytes) {
    const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    while (bytes >= 10240 && unit < 4) {
        bytes = (bytes + 512) / 1024;
        unit++;
    }
    return std::to_string(bytes) + " " + units[unit];
}

class LoopNestPrinter {
  public:
    LoopNestPrinter(const PipelineDag& dag, const Schedule& schedule)
        : dag_(dag),
          schedule_(schedule),
          derived_(dag, schedule),
          graph_(*derived_),
          placement_(graph_, schedule),
          bounds_(placement_),
          order_(topological_order(graph_)) {}

    std::string print() {
        print_inlined();
        print_stored(std::nullopt);
        print_computed(std::nullopt);
        return std::move(text_);
    }

  private:
    [[nodiscard]] std::string name(int f) const { return function_text(dag_, schedule_, f); }

    void line(const std::string& text) { text_ += std::string(2 * depth_, ' ') + text + "\n"; }

    void print_inlined() {
        std::string names;
        for (const int f : order_) {
            if (placement_.kind(f) == Placement::Kind::Inlined) {
                names += (names.empty() ? "" : ", ") + name(f);
            }
        }
        if (!names.empty()) {
            line("inlined: " + names);
        }
    }

    // Whether a level is root, if `site` is none, or that very loop.
    static bool is_at(const Level& level, const std::optional<LoopSite>& site) {
        if (!site) {
            return level.kind == Level::Kind::Root;
        }
        return level.kind == Level::Kind::At && level.site == *site;
    }

    // Memory that is allocated here and filled further in.
    void print_stored(const std::optional<LoopSite>& site) {
        for (const int f : order_) {
            if (placement_.kind(f) == Placement::Kind::At &&
                placement_.storage(f) != schedule_.functions[f].compute &&
                is_at(placement_.storage(f), site)) {
                line("store " + name(f) + memory(f));
            }
        }
    }

    void print_computed(const std::optional<LoopSite>& site) {
        for (const int f : order_) {
            const Placement::Kind kind = placement_.kind(f);
            const bool here =
                site ? kind == Placement::Kind::At && schedule_.functions[f].compute.site == *site
                     : kind == Placement::Kind::Root || kind == Placement::Kind::Unknown;
            if (here) {
                print_function(f);
            }
        }
    }

    [[nodiscard]] std::string memory(int f) {
        const std::vector<std::int64_t> extents = bounds_.stored(f);
        const Memory memory = schedule_.functions[f].memory;
        const std::string where = memory == Memory::Stack      ? " on the stack"
                                  : memory == Memory::Register ? " in registers"
                                                               : "";
        return " (" + sizes(extents) + (extents.empty() ? "" : ", ") +
               bytes_text(bounds_.allocation_bytes(f)) + where + ")";
    }

    void print_function(int f) {
        const Function& function = graph_.functions[f];
        if (function.pinned) {
            line("produce " + name(f) + ": left as it is, " + *function.pinned);
            return;
        }
        const bool allocates =
            !function.is_output && (placement_.kind(f) != Placement::Kind::At ||
                                    placement_.storage(f) == schedule_.functions[f].compute);
        std::string aligned;
        for (const Alignment& a : schedule_.functions[f].region_alignment) {
            aligned += ", " + function.args[a.dim] + " aligned to " + std::to_string(a.elements);
        }
        line("produce " + name(f) + (allocates ? memory(f) : "") + aligned +
             (function.is_extern ? ": extern stage" : ":"));
        depth_++;
        for (int s = 0; s < static_cast<int>(function.stages.size()); s++) {
            print_stage(f, s);
        }
        depth_--;
    }

    [[nodiscard]] std::string selector_text(int f, int s) const {
        const Selector& selector = *graph_.functions[f].stages[s].selector;
        if (selector.scalar >= 0) {
            return graph_.scalars[selector.scalar].name;
        }
        std::string coordinates;
        for (const std::int64_t coordinate : selector.at) {
            coordinates += (coordinates.empty() ? "" : ", ") + std::to_string(coordinate);
        }
        return name(selector.function) + "(" + coordinates + ")";
    }

    [[nodiscard]] std::string sizes_text(int f, const std::vector<ExtentCondition>& when) const {
        std::string text;
        for (const ExtentCondition& term : when) {
            const int output = term.output_for(f);
            const std::string dim =
                (output == f ? "" : name(output) + "'s ") + graph_.functions[output].args[term.dim];
            text +=
                (text.empty() ? "" : " and ") +
                (term.min ? dim + " is in " + std::to_string(*term.min) + ".." +
                                std::to_string(*term.min + term.extent - 1)
                          : "the extent of " + dim + " is at least " + std::to_string(term.extent));
            if (term.multiple > 1) {
                text += " in multiples of " + std::to_string(term.multiple);
            }
        }
        return text;
    }

    [[nodiscard]] std::string stride_text(const BufferStride& known) const {
        const bool input = known.source == Source::Input;
        return "stride(" + std::to_string(known.dim) + ") of " +
               (input ? graph_.inputs[known.index].name : name(known.index)) + " is " +
               std::to_string(known.stride);
    }

    void print_stage(int f, int s) {
        const StageSchedule& stage = schedule_.functions[f].stages[s];
        const std::vector<Specialization>& cases = stage.specializations;
        for (auto from = cases.begin(); from != cases.end();) {
            const auto to = std::find_if(from, cases.end(), [&](const Specialization& each) {
                return each.when != from->when || each.strides != from->strides ||
                       !(each.nest == from->nest) ||
                       each.selected.has_value() != from->selected.has_value();
            });
            std::string condition = sizes_text(f, from->when);
            for (const BufferStride& each : from->strides) {
                condition += (condition.empty() ? "" : " and ") + stride_text(each);
            }
            if (from->selected) {
                condition += (condition.empty() ? "" : " and ") + selector_text(f, s) + " is ";
                for (auto each = from; each != to; ++each) {
                    const char* const between = each == from ? "" : each + 1 == to ? " or " : ", ";
                    condition += between + std::to_string(*each->selected);
                }
            }
            line("if " + condition + ":");
            depth_++;
            print_nest(f, s, from->nest);
            depth_--;
            from = to;
        }
        if (!stage.specializations.empty()) {
            line("else:");
            depth_++;
        }
        if (stage.compute_with) {
            const LoopSite& with = *stage.compute_with;
            line("fused with " + name(with.function) + " down to loop " +
                 loop_name(placement_.dims(with.function, with.stage), with.loop) + ":");
        }
        print_nest(f, s, stage.nest);
        depth_ -= stage.specializations.empty() ? 0 : 1;
    }

    void print_nest(int f, int s, const LoopNest& nest) {
        const std::vector<StageDim> dims = placement_.dims(f, s);
        const std::vector<LoopRef> order = loop_order(nest, dims);
        const std::size_t depth = depth_;
        for (auto loop = order.rbegin(); loop != order.rend(); ++loop) {
            line(mark(nest, *loop) + " " + loop_name(dims, *loop) + " in 0.." +
                 std::to_string(iterations(f, s, nest, *loop) - 1) + ":" + notes(nest, *loop));
            depth_++;
            const LoopSite site{f, s, *loop};
            print_stored(site);
            print_computed(site);
        }
        line(definition(f, s));
        depth_ = depth;
    }

    // In full where it comes first; other cases compute the same.
    [[nodiscard]] std::string definition(int f, int s) {
        const std::string& text = graph_.functions[f].stages[s].text;
        if (text.empty()) {
            return name(f) + "(...) = ...";
        }
        const std::size_t left = text.find(" = ");
        const bool repeats = !defined_.insert({f, s}).second;
        return repeats && left != std::string::npos ? text.substr(0, left) + " = ..." : text;
    }

    // Of a function that is computed at a loop: of what one computation of it covers.
    [[nodiscard]] std::int64_t iterations(int f, int s, const LoopNest& nest, LoopRef loop) {
        return loop_extent(nest, bounds_.dims(f, s), loop);
    }

    static std::string mark(const LoopNest& nest, LoopRef loop) {
        if (nest.vector == loop) {
            return "vectorized";
        }
        if (nest.dot == loop) {
            return "summed";
        }
        const bool unrolled = std::ranges::count(nest.unrolled, loop) > 0;
        const bool parallel = std::ranges::count(nest.parallel, loop) > 0;
        const std::string mark = parallel ? "parallel" : unrolled ? "unrolled" : "for";
        return nest.atomic && parallel ? "atomic " + mark : mark;
    }

    [[nodiscard]] std::string notes(const LoopNest& nest, LoopRef loop) const {
        std::string text;
        for (const Prefetch& prefetch : nest.prefetch) {
            if (prefetch.at == loop) {
                text += " prefetch " + name(prefetch.function) + ", " +
                        std::to_string(prefetch.offset) + " ahead";
            }
        }
        for (const LoopPartition& partition : nest.partition) {
            if (partition.loop == loop && partition.policy == PartitionPolicy::Never) {
                text += " never partitioned";
            } else if (partition.loop == loop && partition.policy == PartitionPolicy::Always) {
                text += " always partitioned";
            }
        }
        return text;
    }

    const PipelineDag& dag_;
    const Schedule& schedule_;
    const ScheduledDag derived_;
    const PipelineDag& graph_;
    const Placement placement_;
    Bounds bounds_;
    const std::vector<int> order_;
    std::set<std::pair<int, int>> defined_;  // stages whose definition was printed
    std::string text_;
    std::size_t depth_ = 0;
};

}  // namespace

std::string print_loop_nest(const PipelineDag& dag, const Schedule& schedule) {
    return LoopNestPrinter(dag, schedule).print();
}

}  // namespace nestor
