#include "machine/machine_file.h"

#include <gtest/gtest.h>

#include <string>

#include "machine/profiles.h"
#include "machine/walk.h"

namespace nestor {
namespace {

std::string file_of(const std::string& rows) {
    return R"({"format": "nestor machine 1", "target": "arm-64-linux", "cpu": "a processor",
               "date": "2026-01-02", "quantities": [)" +
           rows + "]}";
}

Machine parsed(const std::string& rows) {
    Result<Machine> machine = parse_machine(file_of(rows));
    EXPECT_TRUE(machine.ok()) << machine.error();
    return machine.ok() ? std::move(machine).value() : Machine{};
}

std::string error_of(const std::string& text) {
    const Result<Machine> machine = parse_machine(text);
    return machine.ok() ? "" : machine.error();
}

TEST(MachineFile, RowsSetWhatTheyName) {
    const Machine machine = parsed(R"(["clock", 2.5e9, "measured"],
                                      ["l2.bytes", 1048576, "documented", "a manual"])");
    EXPECT_EQ(machine.target, "arm-64-linux");
    EXPECT_EQ(machine.cpu, "a processor");
    EXPECT_EQ(machine.date, "2026-01-02");
    EXPECT_EQ(machine.clock, (Quantity{2.5e9, Evidence::Measured, ""}));
    EXPECT_EQ(machine.l2.bytes, (Quantity{1048576, Evidence::Documented, "a manual"}));
    EXPECT_FALSE(machine.l1.bytes.known());
}

TEST(MachineFile, StarsStayWithinOnePartAndLaterRowsOverride) {
    const Machine machine = parsed(R"(["operation.*.int*.16.cycles", 1, "estimated"],
                                      ["operation.multiply*.int8.16.cycles", 3, "estimated"])");
    const auto cycles = [&](Arithmetic operation, ElementType type, Width width) {
        return machine.operations[operation][type][width].cycles;
    };
    EXPECT_EQ(cycles(Arithmetic::Add, ElementType::Int8, Width::Bytes16).value, 1);
    EXPECT_EQ(cycles(Arithmetic::Add, ElementType::Int64, Width::Bytes16).value, 1);
    EXPECT_EQ(cycles(Arithmetic::Multiply, ElementType::Int8, Width::Bytes16).value, 3);
    EXPECT_EQ(cycles(Arithmetic::MultiplyAdd, ElementType::Int8, Width::Bytes16).value, 3);
    EXPECT_FALSE(cycles(Arithmetic::Add, ElementType::Float32, Width::Bytes16).known());
    EXPECT_FALSE(cycles(Arithmetic::Add, ElementType::Int8, Width::Bytes32).known());
    EXPECT_NE(error_of(file_of(R"(["operation.*", 1, "estimated"])")).find("names no quantity"),
              std::string::npos);
}

TEST(MachineFile, WhatIsWrittenIsRead) {
    for (const InstructionSet set : all_instruction_sets()) {
        const Machine& machine = shipped_profile(set);
        const Result<Machine> again = parse_machine(to_text(machine));
        ASSERT_TRUE(again.ok()) << again.error();
        EXPECT_EQ(again.value(), machine) << name_of(set);
    }
}

TEST(MachineFile, RefusesWhatItCannotMean) {
    const struct {
        const char* rows;
        const char* complaint;
    } cases[] = {
        {R"(["clok", 1, "measured"])", "names no quantity"},
        {R"(["clock", -1, "measured"])", "not above 0"},
        {R"(["clock", 0, "measured"])", "not above 0"},
        {R"(["clock", 1, "guessed"])", "evidence"},
        {R"(["clock", "fast", "measured"])", "is not [name"},
        {R"(["clock", 1])", "is not [name"},
        {R"({"clock": 1})", "is not [name"},
    };
    for (const auto& each : cases) {
        EXPECT_NE(error_of(file_of(each.rows)).find(each.complaint), std::string::npos)
            << each.rows << ": " << error_of(file_of(each.rows));
    }
    for (const char* text : {"", "[]", "{", R"({"format": "nestor machine 2"})"}) {
        EXPECT_NE(error_of(text).find("is not a machine file"), std::string::npos) << text;
    }
    EXPECT_NE(error_of(R"({"format": "nestor machine 1"})").find("no list"), std::string::npos);
    const Result<Machine> missing = read_machine("/nowhere/machine.json");
    ASSERT_FALSE(missing.ok());
    EXPECT_NE(missing.error().find("/nowhere/machine.json"), std::string::npos);
}

}  // namespace
}  // namespace nestor
