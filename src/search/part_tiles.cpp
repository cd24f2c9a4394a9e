#include "search/part_tiles.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "search/nests.h"
#include "search/pointwise.h"
#include "search/register_tiles.h"

namespace nestor {

namespace {

constexpr int kSides[] = {1, 2, 3, 4, 5, 6};  // points of a tile along a dimension

struct Shape {
    int across = -1;  // dimensions of the parts, and points along them
    int down = -1;
    int columns = 1;
    int rows = 1;

    // For each part of the tile.
    [[nodiscard]] double loads() const { return 1.0 / columns + 1.0 / rows; }
};

class PartTiles {
  public:
    PartTiles(const PipelineDag& dag, const Machine& machine, const Plan& plan, int parts)
        : dag_(dag), machine_(machine), f_(dag.functions[parts]), plan_(plan), parts_(parts) {}

    void run(const std::function<void(const Plan&)>& visit) {
        if (!find_sum() || !find_lanes()) {
            return;
        }
        find_reader();
        for (const Shape& shape : shapes()) {
            visit(placed(shape));
        }
    }

  private:
    bool find_sum() {
        const bool reduces = f_.stages.size() > 1 && has_reduction(f_.stages.back());
        const std::optional<Reading> reading = reduces ? sole_sum(dag_, parts_) : std::nullopt;
        if (!reading || f_.is_output) {
            return false;
        }
        read_ = *reading;
        const Stage& stage = sum_stage();
        for (int d = 0; d < f_.dimensions(); d++) {
            const bool is_part = stage.loops[read_.loops[d]].is_reduction();
            if (!is_part && f_.region[d].extent > 1) {
                points_.push_back(d);
            }
        }
        return !points_.empty();
    }

    // The vector goes on along the parts that it goes along now.
    bool find_lanes() {
        const int along = plan_.functions[parts_].stages.back().vector_dim;
        const std::vector<Loop>& loops = f_.stages.back().loops;
        lanes_ = along < 0 || loops[along].is_reduction() ? -1 : loops[along].position;
        return lanes_ >= 0 && f_.region[lanes_].extent % lanes() == 0 &&
               sum_stage().loops[read_.loops[lanes_]].is_reduction();
    }

    // What reads the sum point by point, if its own consumer does; or else the sum itself.
    void find_reader() {
        const std::optional<Reading> reading = dag_.functions[read_.reader].is_output
                                                   ? std::nullopt
                                                   : sole_reading(dag_, read_.reader);
        reader_ = reading ? reading->reader : read_.reader;
        stage_ = reading ? reading->stage : read_.stage;
        loops_.assign(f_.dimensions(), -1);
        for (const int d : points_) {
            const int loop = read_.loops[d];
            loops_[d] = reading ? reading->loops[sum_stage().loops[loop].position] : loop;
        }
    }

    // The update that adds up the parts.
    [[nodiscard]] const Stage& sum_stage() const {
        return dag_.functions[read_.reader].stages[read_.stage];
    }

    [[nodiscard]] int lanes() const { return machine_.lanes(widest_bytes(f_)); }

    [[nodiscard]] int vectors() const {
        return std::max(1, static_cast<int>(f_.region[lanes_].extent) / lanes());
    }

    [[nodiscard]] std::vector<Shape> shapes() const {
        const int registers = static_cast<int>(machine_.registers.value_or(16));
        std::vector<Shape> shapes;
        for (std::size_t a = 0; a < points_.size(); a++) {
            for (const int columns : kSides) {
                for (const int rows : kSides) {
                    const int parts = columns * rows * static_cast<int>(f_.types.size());
                    // One for each vector of a row, and one for what they are multiplied with.
                    const int used = (parts + columns) * vectors() + 1;
                    if (used > registers || kLeastRegisterShare * used < registers ||
                        columns > f_.region[points_[a]].extent) {
                        continue;
                    }
                    if (rows == 1) {
                        shapes.push_back({points_[a], -1, columns, 1});
                        continue;
                    }
                    for (std::size_t b = a + 1; b < points_.size(); b++) {
                        if (rows <= f_.region[points_[b]].extent) {
                            shapes.push_back({points_[a], points_[b], columns, rows});
                        }
                    }
                }
            }
        }
        std::ranges::stable_sort(shapes, {}, &Shape::loads);
        return shapes;
    }

    [[nodiscard]] Plan placed(const Shape& shape) const {
        Plan changed = plan_;
        const Spot spot{reader_, stage_, SiteKind::Inner};
        FunctionPlan& parts = changed.functions[parts_];
        compute_at(spot, parts);
        parts.dense = lanes_;
        for (const Stage& stage : f_.stages) {
            NestPlan& nest = parts.stages[stage.index];
            set_blocks(stage, shape, nest);
            const int loop = loop_along(stage, lanes_);
            nest.vector_dim = loop;
            nest.lanes = lanes();
            nest.block[loop] = vectors();
        }
        if (reader_ != read_.reader) {
            FunctionPlan& sum = changed.functions[read_.reader];
            compute_at(spot, sum);
            for (NestPlan& nest : sum.stages) {
                set_plain(nest);
            }
        }
        FunctionPlan& reader = changed.functions[reader_];
        if (reader.place == Place::Inlined) {
            reader.place = Place::Root;
        }
        NestPlan& nest = reader.stages[stage_];
        set_plain(nest);
        nest.block[loops_[shape.across]] = shape.columns;
        if (shape.down >= 0) {
            nest.block[loops_[shape.down]] = shape.rows;
        }
        return changed;
    }

    void set_blocks(const Stage& stage, const Shape& shape, NestPlan& nest) const {
        set_plain(nest);
        const auto set = [&](int dim, int size) {
            const int loop = dim < 0 ? -1 : loop_along(stage, dim);
            if (loop >= 0) {
                nest.block[loop] = size;
            }
        };
        set(shape.across, shape.columns);
        set(shape.down, shape.rows);
    }

    const PipelineDag& dag_;
    const Machine& machine_;
    const Function& f_;
    const Plan& plan_;
    const int parts_;
    Reading read_;             // of the parts, by their sum
    std::vector<int> points_;  // dimensions of the parts that are none of parts
    int lanes_ = -1;           // the dimension of the parts that vectors go along
    int reader_ = -1;          // in whose loops parts and sums are
    int stage_ = 0;
    std::vector<int> loops_;  // of the reader, by dimension of the parts
};

}  // namespace

void for_each_part_tile(const PipelineDag& dag, const Machine& machine, const Plan& plan, int parts,
                        const std::function<void(const Plan&)>& visit) {
    PartTiles(dag, machine, plan, parts).run(visit);
}

}  // namespace nestor
