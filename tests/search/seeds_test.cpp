#include "search/seeds.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "machine/profiles.h"
#include "schedule/sample_dags.h"
#include "search/try_plans.h"

namespace nestor {
namespace {

const Seed* find(const std::vector<Seed>& seeds, const std::string& name) {
    const auto found = std::find_if(seeds.begin(), seeds.end(),
                                    [&](const Seed& seed) { return seed.name == name; });
    return found == seeds.end() ? nullptr : &*found;
}

TEST(Seeds, AreLegalDistinctAndReproducible) {
    const Machine& machine = avx2(16);
    for (const PipelineDag& dag : samples::all()) {
        const std::vector<Seed> seeds = make_seeds(dag, machine);
        EXPECT_FALSE(seeds.empty()) << dag.name;
        for (std::size_t i = 0; i < seeds.size(); i++) {
            EXPECT_TRUE(check_legality(dag, seeds[i].schedule).empty()) << seeds[i].name;
            for (std::size_t j = 0; j < i; j++) {
                EXPECT_FALSE(seeds[i].schedule == seeds[j].schedule)
                    << seeds[i].name << " and " << seeds[j].name;
            }
        }
        const std::vector<Seed> again = make_seeds(dag, machine);
        EXPECT_TRUE(std::equal(seeds.begin(), seeds.end(), again.begin(), again.end(),
                               [](const Seed& a, const Seed& b) {
                                   return a.name == b.name && a.schedule == b.schedule;
                               }));
    }
}

TEST(Seeds, KeepWithinTheMemoryLimit) {
    const PipelineDag dag = samples::matmul();
    Caps caps;
    caps.peak_bytes = 512 * 384 * 4 / 2;  // half of what the product takes at root
    for (const Seed& seed : make_seeds(dag, avx2(16), caps)) {
        EXPECT_LE(peak_bytes(dag, seed.schedule, caps.threads), caps.peak_bytes) << seed.name;
    }
    EXPECT_LT(make_seeds(dag, avx2(16), caps).size(), make_seeds(dag, avx2(16)).size());
}

TEST(Seeds, UseTheWidthOfTheTargetsVectors) {
    const Machine& narrow = shipped_profile(InstructionSet::X86Sse41);
    const Machine& wide = shipped_profile(InstructionSet::X86Avx512);
    const PipelineDag dag = samples::blur();  // of 4-byte floats
    for (const auto& [machine, lanes] : {std::pair{narrow, 4}, std::pair{wide, 16}}) {
        const std::vector<Seed> seeds = make_seeds(dag, machine);
        const Seed* root = find(seeds, "root");
        ASSERT_NE(root, nullptr);
        const LoopNest& nest = root->schedule.functions[2].stages[0].nest;
        ASSERT_TRUE(nest.vector);
        EXPECT_EQ(nest.splits[nest.vector->dim].back().factor, lanes);
    }
}

TEST(Seeds, StripsSlideAndTilesFuse) {
    PipelineDag dag = samples::blur();
    dag.functions[1].stages[0].ops.add(Arithmetic::Exponential, ElementType::Float32, kAllLoops,
                                       20);  // too much to be inlined
    Machine machine = avx2(16);
    machine.l2.bytes.value = 1 << 20;  // keeps a strip
    const std::vector<Seed> seeds = make_seeds(dag, machine);
    const Seed* strips = find(seeds, "strips");
    const Seed* tiles = find(seeds, "small tiles");
    ASSERT_NE(strips, nullptr);
    ASSERT_NE(tiles, nullptr);
    EXPECT_EQ(strips->schedule.functions[1].compute.kind, Level::Kind::At);
    EXPECT_EQ(strips->schedule.functions[1].store.kind, Level::Kind::At);
    EXPECT_FALSE(strips->schedule.functions[1].store == strips->schedule.functions[1].compute);
    EXPECT_EQ(tiles->schedule.functions[1].compute.kind, Level::Kind::At);
    EXPECT_EQ(tiles->schedule.functions[1].store.kind, Level::Kind::Default);
}

}  // namespace
}  // namespace nestor
