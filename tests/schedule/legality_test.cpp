// One line a rule: a schedule that breaks it, or almost does.

#include "schedule/legality.h"

#include <gtest/gtest.h>

#include <functional>

#include "random_schedules.h"
#include "sample_dags.h"

namespace nestor {
namespace {

using Kind = Derivation::Kind;
using samples::nest;
using samples::split;

constexpr Tail kGuard = Tail::GuardWithIf;

struct Case {
    const char* name;
    PipelineDag (*dag)();
    std::function<void(const PipelineDag&, Schedule&)> change;
    const char* complaint;  // part of the text of all violations; empty: legal
    Caps caps = {};
    bool clamped = false;  // the inputs have borders
};

void PrintTo(const Case& c, std::ostream* out) {
    *out << c.name;
}

// blur_y in tiles of 64 x 8, blur_x computed in each.
void tile_blur(Schedule& s) {
    split(nest(s, 2), 0, 64, kGuard);
    split(nest(s, 2), 1, 8, kGuard);
    nest(s, 2).order = {{0, 1}, {1, 1}, {0, 0}, {1, 0}};
    s.functions[1].compute = Level::at({2, 0, {0, 0}});
}

// Blocks of so many vectors by so many rows, unrolled.
void unroll_blocks(Schedule& s, int vectors, int rows, int lanes = 16) {
    LoopNest& out = nest(s, 2);
    const LoopRef block = split(out, 0, static_cast<std::int64_t>(lanes) * vectors, kGuard);
    out.vector = split(out, 0, lanes, kGuard);
    const LoopRef row = split(out, 1, rows, kGuard);
    out.order = {*out.vector, block, row, {0, 0}, {1, 0}};
    out.unrolled = {block, row};
}

// hist.rfactor(1) over rows, at root.
int factor_histogram(const PipelineDag& dag, Schedule& s) {
    const int intm =
        samples::derive(dag, s, {Kind::Rfactor, 1, {}, 1, {{}, {{64, Tail::Auto}}}, {{1, 0}}});
    s.functions[intm].compute = Level::root();
    s.functions[1].compute = Level::root();
    return intm;
}

// rows and weights computed at each row of a strip, and stored outside, or only rows.
void slide_rows(Schedule& s, bool weights_slide) {
    split(nest(s, 3), 1, 8, kGuard);
    for (const int f : {1, 2}) {
        s.functions[f].compute = Level::at({3, 0, {1, 1}});
        if (f == 2 || weights_slide) {
            s.functions[f].store = Level::at({3, 0, {1, 0}});
        }
    }
}

// A case is one thought: one row, whatever its length.
// clang-format off
#define CHANGE [](const PipelineDag &dag, Schedule &s)

const Case kLegal[] = {
    {"nothing", samples::blur, CHANGE { (void)dag, (void)s; }, ""},
    {"root", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::root(); }, ""},
    {"tiles", samples::blur, CHANGE { (void)dag; tile_blur(s); }, ""},
    {"sliding", samples::blur, CHANGE { (void)dag; split(nest(s, 2), 1, 8, kGuard);
        s.functions[1].compute = Level::at({2, 0, {1, 1}}); s.functions[1].store = Level::at({2, 0, {1, 0}});
        s.functions[1].fold = Fold{1, 4, true}; nest(s, 2).parallel = {{1, 0}}; }, ""},
    {"rfactor", samples::histogram, CHANGE { const int f = factor_histogram(dag, s);
        nest(s, f, 1).parallel = {{0, 0}}; nest(s, f, 1).order = {{1, 0}, {2, 0}, {0, 0}}; }, ""},
    {"register tile", samples::matmul, CHANGE { (void)dag; s.functions[2].compute = Level::root();
        LoopNest &n = nest(s, 2, 1); n.vector = split(n, 0, 16, kGuard); n.unrolled = {split(n, 1, 4, kGuard)};
        n.order = {{0, 1}, {1, 1}, {2, 0}, {0, 0}, {1, 0}}; n.parallel = {{1, 0}}; }, ""},
    {"reduction reordered", samples::histogram, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        nest(s, 1, 1).order = {{1, 0}, {0, 0}}; }, ""},
    {"reduction atomic", samples::matmul, CHANGE { (void)dag; s.functions[2].compute = Level::root();
        LoopNest &n = nest(s, 2, 1); n.vector = split(n, 2, 8); n.atomic = true; }, ""},
    {"steps within vectors", samples::matmul, CHANGE { (void)dag; s.functions[2].compute = Level::root();
        samples::sum_in_vectors(nest(s, 2, 1)); }, ""},
    {"update scheduled on its own", samples::zoo, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[2].compute = Level::root(); nest(s, 2, 1).vector = split(nest(s, 2, 1), 0, 8, kGuard); }, ""},
    {"specialised", samples::blur, CHANGE { (void)dag; tile_blur(s);
        StageSchedule &stage = s.functions[2].stages[0]; stage.specializations = {{{{0, 64}}, stage.nest}}; }, ""},
    {"output moved inwards", samples::blur, CHANGE { (void)dag;
        nest(s, 2).vector = split(nest(s, 2), 0, 8, Tail::ShiftInwards); }, ""},
    {"exact split of an output", samples::blur, CHANGE { (void)dag; split(nest(s, 2), 0, 64, kGuard);
        split(nest(s, 2), 0, 8, Tail::RoundUp); }, ""},
    {"clone", samples::pyramid, CHANGE { const int f = samples::derive(dag, s, {Kind::Clone, 1, {2}, 1, {}, {}});
        s.functions[f].compute = Level::root(); s.functions[2].compute = Level::root(); }, "schedule the function itself"},
    {"wrapper", samples::zoo, CHANGE { s.functions[1].compute = Level::root(); s.functions[2].compute = Level::root();
        samples::derive(dag, s, {Kind::Wrapper, 2, {5}, 1, {}, {}}); }, ""},
    {"prefetch", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        nest(s, 2).prefetch = {{1, {0, 0}, {1, 0}, 2, PrefetchBounds::GuardWithIf}}; }, ""},
};

const Case kShape[] = {
    {"algorithm", samples::blur, CHANGE { (void)dag; s.algorithm_hash = 1; }, "for another algorithm"},
    {"functions", samples::blur, CHANGE { (void)dag; s.functions.pop_back(); }, "fewer functions"},
    {"stages", samples::blur, CHANGE { (void)dag; s.functions[1].stages.clear(); }, "has 1 stages"},
    {"dimension", samples::blur, CHANGE { (void)dag; split(nest(s, 1), 2, 8); }, "splits dimension 2"},
    {"factor", samples::blur, CHANGE { (void)dag; split(nest(s, 1), 0, 0); }, "splits x by 0"},
    {"factors", samples::blur, CHANGE { (void)dag; split(nest(s, 1), 0, 8); split(nest(s, 1), 0, 16); },
        "by more than it has"},
    {"loop", samples::blur, CHANGE { (void)dag; nest(s, 2).parallel = {{0, 1}}; }, "parallel names loop 0.1"},
    {"twice", samples::blur, CHANGE { (void)dag; nest(s, 2).parallel = {{0, 0}, {0, 0}}; }, "names a loop twice"},
    {"site", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::at({2, 0, {5, 0}}); },
        "does not exist in every nest"},
    {"site of a specialisation", samples::blur, CHANGE { (void)dag; tile_blur(s);
        s.functions[1].compute = Level::at({2, 0, {0, 1}});
        s.functions[2].stages[0].specializations = {{{{0, 64}}, {}}}; }, "does not exist in every nest"},
    {"storage order", samples::blur, CHANGE { (void)dag; s.functions[1].storage_order = {0, 0}; }, "storage order"},
    {"alignment", samples::blur, CHANGE { (void)dag; s.functions[1].alignment = {{2, 8}}; }, "aligns a dimension"},
    {"alignment of bounds", samples::blur, CHANGE { (void)dag; s.functions[1].region_alignment = {{0, 2}, {0, 4}}; },
        "aligns a dimension"},
    {"alignment of an output", samples::blur, CHANGE { (void)dag; s.functions[2].region_alignment = {{0, 2}}; },
        "the caller decides on what is computed"},
    {"alignment of what is inlined", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::inlined();
        s.functions[1].region_alignment = {{0, 2}}; }, "no level of its own"},
    {"fold", samples::blur, CHANGE { (void)dag; s.functions[1].fold = Fold{2, 8, true}; }, "folds a dimension"},
};

const Case kDerivations[] = {
    {"no parent", samples::blur, CHANGE { samples::derive(dag, s, {Kind::Wrapper, 3, {2}, 1, {}, {}}); },
        "does not come before it"},
    {"no derivation", samples::blur, CHANGE { (void)dag; s.functions.emplace_back(); }, "not in the algorithm"},
    {"not a consumer", samples::blur, CHANGE { samples::derive(dag, s, {Kind::Wrapper, 0, {2}, 1, {}, {}}); },
        "does not load it"},
    {"wrapper of an output", samples::blur, CHANGE { samples::derive(dag, s, {Kind::Wrapper, 2, {}, 1, {}, {}}); },
        "has no consumer"},
    {"clone without consumers", samples::blur, CHANGE {
        samples::derive(dag, s, {Kind::Clone, 1, {}, 1, {}, {}}); }, "name them"},
    {"clone after a wrapper", samples::pyramid, CHANGE {
        samples::derive(dag, s, {Kind::Wrapper, 0, {3}, 1, {}, {}});
        samples::derive(dag, s, {Kind::Clone, 1, {2}, 1, {}, {}}); }, "put clones first"},
    {"wrapper of what is pinned", samples::zoo, CHANGE {
        samples::derive(dag, s, {Kind::Wrapper, 3, {5}, 1, {}, {}}); }, "left as it is"},
    {"wrapper for what is pinned", samples::zoo, CHANGE {
        samples::derive(dag, s, {Kind::Wrapper, 2, {3}, 1, {}, {}}); }, "consumer that is left as it is"},
    {"rfactor of a pure definition", samples::matmul, CHANGE {
        samples::derive(dag, s, {Kind::Rfactor, 2, {}, 0, {}, {}}); }, "no update"},
    {"rfactor of a scan", samples::zoo, CHANGE {
        samples::derive(dag, s, {Kind::Rfactor, 2, {}, 1, {}, {{1, 0}}}); }, "not known to be associative"},
    {"rfactor twice", samples::histogram, CHANGE { factor_histogram(dag, s);
        samples::derive(dag, s, {Kind::Rfactor, 1, {}, 1, {}, {{1, 0}}}); }, "a second time"},
    {"rfactor of a pure loop", samples::matmul, CHANGE {
        samples::derive(dag, s, {Kind::Rfactor, 2, {}, 1, {}, {{0, 0}}}); }, "no reduction loop"},
    {"rfactor out of order", samples::histogram, CHANGE {
        samples::derive(dag, s, {Kind::Rfactor, 1, {}, 1, {}, {{1, 0}, {0, 0}}}); }, "innermost first"},
    {"rfactor rounded up", samples::matmul, CHANGE {
        samples::derive(dag, s, {Kind::Rfactor, 2, {}, 1, {{}, {}, {{8, Tail::RoundUp}}}, {{2, 1}}}); },
        "not guarded"},
    {"rfactor after a wrapper", samples::matmul, CHANGE {
        samples::derive(dag, s, {Kind::Wrapper, 0, {2}, 1, {}, {}});
        samples::derive(dag, s, {Kind::Rfactor, 2, {}, 1, {}, {{2, 0}}}); }, "put the rfactor first"},
};

const Case kLeftAlone[] = {
    {"pinned", samples::zoo, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[3].compute = Level::root(); }, "is left as it is"},
    {"loop of what is pinned", samples::zoo, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[2].compute = Level::at({3, 0, {1, 0}}); }, "which has none to offer"},
    {"reads what the user computes at a loop", samples::user_inside, CHANGE { (void)dag;
        s.functions[2].compute = Level::root(); }, "is not inlined there"},
    {"inlined between the user's loops", samples::user_inside, CHANGE { (void)dag, (void)s; }, ""},
    {"read by an extern stage", samples::zoo, CHANGE { (void)dag, (void)s; }, "read by the extern stage foreign"},
    {"extern stage inlined", samples::zoo, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[4].compute = Level::inlined(); }, "extern stage"},
    {"extern stage at root", samples::zoo, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[4].compute = Level::root(); }, ""},
    {"memory of an extern stage hoisted", samples::zoo, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[4].compute = Level::at({5, 0, {0, 0}}); s.functions[4].hoist = Level::root(); },
        "its memory is hoisted"},
    {"output at a loop", samples::zoo, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[5].compute = Level::at({2, 0, {0, 0}}); }, "is an output"},
    {"output's memory", samples::blur, CHANGE { (void)dag; s.functions[2].memory = Memory::Heap; },
        "the caller decides"},
};

const Case kNests[] = {
    {"order is short", samples::blur, CHANGE { (void)dag; nest(s, 2).order = {{0, 0}}; }, "does not list every loop"},
    {"scan reordered", samples::zoo, CHANGE { (void)dag; s.functions[1].compute = s.functions[2].compute = Level::root();
        LoopNest &n = nest(s, 2, 1); split(n, 1, 8); n.order = {{1, 0}, {1, 1}, {0, 0}}; }, "depend on their order"},
    {"reduction rounded up", samples::matmul, CHANGE { (void)dag; s.functions[2].compute = Level::root();
        split(nest(s, 2, 1), 2, 8, Tail::RoundUp); }, "GuardWithIf or Predicate"},
    {"update moved inwards", samples::matmul, CHANGE { (void)dag; s.functions[2].compute = Level::root();
        split(nest(s, 2, 1), 0, 8, Tail::ShiftInwards); }, "repeat updates"},
    {"update rounded up in a guard", samples::matmul, CHANGE { (void)dag; s.functions[2].compute = Level::root();
        split(nest(s, 2, 1), 0, 16, kGuard); split(nest(s, 2, 1), 0, 8, Tail::RoundUp); }, "rounds up an inner loop"},
    {"output rounded up", samples::blur, CHANGE { (void)dag; split(nest(s, 2), 0, 8, Tail::RoundUp); },
        "store beyond it"},
    {"output's inner loop rounded up", samples::blur, CHANGE { (void)dag; split(nest(s, 2), 0, 64, kGuard);
        split(nest(s, 2), 0, 24, Tail::RoundUp); }, "store beyond it"},
    {"output's inner loop predicated", samples::blur, CHANGE { (void)dag; split(nest(s, 2), 0, 12, kGuard);
        split(nest(s, 2), 0, 4, Tail::ShiftInwards); split(nest(s, 2), 0, 3, Tail::Predicate); }, "has to be GuardWithIf"},
    {"predicated and split again", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        split(nest(s, 1), 0, 16, Tail::PredicateStores); split(nest(s, 1), 0, 8); }, "splits it more than once"},
    {"parallel and unrolled", samples::blur, CHANGE { (void)dag; const LoopRef l = split(nest(s, 2), 0, 8, kGuard);
        nest(s, 2).parallel = nest(s, 2).unrolled = {l}; }, "parallel and something else"},
    {"vector and unrolled", samples::blur, CHANGE { (void)dag; const LoopRef l = split(nest(s, 2), 0, 8, kGuard);
        nest(s, 2).unrolled = {l}; nest(s, 2).vector = l; }, "a vector and unrolled"},
    {"parallel in a vector", samples::blur, CHANGE { (void)dag; nest(s, 2).vector = split(nest(s, 2), 1, 8, kGuard);
        nest(s, 2).parallel = {{0, 0}}; }, "parallel inside of a vector"},
    {"parallel and blended", samples::matmul, CHANGE { (void)dag; s.functions[2].compute = Level::root();
        split(nest(s, 2, 1), 0, 8, Tail::RoundUpAndBlend); nest(s, 2, 1).parallel = {{0, 0}}; }, "blended tail"},
    {"parallel reduction", samples::matmul, CHANGE { (void)dag; s.functions[2].compute = Level::root();
        nest(s, 2, 1).parallel = {{2, 0}}; }, "depend on each other"},
    {"vector of a scan", samples::zoo, CHANGE { (void)dag; s.functions[1].compute = s.functions[2].compute = Level::root();
        nest(s, 2, 1).vector = split(nest(s, 2, 1), 1, 8); }, "depend on each other"},
    {"atomic scan", samples::zoo, CHANGE { (void)dag; s.functions[1].compute = s.functions[2].compute = Level::root();
        nest(s, 2, 1).atomic = true; }, "not an associative"},
    {"sums within a scan's vectors", samples::zoo, CHANGE { (void)dag; s.functions[1].compute = s.functions[2].compute = Level::root();
        LoopNest &n = nest(s, 2, 1); n.vector = split(n, 0, 8, kGuard); n.dot = split(n, 1, 4, kGuard);
        n.order = {*n.dot, *n.vector, {1, 0}, {0, 0}}; n.atomic = true; }, "depend on each other"},
    {"points summed within vectors", samples::matmul, CHANGE { (void)dag; s.functions[2].compute = Level::root();
        LoopNest &n = nest(s, 2, 1); samples::sum_in_vectors(n); n.dot = split(n, 1, 4, kGuard);
        n.order = {*n.dot, *n.vector, {2, 1}, {2, 0}, {0, 0}, {1, 0}}; }, "no reduction loop"},
    {"steps around a vector", samples::matmul, CHANGE { (void)dag; s.functions[2].compute = Level::root();
        LoopNest &n = nest(s, 2, 1); samples::sum_in_vectors(n); std::swap(n.order[0], n.order[1]); }, "not right inside"},
    {"steps within vectors, not atomic", samples::matmul, CHANGE { (void)dag; s.functions[2].compute = Level::root();
        samples::sum_in_vectors(nest(s, 2, 1)); nest(s, 2, 1).atomic = false; }, "is not atomic"},
    {"steps within vectors, guarded", samples::matmul, CHANGE { (void)dag; s.functions[2].compute = Level::root();
        samples::sum_in_vectors(nest(s, 2, 1)); nest(s, 2, 1).splits[2][0].factor = 3; }, "steps have a condition"},
    {"steps within vectors, unrolled", samples::matmul, CHANGE { (void)dag; s.functions[2].compute = Level::root();
        samples::sum_in_vectors(nest(s, 2, 1)); nest(s, 2, 1).unrolled = {{2, 1}}; }, "a vector and unrolled"},
    {"vector of unknown extent", samples::blur, CHANGE { (void)dag; nest(s, 2).vector = {0, 0}; }, "split it"},
    {"unrolled over unknown extent", samples::histogram, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        nest(s, 1, 1).unrolled = {{0, 0}}; }, "split it"},
    {"unrolled over constant extent", samples::matmul, CHANGE { (void)dag; s.functions[2].compute = Level::root();
        nest(s, 2, 1).unrolled = {{2, 0}}; }, ""},
};

const Case kLevels[] = {
    {"memory of unknown size", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[1].storage_bounds = {{0, 1000}}; }, "it is not known that they are enough"},
    {"memory for a tile", samples::matmul, CHANGE { (void)dag; nest(s, 3).splits = {{{32, kGuard}}, {{4, kGuard}}};
        nest(s, 3).order = {{0, 1}, {1, 1}, {0, 0}, {1, 0}}; s.functions[2].compute = Level::at({3, 0, {0, 0}});
        s.functions[2].storage_bounds = {{0, 32}, {1, 4}}; }, ""},
    {"too little memory", samples::matmul, CHANGE { (void)dag; nest(s, 3).splits = {{{32, kGuard}}, {{4, kGuard}}};
        nest(s, 3).order = {{0, 1}, {1, 1}, {0, 0}, {1, 0}}; s.functions[2].compute = Level::at({3, 0, {0, 0}});
        s.functions[2].storage_bounds = {{0, 31}}; }, "it is not known that they are enough"},
    {"memory for a loop that is outside", samples::matmul, CHANGE { (void)dag; nest(s, 3).splits = {{{32, kGuard}}};
        s.functions[2].compute = Level::at({3, 0, {1, 0}}); s.functions[2].storage_bounds = {{0, 512}}; },
        "it is not known that they are enough"},
    {"memory that tails enlarge", samples::matmul, CHANGE { (void)dag; nest(s, 3).splits = {{{32, kGuard}}};
        nest(s, 3).order = {{0, 1}, {0, 0}, {1, 0}}; s.functions[2].compute = Level::at({3, 0, {0, 0}});
        nest(s, 2, 0).splits = {{{24, Tail::RoundUp}}}; s.functions[2].storage_bounds = {{0, 32}}; },
        "it is not known that they are enough"},
    {"updates inlined", samples::matmul, CHANGE { (void)dag; s.functions[2].compute = Level::inlined(); },
        "cannot be inlined"},
    {"loops of what is inlined", samples::blur, CHANGE { (void)dag; split(nest(s, 1), 0, 8); }, "give it one"},
    {"memory of what is inlined", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::inlined();
        s.functions[1].memory = Memory::Heap; }, "give it one"},
    {"at a loop of what is inlined", samples::blur, CHANGE { (void)dag;
        s.functions[0].compute = Level::at({1, 0, {0, 0}}); }, "none to offer"},
    {"at its own loop", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::at({1, 0, {0, 0}}); },
        "a loop of its own"},
    {"at each other's loops", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::at({0, 0, {0, 0}});
        s.functions[0].compute = Level::at({1, 0, {0, 0}}); }, "a loop of its own"},
    {"in a vector", samples::blur, CHANGE { (void)dag; tile_blur(s); nest(s, 2).vector = LoopRef{0, 1};
        s.functions[1].compute = Level::at({2, 0, {0, 1}}); }, "inside of a vector"},
    {"read outside", samples::pyramid, CHANGE { (void)dag; s.functions[2].compute = Level::root();
        s.functions[0].compute = Level::at({3, 0, {1, 0}}); }, "reads it outside of that loop"},
    {"read outside, through what is inlined", samples::pyramid, CHANGE { (void)dag;
        s.functions[2].compute = Level::root(); s.functions[1].compute = Level::at({3, 0, {1, 0}}); },
        "reads it outside of that loop"},
    {"read by two stages of a function", samples::matmul, CHANGE { (void)dag; s.functions[2].compute = Level::root();
        s.functions[0].compute = Level::at({2, 0, {1, 0}}); }, "stage 1, reads it outside"},
    {"store level inside", samples::blur, CHANGE { (void)dag; tile_blur(s);
        s.functions[1].store = Level::at({2, 0, {0, 1}}); }, "not around the one that computes"},
    {"store level outside", samples::blur, CHANGE { (void)dag; tile_blur(s);
        s.functions[1].store = Level::at({2, 0, {1, 0}}); }, ""},
    {"hoisted inside", samples::blur, CHANGE { (void)dag; tile_blur(s); s.functions[1].store = Level::root();
        s.functions[1].hoist = Level::at({2, 0, {1, 0}}); }, "hoisted to a loop that is not around"},
    {"stored in a loop, computed at root", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[1].store = Level::at({2, 0, {1, 0}}); }, "stored at a loop inside"},
    {"shared by parallel iterations", samples::blur, CHANGE { (void)dag; tile_blur(s);
        s.functions[1].store = Level::root(); nest(s, 2).parallel = {{1, 0}}; }, "share its memory"},
    {"hoisted out of a parallel loop", samples::blur, CHANGE { (void)dag; tile_blur(s);
        s.functions[1].hoist = Level::root(); nest(s, 2).parallel = {{1, 0}}; }, "share its memory"},
    {"sliding under an unknown reduction", samples::histogram, CHANGE { (void)dag;
        s.functions[1].compute = s.functions[0].compute = Level::at({2, 0, {1, 0}});
        s.functions[0].store = Level::root(); }, "whose extent is not constant"},
    {"within an unknown reduction", samples::histogram, CHANGE { (void)dag;
        s.functions[1].compute = s.functions[0].compute = Level::at({2, 0, {1, 0}}); }, ""},
    // Memory beyond the end was overwritten: one of a random pipeline's random schedules (5027 of the fuzzer).
    {"uneven split of a guarded loop", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        split(nest(s, 1), 1, 56, Tail::Predicate); split(nest(s, 1), 1, 33, Tail::RoundUp); }, "splits a guarded loop of y unevenly"},
    {"vector of an uneven guarded tile", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        split(nest(s, 1), 0, 60, kGuard); nest(s, 1).vector = split(nest(s, 1), 0, 8); }, "splits a guarded loop of x unevenly"},
    {"vector of an even guarded tile", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        split(nest(s, 1), 0, 64, kGuard); nest(s, 1).vector = split(nest(s, 1), 0, 8); }, ""},
    {"sliding along an unrolled loop", samples::blur, CHANGE { (void)dag; nest(s, 2).unrolled = {split(nest(s, 2), 1, 8, kGuard)};
        s.functions[1].compute = Level::at({2, 0, {1, 1}}); s.functions[1].store = Level::at({2, 0, {1, 0}}); },
        "would slide along blur_y's yi, which is unrolled"},
    {"fold within one computation", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[1].fold = Fold{1, 4, true}; }, "is folded"},
    {"fold of less than one computation", samples::blur, CHANGE { (void)dag; split(nest(s, 2), 1, 8, kGuard);
        s.functions[1].compute = Level::at({2, 0, {1, 1}}); s.functions[1].store = Level::at({2, 0, {1, 0}});
        s.functions[1].fold = Fold{1, 2, true}; }, "one computation makes 3"},
    {"root, and nobody reads it", samples::dead_element, CHANGE { (void)dag;
        s.functions[1].compute = Level::root(); }, "elements of inlined tuples that nobody reads"},
    {"not inlined, and nobody reads it", samples::dead_element, CHANGE { (void)dag;
        s.functions[2].compute = Level::root(); }, "elements of inlined tuples that nobody reads"},
    {"root, for the whole tuple", samples::dead_element, CHANGE { (void)dag;
        s.functions[1].compute = s.functions[3].compute = Level::root(); }, ""},
    {"stack for an extern stage", samples::zoo, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[4].compute = Level::at({5, 0, {0, 0}}); s.functions[4].memory = Memory::Stack; },
        "its size is not constant"},
    {"stack at root", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[1].memory = Memory::Stack; }, "its size is not constant"},
};

/// The first function's value chooses what the second one computes.
PipelineDag choosing() {
    PipelineDag dag = samples::blur();
    dag.functions[1].stages[0].selector =
        Selector{0, -1, {5, 6}, {TypeKind::UInt, 8}, {0, 1}, {}};
    return dag;
}

const Case kJoined[] = {
    {"specialised, no output", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[1].stages[0].specializations = {{{{0, 64}}, {}, {}}}; }, "is no output"},
    {"specialised on an output", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[1].stages[0].specializations = {{{{0, 64, 2}}, {}, {}}}; }, ""},
    {"specialised on another", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[1].stages[0].specializations = {{{{0, 64, 0}}, {}, {}}}; }, "is no output"},
    {"specialised on itself, named", samples::blur, CHANGE { (void)dag;
        s.functions[2].stages[0].specializations = {{{{0, 64, 2}}, {}, {}}}; }, "or no other"},
    {"specialised without a condition", samples::blur, CHANGE { (void)dag;
        s.functions[2].stages[0].specializations = {{{}, {}, {}}}; }, "without a condition"},
    {"specialised twice", samples::blur, CHANGE { (void)dag;
        s.functions[2].stages[0].specializations = {{{{0, 64}}, {}, {}}, {{{0, 64}}, {}, {}}}; }, "twice"},
    {"specialised on strides", samples::blur, CHANGE { (void)dag;
        s.functions[2].stages[0].specializations = {
            {{}, {}, {}, {{Source::Input, 0, 0, 1}, {Source::Function, 2, 0, 1}}}}; }, ""},
    {"specialised on the stride of no buffer", samples::blur, CHANGE { (void)dag;
        s.functions[2].stages[0].specializations = {{{}, {}, {}, {{Source::Input, 1, 0, 1}}}}; },
        "of a buffer that there is not"},
    {"specialised on the stride of no dimension", samples::blur, CHANGE { (void)dag;
        s.functions[2].stages[0].specializations = {{{}, {}, {}, {{Source::Function, 2, 2, 1}}}}; },
        "of a buffer that there is not"},
    {"specialised on the stride of no output", samples::blur, CHANGE { (void)dag;
        s.functions[2].stages[0].specializations = {{{}, {}, {}, {{Source::Function, 1, 0, 1}}}}; },
        "of what is no argument"},
    {"a case of a selector", choosing, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[1].stages[0].specializations = {{{}, {}, 0}, {{}, {}, 1}}; }, ""},
    {"a case that is not asked for", choosing, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[1].stages[0].specializations = {{{}, {}, 7}}; }, "does not ask for"},
    {"a case without a selector", samples::blur, CHANGE { (void)dag;
        s.functions[2].stages[0].specializations = {{{}, {}, 0}}; }, "does not ask for"},
    {"a case twice", choosing, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[1].stages[0].specializations = {{{}, {}, 0}, {{}, {}, 0}}; }, "twice"},
    {"what is chosen by is not inlined", choosing, CHANGE { (void)dag;
        s.functions[0].compute = s.functions[1].compute = Level::root();
        s.functions[1].stages[0].specializations = {{{}, {}, 0}}; }, "which is not inlined"},
    {"fused with its consumer", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[2].stages[0].compute_with = LoopSite{1, 0, {1, 0}}; }, "depends on"},
    {"prefetch of what is inlined", samples::blur, CHANGE { (void)dag;
        nest(s, 2).prefetch = {{1, {0, 0}, {0, 0}}}; }, "not in memory"},
    {"prefetch of what is not read", samples::pyramid, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        s.functions[2].compute = Level::root(); nest(s, 3).prefetch = {{1, {0, 0}, {0, 0}}}; }, "does not read"},
    {"prefetch inside out", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::root();
        nest(s, 2).prefetch = {{1, {1, 0}, {0, 0}}}; }, "inside of the one that issues it"},
};

const Case kCaps[] = {
    {"unrolled", samples::matmul, CHANGE { (void)dag; s.functions[2].compute = Level::root();
        nest(s, 2, 1).unrolled = {{2, 0}, split(nest(s, 2, 1), 0, 2, kGuard)}; }, "is 512, over the cap of 256"},
    {"unrolled around", samples::blur, CHANGE { (void)dag; tile_blur(s); nest(s, 2).unrolled = {{1, 1}};
        s.functions[1].compute = Level::at({2, 0, {1, 1}}); split(nest(s, 1), 0, 64);
        nest(s, 1).unrolled = {{0, 1}}; }, "is 512, over the cap of 256"},
    {"lanes", samples::blur, CHANGE { (void)dag; nest(s, 2).vector = split(nest(s, 2), 0, 512, kGuard); },
        "the number of lanes is 512"},
    {"stack", samples::blur, CHANGE { (void)dag; split(nest(s, 2), 1, 64, kGuard);
        split(nest(s, 2), 0, 1024, kGuard);
        nest(s, 2).order = {{0, 1}, {1, 1}, {0, 0}, {1, 0}}; s.functions[1].compute = Level::at({2, 0, {0, 0}});
        s.functions[1].memory = Memory::Stack; }, "on the stack, in bytes, is 270336"},
    {"stack of no constant size", samples::blur, CHANGE { (void)dag; split(nest(s, 2), 1, 8, kGuard);
        s.functions[1].compute = Level::at({2, 0, {1, 0}}); s.functions[1].memory = Memory::Stack; }, ""},
    {"registers of no constant size", samples::blur, CHANGE { (void)dag; split(nest(s, 2), 1, 8, kGuard);
        s.functions[1].compute = Level::at({2, 0, {1, 0}}); s.functions[1].memory = Memory::Register; },
        "its size is not constant"},
    {"memory", samples::blur, CHANGE { (void)dag; s.functions[1].compute = Level::root(); },
        "over the cap of 1000", {256, 256, 1, 1000, 1, 1000}},
    {"code", samples::blur, CHANGE { (void)dag; tile_blur(s); nest(s, 2).unrolled = {{0, 1}}; },
        "the size of its code is", {256, 256, 1, -1, 1, 200'000, 1000}},
    {"code of rows", samples::blur, CHANGE { (void)dag; unroll_blocks(s, 1, 32); }, "",
        {256, 256, 1, -1, 1, 200'000, 44'000}},
    {"code of loads side by side", samples::blur, CHANGE { (void)dag; unroll_blocks(s, 2, 16); },
        "the size of its code is", {256, 256, 1, -1, 1, 200'000, 44'000}},
    {"code of wide loads side by side", samples::blur, CHANGE { (void)dag;
        unroll_blocks(s, 2, 8, 64); }, "the size of its code is",
        {256, 256, 1, -1, 1, 200'000, 44'000}},
    {"equal parts of an expression", samples::blur, CHANGE { (void)dag, (void)s; },
        "equal parts once, is 130, over the cap of 100",
        {256, 256, 1, -1, 1, 200'000, -1, 1, false, 100}},
    {"expression", samples::blur, CHANGE { (void)dag, (void)s; }, "is 130, over the cap of 100",
        {256, 256, 1, -1, 1, 100}},
    {"expression as it is written", samples::blur, CHANGE { (void)dag;
        for (FunctionSchedule& f : s.functions) { f.compute = Level::root(); } }, "",
        {256, 256, 1, -1, 1, 5}},
};

constexpr Caps kCareful = {.careful_reads = true};

// blur reads beyond what it is asked for; its input has no border.
const Case kReading[] = {
    {"rounded", samples::blur, CHANGE { (void)dag; tile_blur(s);
        nest(s, 1).vector = split(nest(s, 1), 0, 16, Tail::RoundUp); }, ""},
    {"rounded, with care", samples::blur, CHANGE { (void)dag; tile_blur(s);
        nest(s, 1).vector = split(nest(s, 1), 0, 16, Tail::RoundUp); }, "may read beyond an input", kCareful},
    {"guarded, with care", samples::blur, CHANGE { (void)dag; tile_blur(s);
        nest(s, 1).vector = split(nest(s, 1), 0, 16, kGuard); }, "", kCareful},
    {"rounded behind a border", samples::blur, CHANGE { (void)dag; tile_blur(s);
        nest(s, 1).vector = split(nest(s, 1), 0, 16, Tail::RoundUp); }, "", kCareful, true},
    {"aligned, with care", samples::blur, CHANGE { (void)dag; tile_blur(s);
        s.functions[1].compute = Level::root(); s.functions[1].region_alignment = {{0, 2}}; },
        "is aligned along x and may read beyond an input", kCareful},
    {"aligned behind a border", samples::blur, CHANGE { (void)dag; tile_blur(s);
        s.functions[1].compute = Level::root(); s.functions[1].region_alignment = {{0, 2}}; }, "", kCareful, true},
    {"an output's, with care", samples::blur, CHANGE { (void)dag;
        nest(s, 2).vector = split(nest(s, 2), 0, 8, Tail::ShiftInwards); }, "", kCareful},
    {"one slides, one does not", samples::blur, CHANGE { (void)dag; tile_blur(s);
        s.functions[0].compute = Level::at({2, 0, {1, 1}}); s.functions[1].compute = Level::at({2, 0, {1, 1}});
        s.functions[1].store = Level::at({2, 0, {0, 0}}); },
        "is computed anew in a loop along which blur_x slides", kCareful},
    {"both slide", samples::blur, CHANGE { (void)dag; tile_blur(s);
        for (const int f : {0, 1}) { s.functions[f].compute = Level::at({2, 0, {1, 1}});
            s.functions[f].store = Level::at({2, 0, {0, 0}}); } }, "", kCareful},
    {"slides in steps of rows", samples::blur, CHANGE { (void)dag; tile_blur(s);
        s.functions[1].compute = Level::at({2, 0, {1, 0}}); s.functions[1].store = Level::root(); },
        "blur_x: slides from the middle of a step", kCareful},
    {"slides in steps of rows behind a border", samples::blur, CHANGE { (void)dag; tile_blur(s);
        s.functions[1].compute = Level::at({2, 0, {1, 0}}); s.functions[1].store = Level::root(); }, "", kCareful, true},
    {"slides along its vectors", samples::blur, CHANGE { (void)dag; tile_blur(s);
        s.functions[1].compute = Level::at({2, 0, {1, 1}}); s.functions[1].store = Level::at({2, 0, {0, 0}});
        nest(s, 1).vector = split(nest(s, 1), 1, 2, kGuard); }, "in which vectors lie", kCareful},
    {"slides through open tails", samples::blur, CHANGE { (void)dag; tile_blur(s);
        split(nest(s, 1), 1, 16, Tail::RoundUp); s.functions[1].compute = Level::at({2, 0, {1, 1}});
        s.functions[0].compute = Level::at({1, 0, {0, 0}}); s.functions[0].store = Level::at({2, 0, {0, 0}}); },
        "is stored outside of blur_x, in whose loops it is computed"},
    {"slides through what is aligned", samples::blur, CHANGE { (void)dag; tile_blur(s);
        s.functions[1].region_alignment = {{1, 2}}; s.functions[1].compute = Level::at({2, 0, {1, 1}});
        s.functions[0].compute = Level::at({1, 0, {1, 0}}); s.functions[0].store = Level::at({2, 0, {0, 0}}); },
        "is stored outside of blur_x, in whose loops it is computed"},
    {"slides through guarded tails", samples::blur, CHANGE { (void)dag; tile_blur(s);
        split(nest(s, 1), 1, 16, kGuard); s.functions[1].compute = Level::at({2, 0, {1, 1}});
        s.functions[0].compute = Level::at({1, 0, {0, 0}}); s.functions[0].store = Level::at({2, 0, {0, 0}}); }, ""},
    {"stands still while another slides", samples::weighted_blur, CHANGE { (void)dag; slide_rows(s, true); },
        "along which it stands still and others slide"},
    {"is made again while another slides", samples::weighted_blur, CHANGE { (void)dag; slide_rows(s, false); }, ""},
    {"stands still while none slides", samples::weighted_blur, CHANGE { (void)dag; slide_rows(s, true);
        s.functions[2].store = {}; }, ""},
};

// clang-format on

// Every coordinate of what reads an input passes through a clamp.
void clamp_inputs(PipelineDag& dag) {
    for (Function& f : dag.functions) {
        for (Stage& stage : f.stages) {
            for (Load& load : stage.loads) {
                for (Coordinate& coordinate : load.coords) {
                    coordinate.clamped = load.source == Source::Input;
                }
            }
        }
    }
}

class Legality : public testing::TestWithParam<Case> {};

TEST_P(Legality, Complains) {
    const Case& c = GetParam();
    PipelineDag dag = c.dag();
    if (c.clamped) {
        clamp_inputs(dag);
    }
    Schedule schedule = empty_schedule(dag);
    c.change(dag, schedule);
    const std::string found = text(check_legality(dag, schedule, c.caps));
    if (*c.complaint == '\0') {
        EXPECT_EQ(found, "");
    } else {
        EXPECT_NE(found.find(c.complaint), std::string::npos) << "found: " << found;
    }
}

INSTANTIATE_TEST_SUITE_P(Legal, Legality, testing::ValuesIn(kLegal));
INSTANTIATE_TEST_SUITE_P(Shape, Legality, testing::ValuesIn(kShape));
INSTANTIATE_TEST_SUITE_P(Derivations, Legality, testing::ValuesIn(kDerivations));
INSTANTIATE_TEST_SUITE_P(LeftAlone, Legality, testing::ValuesIn(kLeftAlone));
INSTANTIATE_TEST_SUITE_P(Nests, Legality, testing::ValuesIn(kNests));
INSTANTIATE_TEST_SUITE_P(Levels, Legality, testing::ValuesIn(kLevels));
INSTANTIATE_TEST_SUITE_P(Joined, Legality, testing::ValuesIn(kJoined));
INSTANTIATE_TEST_SUITE_P(Reading, Legality, testing::ValuesIn(kReading));
INSTANTIATE_TEST_SUITE_P(Caps, Legality, testing::ValuesIn(kCaps));

// Whatever a schedule says, the check ends and does not crash.
TEST(Legality, SurvivesRandomSchedules) {
    for (const PipelineDag& dag : samples::all()) {
        for (std::uint64_t seed = 0; seed < 200; seed++) {
            (void)check_legality(dag, random_schedule(dag, seed));
        }
    }
}

// A block of a row of 16-bit numbers, of which the last one is not whole.
TEST(CodeSize, CountsElementsUnderMasksThatTheMachineDoesNotHave) {
    PipelineDag dag = samples::blur();
    dag.functions[1].types = {{TypeKind::UInt, 16}};
    const auto size = [&](int masked_bytes, Tail tail) {
        Schedule schedule = empty_schedule(dag);
        for (const int f : {1, 2}) {
            schedule.functions[f].compute = Level::root();
        }
        LoopNest& rows = nest(schedule, 1);
        rows.unrolled = {split(rows, 0, 112, tail)};
        rows.vector = split(rows, 0, 16, Tail::RoundUp);
        Caps caps;
        caps.masked_bytes = masked_bytes;
        return code_size(dag, schedule, caps);
    };
    constexpr std::int64_t kElements = 112;  // that are stored under masks, of four bytes at least
    EXPECT_GT(size(4, kGuard), size(1, kGuard) + 3 * kElements);
    EXPECT_EQ(size(2, kGuard), size(1, kGuard));
    EXPECT_EQ(size(4, Tail::RoundUp), size(1, Tail::RoundUp));
}

// Sums over a(k, y) * b(4x, k) in blocks of eight vectors along x, each of which is shuffled out of
// others, or of eight rows, which share one.
TEST(CodeSize, CountsShufflesOnceForCopiesThatShareThem) {
    PipelineDag dag = samples::matmul();
    Coordinate& along = dag.functions[2].stages[1].loads[1].coords[0];
    const auto size = [&](int dim) {
        Schedule schedule = empty_schedule(dag);
        for (const int f : {2, 3}) {
            schedule.functions[f].compute = Level::root();
        }
        LoopNest& sums = nest(schedule, 2, 1);
        if (dim == 0) {
            split(sums, 0, 64, kGuard);
        }
        sums.unrolled = {dim == 0 ? LoopRef{0, 1} : split(sums, dim, 8, kGuard)};
        sums.vector = split(sums, 0, 8, kGuard);
        return code_size(dag, schedule);
    };
    along.rates[0] = 4;
    EXPECT_GT(size(0), 5 * size(1));

    // Of what the data tell, there are no rates.
    along = Coordinate{};
    EXPECT_GT(size(0), 0);
}

// Rows of blur_x, which are turned: its columns are next to each other in memory, so that elements
// along a row are a column apart, 18 points or 34. Vectors of eight are made of these one by one,
// which keeps LLVM busy for minutes if a block has many and they are not on the stack; vectors of
// 64 are taken out of whole vectors. (local_laplacian, Emerald Rapids: eight channels, the dense
// dimension of what is slid down a pyramid's level, in vectors of eight along a row by four rows.)
TEST(CodeSize, CountsElementsThatAreLoadedAcrossRowsOneByOne) {
    const PipelineDag dag = samples::blur();
    const auto size = [&](int lanes, std::int64_t rows, bool turned, int loop) {
        Schedule schedule = empty_schedule(dag);
        schedule.functions[2].compute = Level::root();
        LoopNest& out = nest(schedule, 2);
        const LoopRef vector = split(out, 0, lanes, Tail::ShiftInwards);
        const LoopRef block = split(out, 1, rows, Tail::ShiftInwards);
        out.vector = vector;
        out.unrolled = {block};
        out.order = {vector, block, {0, 0}, {1, 0}};
        schedule.functions[1].compute = Level::at({2, 0, {loop, 0}});
        if (turned) {
            schedule.functions[1].storage_order = {1, 0};
        }
        EXPECT_EQ(text(check_legality(dag, schedule)), "");
        return code_size(dag, schedule);
    };
    constexpr std::int64_t kMinute = 240'000;  // nodes
    EXPECT_LT(size(8, 16, false, 1), kMinute / 50);
    EXPECT_GT(size(8, 16, true, 1), size(8, 16, false, 1) + kMinute / 20);
    EXPECT_GT(size(8, 32, true, 1), size(8, 32, false, 1) + kMinute);
    EXPECT_LT(size(64, 16, true, 1), kMinute / 50);
    EXPECT_LT(size(8, 32, true, 0), kMinute / 20);  // on the stack
}

}  // namespace
}  // namespace nestor
