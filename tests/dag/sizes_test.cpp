#include "dag/sizes.h"

#include <gtest/gtest.h>

namespace nestor {
namespace {

PipelineDag dag_of(const std::vector<std::vector<Range>>& outputs,
                   const std::vector<Input>& inputs) {
    PipelineDag dag;
    dag.functions.emplace_back();  // no output
    for (const auto& region : outputs) {
        Function f;
        f.region = region;
        dag.outputs.push_back(static_cast<int>(dag.functions.size()));
        dag.functions.push_back(f);
    }
    dag.inputs = inputs;
    return dag;
}

Input input(const std::vector<Range>& region, bool embedded = false) {
    Input input;
    input.region = region;
    input.embedded = embedded;
    return input;
}

TEST(Sizes, OutputsThenInputs) {
    EXPECT_EQ(sizes_text(dag_of({{{0, 1536}, {0, 2560}, {0, 3}}}, {input({{0, 1540}, {0, 2564}})})),
              "1536x2560x3;1540x2564");
    EXPECT_EQ(sizes_text(dag_of({{{0, 8}}, {{0, 9}}}, {})), "8;9");
}

TEST(Sizes, MinimaThatAreNotZero) {
    EXPECT_EQ(sizes_text(dag_of({{{2, 640}, {-1, 480}}}, {})), "2+640x-1+480");
}

TEST(Sizes, NoDimensions) {
    EXPECT_EQ(sizes_text(dag_of({{}}, {input({{0, 5}})})), "scalar;5");
}

TEST(Sizes, NoEstimate) {
    EXPECT_EQ(sizes_text(dag_of({{{0, 4}}}, {input({{0, 0}, {0, 4}})})), "4;?x4");
}

TEST(Sizes, EmbeddedInputsAreTheAlgorithms) {
    EXPECT_EQ(sizes_text(dag_of({{{0, 4}}}, {input({{0, 5}}, true), input({{0, 6}})})), "4;6");
}

}  // namespace
}  // namespace nestor
