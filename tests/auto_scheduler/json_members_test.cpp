#include "nestor/detail/json_members.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace {

using nestor::auto_scheduler::detail::JsonMembers;

TEST(JsonMembers, ReadsValuesOfEveryKind) {
    const JsonMembers members(
        R"( {"text": "a, b}", "number" : -1.5e-3,"list":[1,{"a":"]"},[2]], "flag":true,
             "object": {"inner": {"text": "}"}, "x": []}, "last": 7} )");
    EXPECT_EQ(members.text("text"), "a, b}");
    EXPECT_DOUBLE_EQ(members.number("number"), -1.5e-3);
    EXPECT_EQ(members.text("list"), R"([1,{"a":"]"},[2]])");
    EXPECT_EQ(members.text("flag"), "true");
    EXPECT_EQ(members.number("last"), 7);
    const JsonMembers object(members.text("object"));
    EXPECT_EQ(JsonMembers(object.text("inner")).text("text"), "}");
}

TEST(JsonMembers, UndoesEscapes) {
    const JsonMembers members(R"({"\"name\"": "a\\b\n\u0041\t\/\u001f"})");
    EXPECT_TRUE(members.has("\"name\""));
    EXPECT_EQ(members.text("\"name\""), "a\\b\nA\t/\x1f");
}

TEST(JsonMembers, HasNothingThatIsNotThere) {
    const JsonMembers members("{}");
    EXPECT_FALSE(members.has("a"));
    EXPECT_EQ(members.text("a"), "");
    EXPECT_EQ(members.number("a"), 0);
}

TEST(JsonMembers, RefusesWhatIsCutShort) {
    for (const char* text : {"", "[1]", "{", R"({"a)", R"({"a":)", R"({"a":1)", R"({"a":"b\)",
                             R"({"a":"\u00)", R"({"a" 1})", R"({"a":[1)"}) {
        EXPECT_THROW(JsonMembers{text}, std::runtime_error) << text;
    }
}

}  // namespace
