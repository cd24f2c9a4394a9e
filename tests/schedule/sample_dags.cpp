#include "sample_dags.h"

#include <utility>

#include "schedule/scheduled_dag.h"

namespace nestor::samples {

namespace {

Loop pure(std::string label, std::int64_t extent, int position) {
    Loop loop;
    loop.label = label;
    loop.variable = std::move(label);
    loop.position = position;
    loop.range = {0, extent};
    return loop;
}

Loop reduction(std::string label, std::string variable, std::int64_t extent, int position,
               LoopKind kind = LoopKind::Reduction, bool constant = false) {
    Loop loop;
    loop.label = std::move(label);
    loop.variable = std::move(variable);
    loop.kind = kind;
    loop.position = position;
    loop.range = {0, extent};
    loop.constant_extent = constant;
    return loop;
}

Coordinate at(std::vector<double> rates, std::int64_t offset_min = 0,
              std::int64_t offset_max = -1) {
    Coordinate coordinate;
    coordinate.affine = true;
    coordinate.rates = std::move(rates);
    coordinate.offset_min = offset_min;
    coordinate.offset_max = offset_max < offset_min ? offset_min : offset_max;
    return coordinate;
}

Load load(int function, std::vector<Coordinate> coords) {
    Load load;
    load.index = function;
    load.coords = std::move(coords);
    return load;
}

Load input(int index, std::vector<Coordinate> coords) {
    Load load;
    load.source = Source::Input;
    load.index = index;
    load.coords = std::move(coords);
    return load;
}

// A function with its pure definition.
Function function(const std::string& stem, const std::vector<Loop>& loops,
                  std::vector<Load> loads) {
    Function f;
    f.id.stem = stem;
    f.halide_name = stem;
    f.types = {{TypeKind::Float, 32}};
    Stage stage;
    stage.loops = loops;
    stage.loads = std::move(loads);
    stage.expression_size = 10;
    stage.distinct_nodes = 10;
    for (const Loop& loop : loops) {
        f.args.push_back(loop.label);
        f.region.push_back(loop.range);
        f.constant.push_back(false);
        f.assumed.push_back(false);
    }
    stage.text = stem + "(...) = ...";
    f.stages.push_back(std::move(stage));
    f.can_inline = true;
    return f;
}

void add_update(Function& f, std::vector<Loop> loops, std::vector<Load> loads, bool reorderable) {
    Stage stage;
    stage.index = static_cast<int>(f.stages.size());
    stage.loops = std::move(loops);
    stage.loads = std::move(loads);
    stage.expression_size = 10;
    stage.distinct_nodes = 10;
    stage.reads_itself = true;
    stage.associative = reorderable;
    stage.commutative = reorderable;
    stage.text = f.id.stem + "(...) += ...";
    f.stages.push_back(std::move(stage));
    f.can_inline = false;
}

Function image(const std::string& stem, int index, std::int64_t width, std::int64_t height) {
    Function f = function(stem, {pure("_0", width, 0), pure("_1", height, 1)},
                          {input(index, {at({1, 0}), at({0, 1})})});
    f.only_wraps_input = true;
    return f;
}

PipelineDag finished(PipelineDag dag, std::vector<int> outputs, std::uint64_t hash) {
    dag.outputs = std::move(outputs);
    dag.algorithm_hash = hash;
    for (const int output : dag.outputs) {
        dag.functions[output].is_output = true;
        dag.functions[output].can_inline = false;
    }
    dag.name = dag.functions[dag.outputs[0]].id.stem;
    for (int f = 0; f < static_cast<int>(dag.functions.size()); f++) {
        for (int source = 0; source < static_cast<int>(dag.functions.size()); source++) {
            bool loads = false;
            for (const Stage& stage : dag.functions[f].stages) {
                for (const Load& l : stage.loads) {
                    loads = loads || (l.source == Source::Function && l.index == source);
                }
            }
            for (const int read : dag.functions[f].extern_inputs) {
                loads = loads || read == source;
            }
            if (loads) {
                dag.functions[source].consumers.push_back(f);
            }
        }
    }
    return dag;
}

Input input_of(const std::string& name, std::int64_t width, std::int64_t height) {
    return {name, {TypeKind::Float, 32}, {{0, width}, {0, height}}, false, "", 0, {}};
}

}  // namespace

PipelineDag blur() {
    PipelineDag dag;
    dag.inputs = {input_of("input", 1922, 1082)};
    dag.functions.push_back(image("input_im", 0, 1922, 1082));
    std::vector<Load> row;
    std::vector<Load> column;
    for (int i = 0; i < 3; i++) {
        row.push_back(load(0, {at({1, 0}, i), at({0, 1})}));
        column.push_back(load(1, {at({1, 0}), at({0, 1}, i)}));
    }
    dag.functions.push_back(function("blur_x", {pure("x", 1920, 0), pure("y", 1082, 1)}, row));
    dag.functions.push_back(function("blur_y", {pure("x", 1920, 0), pure("y", 1080, 1)}, column));
    return finished(std::move(dag), {2}, 0x1111);
}

PipelineDag weighted_blur() {
    PipelineDag dag;
    dag.inputs = {input_of("input", 1922, 1082)};
    dag.functions.push_back(image("input_im", 0, 1922, 1082));
    dag.functions.push_back(function("weights", {pure("i", 3, 0)}, {}));
    std::vector<Load> row;
    std::vector<Load> column;
    for (int i = 0; i < 3; i++) {
        row.push_back(load(0, {at({1, 0}, i), at({0, 1})}));
        column.push_back(load(1, {at({0, 0}, i)}));
        column.push_back(load(2, {at({1, 0}), at({0, 1}, i)}));
    }
    dag.functions.push_back(function("rows", {pure("x", 1920, 0), pure("y", 1082, 1)}, row));
    dag.functions.push_back(function("out", {pure("x", 1920, 0), pure("y", 1080, 1)}, column));
    return finished(std::move(dag), {3}, 0x1717);
}

PipelineDag histogram() {
    PipelineDag dag;
    dag.inputs = {input_of("input", 1024, 512)};
    dag.functions.push_back(image("input_im", 0, 1024, 512));
    Function hist = function("hist", {pure("i", 256, 0)}, {});
    add_update(hist, {reduction("r_x", "r4$x", 1024, 0), reduction("r_y", "r4$y", 512, 1)},
               {load(0, {at({1, 0}), at({0, 1})})}, true);
    hist.stages[1].stores = {Coordinate{}};
    dag.functions.push_back(std::move(hist));
    dag.functions.push_back(function("out", {pure("x", 1024, 0), pure("y", 512, 1)},
                                     {load(1, {Coordinate{}}), load(0, {at({1, 0}), at({0, 1})})}));
    return finished(std::move(dag), {2}, 0x2222);
}

PipelineDag matmul() {
    PipelineDag dag;
    dag.inputs = {input_of("a", 256, 384), input_of("b", 512, 256)};
    dag.functions.push_back(image("a_im", 0, 256, 384));
    dag.functions.push_back(image("b_im", 1, 512, 256));
    const std::vector<Loop> loops = {pure("x", 512, 0), pure("y", 384, 1)};
    Function prod = function("prod", loops, {});
    add_update(prod, {loops[0], loops[1], reduction("k", "k$x", 256, 0, LoopKind::Reduction, true)},
               {load(0, {at({0, 0, 1}), at({0, 1, 0})}), load(1, {at({1, 0, 0}), at({0, 0, 1})})},
               true);
    dag.functions.push_back(std::move(prod));
    dag.functions.push_back(function("out", loops, {load(2, {at({1, 0}), at({0, 1})})}));
    return finished(std::move(dag), {3}, 0x3333);
}

PipelineDag sums() {
    PipelineDag dag;
    dag.inputs = {input_of("input", 1000, 64)};
    dag.functions.push_back(image("input_im", 0, 1000, 64));
    Function total = function("total", {pure("y", 64, 0)}, {});
    add_update(total, {pure("y", 64, 0), reduction("r", "r$x", 1000, 0)},
               {load(0, {at({0, 1}), at({1, 0})})}, true);
    dag.functions.push_back(std::move(total));
    dag.functions.push_back(function("out", {pure("y", 64, 0)}, {load(1, {at({1})})}));
    return finished(std::move(dag), {2}, 0x3434);
}

PipelineDag pyramid() {
    PipelineDag dag;
    dag.inputs = {input_of("input", 1000, 64)};
    dag.functions.push_back(image("input_im", 0, 1000, 64));
    dag.functions.push_back(function("down", {pure("x", 500, 0), pure("y", 64, 1)},
                                     {load(0, {at({2, 0}, 0, 1), at({0, 1})})}));
    dag.functions.push_back(function("up", {pure("x", 1000, 0), pure("y", 64, 1)},
                                     {load(1, {at({0.5, 0}), at({0, 1})})}));
    dag.functions.push_back(
        function("out", {pure("x", 1000, 0), pure("y", 64, 1)},
                 {load(0, {at({1, 0}), at({0, 1})}), load(2, {at({1, 0}), at({0, 1})})}));
    return finished(std::move(dag), {3}, 0x4444);
}

PipelineDag zoo() {
    PipelineDag dag;
    dag.inputs = {input_of("input", 100, 100)};
    dag.functions.push_back(image("input_im", 0, 100, 100));
    const std::vector<Loop> loops = {pure("x", 100, 0), pure("y", 100, 1)};
    const std::vector<Coordinate> same = {at({1, 0}), at({0, 1})};
    dag.functions.push_back(function("sum", loops, {load(0, same)}));
    Function scan = function("sum", loops, {load(1, same)});
    scan.id.rank = 1;
    scan.halide_name = "sum$1";
    add_update(scan, {loops[0], reduction("r", "r9$x", 99, 0)}, {}, false);
    dag.functions.push_back(std::move(scan));
    dag.functions.push_back(function("user", loops, {load(2, same)}));
    dag.functions.back().pinned = "compute_root in the program";
    Function foreign = function("foreign", loops, {});
    foreign.stages.clear();
    foreign.is_extern = true;
    foreign.can_inline = false;
    foreign.extern_inputs = {1};
    dag.functions.push_back(std::move(foreign));
    dag.functions[1].can_inline = false;
    dag.functions.push_back(function("out", loops, {load(3, same), load(4, same), load(2, same)}));
    dag.functions.back().types.push_back({TypeKind::UInt, 8});
    return finished(std::move(dag), {5}, 0x5555);
}

PipelineDag dead_element() {
    PipelineDag dag;
    dag.inputs = {input_of("input", 100, 100)};
    dag.functions.push_back(image("input_im", 0, 100, 100));
    const std::vector<Loop> loops = {pure("x", 100, 0), pure("y", 100, 1)};
    const std::vector<Coordinate> same = {at({1, 0}), at({0, 1})};
    Function sum = function("sum", loops, {});
    add_update(sum, {loops[0], loops[1], reduction("r", "r9$x", 9, 0)},
               {load(0, {at({1, 0, 1}), at({0, 1, 0})})}, true);
    dag.functions.push_back(std::move(sum));
    dag.functions.push_back(function("cheap", loops, {load(1, same)}));
    Function pair = function("pair", loops, {load(0, same), load(2, same)});
    pair.types.push_back(pair.types[0]);
    pair.stages[0].loads[0].serves = {0};
    pair.stages[0].loads[1].serves = {1};
    dag.functions.push_back(std::move(pair));
    dag.functions.push_back(function("out", loops, {load(3, same)}));
    return finished(std::move(dag), {4}, 0x6666);
}

PipelineDag user_inside() {
    PipelineDag dag;
    dag.inputs = {input_of("input", 100, 100)};
    dag.functions.push_back(image("input_im", 0, 100, 100));
    const std::vector<Loop> loops = {pure("x", 100, 0), pure("y", 100, 1)};
    const std::vector<Coordinate> same = {at({1, 0}), at({0, 1})};
    dag.functions.push_back(function("inside", loops, {load(0, same)}));
    dag.functions.push_back(function("up", loops, {load(1, same)}));
    dag.functions.push_back(function("out", loops, {load(2, same)}));
    dag.functions[1].pinned = "compute_at in the program";
    dag.functions[1].pinned_inside = 3;
    dag.functions[3].pinned = "a loop of it is named in the schedule of inside";
    return finished(std::move(dag), {3}, 0x7777);
}

PipelineDag siblings() {
    PipelineDag dag = blur();
    Function other = dag.functions[2];
    other.id.stem = "other";
    dag.functions.push_back(std::move(other));
    dag.functions[1].consumers = {2, 3};
    dag.outputs = {2, 3};
    return dag;
}

std::vector<PipelineDag> all() {
    return {blur(),    weighted_blur(), histogram(),    matmul(),     sums(),
            pyramid(), zoo(),           dead_element(), user_inside()};
}

int find(const PipelineDag& dag, const std::string& function) {
    for (int f = 0; f < static_cast<int>(dag.functions.size()); f++) {
        if (dag.functions[f].id.text() == function) {
            return f;
        }
    }
    return -1;
}

LoopNest& nest(Schedule& schedule, int function, int stage) {
    return schedule.functions[function].stages[stage].nest;
}

LoopRef split(LoopNest& nest, int dim, std::int64_t factor, Tail tail) {
    if (static_cast<int>(nest.splits.size()) <= dim) {
        nest.splits.resize(static_cast<std::size_t>(dim) + 1);
    }
    nest.splits[dim].push_back({factor, tail});
    return {dim, static_cast<int>(nest.splits[dim].size())};
}

void sum_in_vectors(LoopNest& nest) {
    nest.vector = split(nest, 0, 16, Tail::GuardWithIf);
    nest.dot = split(nest, 2, 4, Tail::GuardWithIf);
    nest.order = {*nest.dot, *nest.vector, {2, 0}, {0, 0}, {1, 0}};
    nest.atomic = true;
}

int derive(const PipelineDag& dag, Schedule& schedule, Derivation derivation) {
    const int f = static_cast<int>(schedule.functions.size());
    schedule.functions.emplace_back();
    schedule.functions[f].derivation = std::move(derivation);
    const ScheduledDag graph(dag, schedule);
    schedule.functions[f].stages.resize(graph->functions[f].stages.size());
    return f;
}

}  // namespace nestor::samples
