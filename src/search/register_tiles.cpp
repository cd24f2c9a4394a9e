#include "search/register_tiles.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "search/dot_products.h"
#include "search/nests.h"
#include "search/pointwise.h"
#include "search/products.h"

namespace nestor {

namespace {

constexpr int kMostVectors = 4;  // of a register tile, along the vectors
constexpr int kRows[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28};
constexpr int kWideColumn = 4;  // tiles

class RegisterTiles {
  public:
    RegisterTiles(Builder& builder, const Plan& plan, int function,
                  const std::function<void(const Plan&)>& visit)
        : builder_(builder),
          dag_(builder.dag()),
          machine_(builder.machine()),
          f_(dag_.functions[function]),
          plan_(plan),
          function_(function),
          visit_(visit) {}

    void run() {
        const bool reduces = std::ranges::any_of(f_.stages, [](const Stage& stage) {
            return stage.reads_itself && std::ranges::any_of(stage.loops, [](const Loop& loop) {
                       return loop.is_reduction();
                   });
        });
        const auto reading = reduces ? sole_reading(dag_, function_) : std::nullopt;
        if (!reading || f_.is_output) {
            return;
        }
        reading_ = *reading;
        for (int along = 0; along < f_.dimensions(); along++) {
            const int current = plan_.functions[function_].stages.back().vector_dim;
            if (along == plan_.functions[function_].dense || along == current) {
                shapes(along);
            }
        }
    }

  private:
    [[nodiscard]] std::int64_t extent(int dim) const { return f_.region[dim].extent; }

    void shapes(int along) {
        const int lanes = machine_.lanes(widest_bytes(f_));
        const int registers =
            static_cast<int>(machine_.registers.value_or(16)) / static_cast<int>(f_.types.size());
        for (int vectors = 1; vectors <= kMostVectors; vectors++) {
            if (static_cast<std::int64_t>(vectors) * lanes > extent(along)) {
                break;
            }
            for (const int rows : kRows) {
                // One for each loaded vector and one for what they are multiplied with.
                const int used = vectors * rows + vectors + 1;
                if (used > registers || kLeastRegisterShare * used < registers) {
                    continue;
                }
                for (int across = 0; across < f_.dimensions(); across++) {
                    const bool fits = across != along && rows <= extent(across);
                    if (fits && (rows > 1 || across == (along == 0 ? 1 : 0))) {
                        shape(along, lanes, vectors, across, rows);
                    }
                }
            }
        }
    }

    void shape(int along, int lanes, int vectors, int across, int rows) {
        Plan changed = plan_;
        FunctionPlan& sums = changed.functions[function_];
        FunctionPlan& reader = changed.functions[reading_.reader];
        compute_at({reading_.reader, reading_.stage, SiteKind::Inner}, sums);
        for (const Stage& stage : f_.stages) {
            NestPlan& nest = sums.stages[stage.index];
            const int x = loop_along(stage, along);
            const int y = loop_along(stage, across);
            set(nest, x, lanes, vectors, y, rows);
        }
        if (reader.place == Place::Inlined) {
            reader.place = Place::Root;
        }
        NestPlan& nest = reader.stages[reading_.stage];
        set(nest, reading_.loops[along], lanes, vectors, reading_.loops[across], rows);
        offer(changed);
        if (reader.place != Place::Root) {
            return;
        }
        columns(changed, along, lanes * vectors, across, rows);
    }

    // Columns of tiles, of one or several: what all rows need of a column can stay in a cache, as
    // it lies or in memory of its own.
    void columns(Plan& changed, int along, std::int64_t width, int across, int rows) {
        const std::vector<Loop>& loops =
            dag_.functions[reading_.reader].stages[reading_.stage].loops;
        NestPlan& nest = changed.functions[reading_.reader].stages[reading_.stage];
        for (std::size_t l = 0; l < loops.size(); l++) {
            nest.tile[l] = loops[l].range.extent;
        }
        for (const int tiles : {1, kWideColumn}) {
            if (tiles > 1 && tiles * width >= extent(along)) {
                break;
            }
            nest.tile[reading_.loops[along]] = tiles * width;
            offer(changed);
            Plan with_panels = changed;
            if (rows > 1 && pack_panels(along, across, with_panels)) {
                offer(with_panels);
            }
        }
    }

    // Computes what the sums load of a column, the same for all rows, once for it. Whether there is
    // any.
    [[nodiscard]] bool pack_panels(int along, int across, Plan& changed) const {
        bool any = false;
        for (const Stage& stage : f_.stages) {
            const int column = loop_along(stage, along);
            const int row = loop_along(stage, across);
            for (const Load& load : stage.loads) {
                const bool is_shared = column >= 0 && row >= 0 &&
                                       change_with(load.coords, column) &&
                                       !change_with(load.coords, row);
                if (load.source != Source::Function || load.index == function_ || !is_shared ||
                    !changes_with_reduction(stage, load)) {
                    continue;
                }
                const Function& source = dag_.functions[load.index];
                if (source.stages.size() != 1 || source.is_output || source.pinned) {
                    continue;
                }
                FunctionPlan& panel = changed.functions[load.index];
                compute_at({reading_.reader, reading_.stage, SiteKind::Tile}, panel);
                any = true;
            }
        }
        return any;
    }

    void offer(const Plan& changed) {
        visit_(changed);
        for_each_dot_product(builder_, changed, function_, visit_);
    }

    static void set(NestPlan& nest, int x, int lanes, int vectors, int y, int rows) {
        std::ranges::fill(nest.block, 1);
        if (x >= 0) {
            nest.vector_dim = x;
            nest.lanes = lanes;
            nest.block[x] = vectors;
        }
        if (y >= 0) {
            nest.block[y] = rows;
        }
    }

    Builder& builder_;
    const PipelineDag& dag_;
    const Machine& machine_;
    const Function& f_;
    const Plan& plan_;
    const int function_;
    const std::function<void(const Plan&)>& visit_;
    Reading reading_;
};

}  // namespace

void for_each_register_tile(Builder& builder, const Plan& plan, int function,
                            const std::function<void(const Plan&)>& visit) {
    RegisterTiles(builder, plan, function, visit).run();
}

}  // namespace nestor
