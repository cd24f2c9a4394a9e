// The loop nest for people.

#include <gtest/gtest.h>

#include "random_schedules.h"
#include "sample_dags.h"
#include "schedule/print.h"

namespace nestor {
namespace {

TEST(LoopNest, OfTiledBlur) {
    const PipelineDag dag = samples::blur();
    Schedule s = empty_schedule(dag);
    LoopNest& out = samples::nest(s, 2);
    out.vector = samples::split(out, 0, 16, Tail::GuardWithIf);
    samples::split(out, 1, 8, Tail::GuardWithIf);
    out.order = {{0, 1}, {0, 0}, {1, 1}, {1, 0}};
    out.parallel = {{1, 0}};
    s.functions[1].compute = Level::at({2, 0, {1, 1}});
    s.functions[1].store = Level::at({2, 0, {1, 0}});
    EXPECT_EQ(print_loop_nest(dag, s), R"(inlined: input_im
produce blur_y:
  parallel y in 0..134:
    store blur_x (1920 x 10, 75 KiB)
    for yi in 0..7:
      produce blur_x:
        for y in 0..2:
          for x in 0..1919:
            blur_x(...) = ...
      for x in 0..119:
        vectorized xi in 0..15:
          blur_y(...) = ...
)");
}

TEST(LoopNest, OfPinnedAndExternFunctions) {
    const PipelineDag dag = samples::zoo();
    Schedule s = empty_schedule(dag);
    for (const int f : {1, 2, dag.find({"foreign", 0})}) {
        s.functions[f].compute = Level::root();
    }
    const std::string text = print_loop_nest(dag, s);
    EXPECT_NE(text.find("produce user: left as it is, compute_root in the program\n"),
              std::string::npos);
    EXPECT_NE(text.find("produce foreign (100 x 100, 39 KiB): extern stage\n"), std::string::npos);
}

TEST(LoopNest, OfEveryLegalSchedule) {
    for (const PipelineDag& dag : samples::all()) {
        for (std::uint64_t seed = 0; seed < 40; seed++) {
            EXPECT_NE(print_loop_nest(dag, random_legal_schedule(dag, seed)), "");
        }
    }
}

}  // namespace
}  // namespace nestor
