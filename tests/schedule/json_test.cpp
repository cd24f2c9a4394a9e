// JSON: the round trip, and what is refused and how.

#include <gtest/gtest.h>

#include <random>

#include "base/hash.h"
#include "random_schedules.h"
#include "sample_dags.h"
#include "schedule/print.h"

namespace nestor {
namespace {

TEST(Json, RoundTripIsTheIdentity) {
    for (const PipelineDag& dag : samples::all()) {
        for (std::uint64_t seed = 0; seed < 100; seed++) {
            const Schedule schedule = normalized(random_schedule(dag, seed));
            const std::string text = print_json(dag, schedule);
            const Result<Schedule> parsed = parse_json(dag, text);
            ASSERT_TRUE(parsed.ok()) << dag.name << " " << seed << ": " << parsed.error() << "\n"
                                     << text;
            ASSERT_TRUE(parsed.value() == schedule) << dag.name << " " << seed << "\n" << text;
            ASSERT_EQ(print_json(dag, parsed.value()), text);
        }
    }
}

TEST(Json, IsReadable) {
    const PipelineDag dag = samples::blur();
    Schedule s = empty_schedule(dag);
    LoopNest& out = samples::nest(s, 2);
    samples::split(out, 1, 32, Tail::GuardWithIf);
    out.order = {{0, 0}, {1, 1}, {1, 0}};
    out.parallel = {{1, 0}};
    s.functions[1].compute = Level::at({2, 0, {1, 1}});
    s.functions[1].store = Level::at({2, 0, {1, 0}});
    samples::nest(s, 1).vector = samples::split(samples::nest(s, 1), 0, 16);
    EXPECT_EQ(print_json(dag, s), R"({
  "format": "nestor-schedule",
  "version": 1,
  "pipeline": "blur_y",
  "algorithm": "0000000000001111",
  "functions": {
    "blur_x": {
      "compute": {"at": "blur_y", "loop": "yi"},
      "store": {"at": "blur_y", "loop": "y"},
      "stages": {"0": {"split": {"x": [16]}, "vector": "xi"}}
    },
    "blur_y": {
      "stages": {
        "0": {
          "split": {"y": [{"factor": 32, "tail": "GuardWithIf"}]},
          "order": ["x", "yi", "y"],
          "parallel": ["y"]
        }
      }
    }
  }
}
)");
}

// A text for blur with these functions.
std::string blur_json(const std::string& functions) {
    return R"({"format": "nestor-schedule", "version": 1, "pipeline": "blur_y", )"
           R"("algorithm": "0000000000001111", "functions": {)" +
           functions + "}}";
}

std::string error_of(const std::string& text) {
    const Result<Schedule> parsed = parse_json(samples::blur(), text);
    return parsed.ok() ? "" : parsed.error();
}

TEST(Json, AcceptsOtherLayouts) {
    EXPECT_EQ(error_of(blur_json(R"("blur_x": {"compute": "root"})")), "");
}

struct Refusal {
    const char* functions;
    const char* complaint;
};

const Refusal kRefusals[] = {
    {R"J("foo": {"compute": "root"})J", R"J("foo": is no function of this pipeline)J"},
    {R"J("blur_x": 3)J", R"J("blur_x": is a number, and should be an object)J"},
    {R"J("blur_x": {"computed": "root"})J", R"J(has an unknown key "computed")J"},
    {R"J("blur_x": {"compute": "rot"})J", R"J("blur_x", "compute": should be "root")J"},
    {R"J("blur_x": {"compute": {"at": "blur_z", "loop": "x"}})J",
     R"J(names "blur_z", which is no function)J"},
    {R"J("blur_x": {"compute": {"at": "blur_y", "loop": "z"}})J",
     R"J(names loop "z", and there are only x, y)J"},
    {R"J("blur_x": {"compute": {"at": "blur_y", "stage": 1, "loop": "x"}})J",
     R"J(names stage 1 of "blur_y", which has 1)J"},
    {R"J("blur_x": {"compute": {"at": "blur_y", "stage": -1, "loop": "x"}})J",
     R"J(names stage -1)J"},
    {R"J("blur_x": {"compute": {"at": "blur_y"}})J", R"J(has no "loop")J"},
    {R"J("blur_x": {"memory": "stack"})J",
     R"J("memory": is "stack", and should be one of Auto, Heap)J"},
    {R"J("blur_x": {"storage_order": ["z"]})J", R"J(names dimension "z")J"},
    {R"J("blur_x": {"storage_order": "x"})J", R"J(is a string, and should be an array)J"},
    {R"J("blur_x": {"stages": {"1": {}}})J", R"J(has no stage "1")J"},
    {R"J("blur_x": {"stages": {"0": {"split": {"z": [8]}}}})J", R"J(names loop "z")J"},
    {R"J("blur_x": {"stages": {"0": {"split": {"x": [8.5]}}}})J",
     R"J(is a number, and should be an integer)J"},
    {R"J("blur_x": {"stages": {"0": {"split": {"x": [18446744073709551615]}}}})J",
     R"J(too large)J"},
    {R"J("blur_x": {"stages": {"0": {"split": {"x": 8}}}})J", R"J(and should be an array)J"},
    {R"J("blur_x": {"stages": {"0": {"split": {"x": [{"factor": 8, "tail": "Up"}]}}}})J",
     R"J(should be one of Auto, RoundUp)J"},
    {R"J("blur_x": {"stages": {"0": {"vector": "xi"}}})J", R"J(names loop "xi")J"},
    {R"J("blur_x": {"stages": {"0": {"atomic": 1}}})J", R"J(should be true or false)J"},
    {R"J("blur_x": {}, "blur_x": {})J", R"J(has key "blur_x" twice)J"},
    {R"J("x.in(y)": {"derive": {"kind": "in", "of": "blur_x", "consumers": ["blur_y"]}})J",
     R"J(is derived as "blur_x.in(blur_y)", and should have that name)J"},
    {R"J("blur_x": {"derive": {"kind": "in", "of": "input_im"}})J", R"J(exists already)J"},
    {R"J("blur_y.rfactor(1)": {"derive": {"kind": "rfactor", "of": "blur_y", "stage": 1}})J",
     R"J(names stage 1)J"},
};

TEST(Json, SaysWhatIsWrongAndWhere) {
    for (const Refusal& refusal : kRefusals) {
        const std::string error = error_of(blur_json(refusal.functions));
        EXPECT_NE(error.find(refusal.complaint), std::string::npos)
            << refusal.functions << "\ngave: " << error;
    }
}

TEST(Json, RefusesOtherDocuments) {
    EXPECT_NE(error_of("").find("this is no JSON text"), std::string::npos);
    EXPECT_NE(error_of("{\"format\": ").find("line 1, column"), std::string::npos);
    EXPECT_NE(error_of("[]").find("should be an object"), std::string::npos);
    EXPECT_NE(error_of("{}").find("has no \"format\""), std::string::npos);
    std::string text = blur_json("");
    text.replace(text.find("1111"), 4, "2222");
    EXPECT_NE(error_of(text).find("made for another algorithm"), std::string::npos);
    text = blur_json("");
    text.replace(text.find(": 1,"), 4, ": 2,");
    EXPECT_NE(error_of(text).find("has version 2 of the format"), std::string::npos);
    EXPECT_NE(error_of(std::string(100'000, '[')), "");
    EXPECT_NE(error_of(blur_json("\"\xff\": {}")), "");
}

// No text makes the parser crash, and what it takes it prints again.
TEST(Json, SurvivesDamage) {
    std::mt19937 random(1);
    for (const PipelineDag& dag : samples::all()) {
        for (std::uint64_t seed = 0; seed < 12; seed++) {
            const std::string text = print_json(dag, random_schedule(dag, seed));
            for (std::size_t size = 0; size < text.size() - 2; size += 7) {
                EXPECT_FALSE(parse_json(dag, text.substr(0, size)).ok());
            }
            for (int i = 0; i < 100; i++) {
                std::string damaged = text;
                for (unsigned flips = 1 + random() % 3; flips > 0; flips--) {
                    damaged[random() % damaged.size()] ^= static_cast<char>(1u << (random() % 8));
                }
                const Result<Schedule> parsed = parse_json(dag, damaged);
                if (parsed.ok()) {
                    (void)print_json(dag, parsed.value());
                }
            }
        }
    }
}

}  // namespace
}  // namespace nestor
