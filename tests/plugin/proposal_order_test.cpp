#include "plugin/proposal_order.h"

#include <gtest/gtest.h>

#include "halide/read_pipeline.h"
#include "schedule/schedule.h"

namespace nestor {
namespace {

PipelineDag picture() {
    const Halide::Var x("x"), y("y");
    Halide::ImageParam input(Halide::Float(32), 2, "input");
    Halide::Func out("out");
    out(x, y) = Halide::sqrt(input(x, y)) * 2;
    out.set_estimates({{0, 1024}, {0, 768}});
    input.set_estimates({{0, 1024}, {0, 768}});
    return read_pipeline(out, Halide::Target("x86-64-linux-avx2-fma")).value();
}

// Copies of the code of so many rows.
Proposal in_blocks(const PipelineDag& dag, std::int64_t rows, bool is_seed = false) {
    Proposal proposal{std::to_string(rows), empty_schedule(dag), 0, is_seed};
    LoopNest& nest = proposal.schedule.functions.back().stages[0].nest;
    nest.splits.resize(2);
    nest.splits[1] = {{rows, Tail::GuardWithIf}};
    nest.unrolled = {{1, 1}};
    return proposal;
}

TEST(ProposalOrder, WhatHasLessCodeThanWhatTookTooLongIsNextThenTheOthersThenSeeds) {
    const PipelineDag dag = picture();
    std::vector<Proposal> proposals = {
        in_blocks(dag, 2), in_blocks(dag, 4),       in_blocks(dag, 8), in_blocks(dag, 3),
        in_blocks(dag, 4), in_blocks(dag, 1, true), in_blocks(dag, 2),
    };
    put_off_larger(dag, 1, proposals);
    std::vector<std::string> names;
    for (const Proposal& each : proposals) {
        names.push_back(each.name);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"2", "4", "3", "8", "4", "1", "2"}));
}

}  // namespace
}  // namespace nestor
