// Schedules as C++ and Python. Whole programs are compiled and run where Halide is at hand; here,
// how they read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_dags.h"
#include "schedule/code/identifiers.h"
#include "schedule/legality.h"
#include "schedule/print.h"

namespace nestor {
namespace {

using Kind = Derivation::Kind;
using samples::nest;
using samples::split;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// What follows the check of the pipeline.
std::string after_check(const std::string& code, const std::string& last_of_check) {
    return code.substr(code.find(last_of_check) + last_of_check.size());
}

std::string cpp_of(const PipelineDag& dag, const Schedule& s) {
    EXPECT_EQ(text(check_legality(dag, s)), "");
    return after_check(print_cpp(dag, s), "        funcs.push_back(f);\n    }\n");
}

std::string python_of(const PipelineDag& dag, const Schedule& s) {
    EXPECT_EQ(text(check_legality(dag, s)), "");
    return after_check(print_python(dag, s), "and finds {found}.\")\n");
}

Schedule tiled_blur(const PipelineDag& dag) {
    Schedule s = empty_schedule(dag);
    LoopNest& out = nest(s, 2);
    out.vector = split(out, 0, 16, Tail::ShiftInwards);
    split(out, 1, 32, Tail::GuardWithIf);
    out.order = {{0, 1}, {0, 0}, {1, 1}, {1, 0}};
    out.parallel = {{1, 0}};
    s.functions[1].compute = Level::at({2, 0, {1, 1}});
    s.functions[1].store = Level::at({2, 0, {1, 0}});
    nest(s, 1).vector = split(nest(s, 1), 0, 16);
    return s;
}

TEST(Cpp, IsWhatAnExpertWrites) {
    const PipelineDag dag = samples::blur();
    EXPECT_EQ(cpp_of(dag, tiled_blur(dag)), R"(
    Func blur_x = funcs[0];
    Func blur_y = funcs[1];
    Var x = blur_x.args()[0], y = blur_y.args()[1];
    Var xi("xi"), yi("yi");

    blur_x
        .split(x, x, xi, 16)
        .vectorize(xi)
        .compute_at(blur_y, yi)
        .store_at(blur_y, y);
    blur_y
        .split(x, x, xi, 16, TailStrategy::ShiftInwards)
        .split(y, y, yi, 32, TailStrategy::GuardWithIf)
        .reorder(xi, x, yi, y)
        .vectorize(xi)
        .parallel(y);
)");
}

TEST(Python, IsTheSameProgram) {
    const PipelineDag dag = samples::blur();
    EXPECT_EQ(python_of(dag, tiled_blur(dag)), R"(
    blur_x = funcs[0]
    blur_y = funcs[1]
    x = blur_x.args()[0]
    xi = hl.Var("xi")
    yi = hl.Var("yi")
    y = blur_y.args()[1]

    (
        blur_x
        .split(x, x, xi, 16)
        .vectorize(xi)
        .compute_at(blur_y, yi)
        .store_at(blur_y, y)
    )
    (
        blur_y
        .split(x, x, xi, 16, hl.TailStrategy.ShiftInwards)
        .split(y, y, yi, 32, hl.TailStrategy.GuardWithIf)
        .reorder(xi, x, yi, y)
        .vectorize(xi)
        .parallel(y)
    )
)");
}

TEST(Code, SaysWhoseItIsAndChecksThePipelineFirst) {
    const PipelineDag dag = samples::zoo();
    const Schedule s = tiled_blur(samples::blur());
    const std::string cpp = print_cpp(samples::blur(), s);
    EXPECT_THAT(cpp, StartsWith("    // Schedule of \"blur_y\" by Nestor "));
    EXPECT_THAT(cpp, HasSubstr("for the algorithm 0000000000001111.\n"));
    EXPECT_THAT(cpp, HasSubstr("i < 3;"));
    EXPECT_THAT(cpp, HasSubstr("        {\"blur_x\", 2, 0},\n        {\"blur_y\", 2, 0},\n        "
                               "{\"input_im\", 2, 0},\n"));
    const std::string python = print_python(samples::blur(), s);
    EXPECT_THAT(python, StartsWith("# Schedule of \"blur_y\" by Nestor "));
    EXPECT_THAT(python, HasSubstr("def apply_schedule_blur_y(pipeline, target, inputs={}):\n"));
    EXPECT_THAT(python, HasSubstr("range(3)"));
    // Two functions of one stem, in order of creation, with their updates.
    EXPECT_THAT(print_cpp(dag, empty_schedule(dag)),
                HasSubstr("{\"sum\", 2, 0},\n        {\"sum\", 2, 1},\n"));
}

TEST(Code, DerivedFunctionsAreResults) {
    const PipelineDag dag = samples::histogram();
    Schedule s = empty_schedule(dag);
    const int intm =
        samples::derive(dag, s, {Kind::Rfactor, 1, {}, 1, {{}, {{64, Tail::Auto}}}, {{1, 0}}});
    const int wrapper = samples::derive(dag, s, {Kind::Wrapper, 1, {2}, 1, {}, {}});
    s.functions[1].compute = s.functions[intm].compute = s.functions[wrapper].compute =
        Level::root();
    nest(s, intm, 1).parallel = {{0, 0}};
    nest(s, 1, 1).vector = split(nest(s, 1, 1), 0, 8, Tail::GuardWithIf);
    EXPECT_EQ(cpp_of(dag, s), R"(
    Func hist = funcs[0];
    Func out = funcs[2];
    Var i = hist.args()[0];
    Var u("u"), ii("ii");
    RVar r_y = hist.rvars(0)[1];
    RVar r_yi("r_yi");

    Func hist_rfactor_1 = hist.update()
        .split(r_y, r_y, r_yi, 64)
        .rfactor(r_y, u);
    Func hist_in_out = hist.in(out);
    hist.update()
        .split(i, i, ii, 8, TailStrategy::GuardWithIf)
        .vectorize(ii);
    hist.compute_root();
    RVar r_x = hist_rfactor_1.rvars(0)[0];
    hist_rfactor_1.update()
        .reorder(r_x, r_yi, u)
        .parallel(u);
    hist_rfactor_1.compute_root();
    hist_in_out.compute_root();
)");
    EXPECT_THAT(python_of(dag, s), HasSubstr(R"(
    hist_rfactor_1 = (
        hist.update()
        .split(r_y, r_y, r_yi, 64)
        .rfactor(r_y, u)
    )
    hist_in_out = hist.in_(out)
)"));
}

TEST(Code, MemoryOfConstantSize) {
    const PipelineDag dag = samples::matmul();
    Schedule s = empty_schedule(dag);
    split(nest(s, 3), 0, 32, Tail::GuardWithIf);
    nest(s, 3).order = {{0, 1}, {0, 0}, {1, 0}};
    s.functions[2].compute = Level::at({3, 0, {0, 0}});
    s.functions[2].storage_bounds = {{1, 1}, {0, 32}};
    const std::string calls = ".bound_storage(x, 32)";
    EXPECT_THAT(cpp_of(dag, s), HasSubstr(calls));
    EXPECT_THAT(python_of(dag, s), HasSubstr(calls));
    const Result<Schedule> parsed = parse_json(dag, print_json(dag, s));
    ASSERT_TRUE(parsed.ok()) << parsed.error();
    EXPECT_EQ(parsed.value(), normalized(s));
}

TEST(Code, SpecialisationsAndLevelsAndStorage) {
    const PipelineDag dag = samples::zoo();
    Schedule s = empty_schedule(dag);
    s.functions[1].compute = s.functions[2].compute = Level::root();
    s.functions[2].memory = Memory::Heap;
    s.functions[2].storage_order = {1, 0};
    s.functions[2].alignment = {{0, 16}};
    s.functions[2].region_alignment = {{1, 2}};
    nest(s, 2, 1).partition = {{{1, 0}, PartitionPolicy::Never}};
    nest(s, 5).prefetch = {{2, {1, 0}, {1, 0}, 2, PrefetchBounds::Clamp}};
    s.functions[5].stages[0].specializations = {{{{0, 64}, {1, 8}}, {}}};
    nest(s, 5).parallel = {{1, 0}};
    s.functions[5].stages[0].specializations[0].nest.parallel = {{0, 0}};
    const std::string cpp = cpp_of(dag, s);
    // A tuple has several buffers.
    EXPECT_THAT(
        cpp,
        HasSubstr("::Halide::Stage out_case = out.specialize("
                  "out.output_buffers()[0].dim(0).extent() >= 64 && "
                  "out.output_buffers()[0].dim(1).extent() >= 8);\n    out_case.parallel(x);\n"));
    EXPECT_THAT(cpp,
                HasSubstr(".prefetch(sum_1, y, y, 2, ::Halide::PrefetchBoundStrategy::Clamp)"));
    EXPECT_THAT(cpp, HasSubstr("sum_1.update().partition(r, ::Halide::Partition::Never);\n"));
    EXPECT_THAT(cpp,
                HasSubstr("        .store_in(MemoryType::Heap)\n        .reorder_storage(y, x)\n"
                          "        .align_storage(x, 16)\n        .align_bounds(y, 2);\n"));
    EXPECT_THAT(cpp, HasSubstr("RVar r = sum_1.rvars(0)[0];\n"));
    EXPECT_THAT(cpp, Not(HasSubstr("user")));  // pinned, and not needed
    const std::string python = python_of(dag, s);
    EXPECT_THAT(
        python,
        HasSubstr("out_case = out.specialize((out.output_buffers()[0].dim(0).extent() >= 64) & "
                  "(out.output_buffers()[0].dim(1).extent() >= 8))\n"));
    EXPECT_THAT(python, HasSubstr("sum_1.update().partition(r, hl.Partition.Never)\n"));
}

TEST(Code, SpecialisationsOnAnotherFunctionsSize) {
    const PipelineDag dag = samples::blur();
    Schedule s = empty_schedule(dag);
    s.functions[1].compute = Level::root();
    s.functions[1].stages[0].specializations = {{{{1, 64, 2}}, {}}};
    nest(s, 1).parallel = {{1, 0}};
    const std::string condition = "blur_x.specialize(blur_y.output_buffer().dim(1).extent() >= 64)";
    EXPECT_THAT(cpp_of(dag, s), HasSubstr(condition));
    EXPECT_THAT(python_of(dag, s), HasSubstr(condition));
    EXPECT_THAT(print_loop_nest(dag, s), HasSubstr("if the extent of blur_y's y is at least 64:"));
}

TEST(Code, SpecialisationsOnMultiples) {
    const PipelineDag dag = samples::blur();
    Schedule s = empty_schedule(dag);
    s.functions[2].stages[0].specializations = {{{{0, 64, -1, {}, 4}}, {}}};
    nest(s, 2).parallel = {{1, 0}};
    EXPECT_THAT(cpp_of(dag, s), HasSubstr("blur_y.output_buffer().dim(0).extent() >= 64 && "
                                          "blur_y.output_buffer().dim(0).min() % 4 == 0 && "
                                          "blur_y.output_buffer().dim(0).extent() % 4 == 0)"));
    EXPECT_THAT(python_of(dag, s), HasSubstr("(blur_y.output_buffer().dim(0).min() % 4 == 0) & "));
    EXPECT_THAT(print_loop_nest(dag, s),
                HasSubstr("if the extent of x is at least 64 in multiples of 4:"));
    s.functions[2].stages[0].specializations[0].when[0].multiple = 0;
    EXPECT_FALSE(check_legality(dag, s).empty());
}

TEST(Code, SpecialisationsOnExactSizes) {
    const PipelineDag dag = samples::blur();
    Schedule s = empty_schedule(dag);
    s.functions[1].compute = Level::root();
    s.functions[1].stages[0].specializations = {{{{1, 3, 2, 0}}, {}}};
    nest(s, 1).parallel = {{1, 0}};
    const std::string dim = "blur_y.output_buffer().dim(1)";
    EXPECT_THAT(cpp_of(dag, s), HasSubstr("blur_x.specialize(" + dim + ".min() == 0 && " + dim +
                                          ".extent() == 3)"));
    EXPECT_THAT(python_of(dag, s), HasSubstr("blur_x.specialize((" + dim + ".min() == 0) & (" +
                                             dim + ".extent() == 3))"));
    EXPECT_THAT(print_loop_nest(dag, s), HasSubstr("if blur_y's y is in 0..2:"));
    const Result<Schedule> again = parse_json(dag, print_json(dag, s));
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(again.value(), s);
}

TEST(Code, SpecialisationsOnStrides) {
    const PipelineDag dag = samples::blur();
    const std::string in = dag.inputs[0].name;
    Schedule s = empty_schedule(dag);
    s.functions[2].stages[0].specializations = {
        {{}, {}, {}, {{Source::Input, 0, 1, 3}, {Source::Function, 2, 0, 1}}}};
    nest(s, 2).parallel = {{1, 0}};
    EXPECT_THAT(cpp_of(dag, s),
                HasSubstr("specialize(::Halide::Internal::Variable::make(::Halide::Int(32), \"" +
                          in + ".stride.1\", inputs.at(\"" + in +
                          "\")) == 3 && blur_y.output_buffer().dim(0).stride() == 1)"));
    EXPECT_THAT(cpp_of(dag, s), HasSubstr("serialize_pipeline(pipeline, serialized, inputs)"));
    EXPECT_THAT(python_of(dag, s),
                HasSubstr("specialize((inputs[\"" + in + "\"].dim(1).stride() == 3) & " +
                          "(blur_y.output_buffer().dim(0).stride() == 1))"));
    EXPECT_THAT(python_of(dag, s), HasSubstr("if \"" + in + "\" not in inputs:"));
    EXPECT_THAT(print_loop_nest(dag, s),
                HasSubstr("if stride(1) of " + in + " is 3 and stride(0) of blur_y is 1:"));
    const Result<Schedule> again = parse_json(dag, print_json(dag, s));
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(again.value(), s);
    std::string other = print_json(dag, s);
    other.replace(other.find("\"input\": \"" + in), in.size() + 10, "\"input\": \"other");
    EXPECT_FALSE(parse_json(dag, other));
}

TEST(Code, CasesOfSelectors) {
    PipelineDag dag = samples::blur();
    dag.scalars.push_back({"fast", {TypeKind::UInt, 1}, ""});
    dag.functions[1].stages[0].selector = Selector{0, -1, {5, 6}, {TypeKind::UInt, 8}, {0, 3}, {}};
    dag.functions[2].stages[0].selector = Selector{-1, 0, {}, {TypeKind::UInt, 1}, {1}, {}};
    Schedule s = empty_schedule(dag);
    s.functions[1].compute = Level::root();
    s.functions[1].stages[0].specializations = {{{}, {}, 3}};
    s.functions[2].stages[0].specializations = {{{{0, 64}}, {}, 1}};
    const std::string input = samples::blur().functions[0].id.stem;
    EXPECT_THAT(cpp_of(dag, s), HasSubstr("specialize(::Halide::Expr(" + input + "(5, 6)) == 3)"));
    // Halide refuses two parameters of one name: the pipeline's own is asked for.
    EXPECT_THAT(cpp_of(dag, s), HasSubstr("serialize_pipeline(pipeline, serialized, inputs)"));
    EXPECT_THAT(cpp_of(dag, s),
                HasSubstr(".extent() >= 64 && ::Halide::Expr(::Halide::Internal::Variable::make("
                          "inputs.at(\"fast\").type(), \"fast\", inputs.at(\"fast\"))))"));
    EXPECT_THAT(python_of(dag, s), HasSubstr("specialize(hl.Expr(" + input + "[5, 6]) == 3)"));
    EXPECT_THAT(python_of(dag, s), HasSubstr("if \"fast\" not in inputs:"));
    EXPECT_THAT(python_of(dag, s), HasSubstr(".extent() >= 64) & (hl.Expr(inputs[\"fast\"])))"));
    const Result<Schedule> again = parse_json(dag, print_json(dag, s));
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(again.value(), s);
}

TEST(Code, UnnamedVariablesAreNotShared) {
    PipelineDag dag = samples::blur();
    for (Function& f : dag.functions) {
        for (Loop& loop : f.stages[0].loops) {
            loop.variable.clear();
        }
    }
    Schedule s = empty_schedule(dag);
    s.functions[1].compute = Level::root();
    nest(s, 1).parallel = {{1, 0}};
    nest(s, 2).parallel = {{1, 0}};
    EXPECT_THAT(cpp_of(dag, s), HasSubstr("Var y = blur_x.args()[1], y_2 = blur_y.args()[1];\n"));
}

TEST(Identifiers, AreValidAndUnique) {
    Identifiers identifiers({"pipeline"});
    EXPECT_EQ(identifiers.make("blur"), "blur");
    EXPECT_EQ(identifiers.make("blur"), "blur_2");
    EXPECT_EQ(identifiers.make("pipeline"), "pipeline_2");
    EXPECT_EQ(identifiers.make("class"), "class_2");
    EXPECT_EQ(identifiers.make("lambda"), "lambda_2");
    EXPECT_EQ(identifiers.make("sum#1.in(a, b)"), "sum_1_in_a_b");
    EXPECT_EQ(identifiers.make("_0"), "f0");
    EXPECT_EQ(identifiers.make("3$"), "f3");
    EXPECT_EQ(identifiers.make("\xc3\xa9"), "f");
}

TEST(StringLiteral, IsALiteral) {
    EXPECT_EQ(string_literal("a\"b\\c"), R"("a\"b\\c")");
    EXPECT_EQ(string_literal(std::string("\n1\0", 3)), R"("\0121\000")");
}

}  // namespace
}  // namespace nestor
