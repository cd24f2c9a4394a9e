#include "machine/profiles.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "machine/machine_table.h"
#include "machine/walk.h"

namespace nestor {
namespace {

class Profiles : public testing::TestWithParam<InstructionSet> {
  protected:
    [[nodiscard]] double quantity(const std::string& wanted) const {
        double value = 0;
        for_each_quantity(machine, [&](const std::string& name, const Quantity& each) {
            value = name == wanted ? each.value : value;
        });
        return value;
    }

    const Machine& machine = shipped_profile(GetParam());
};

/** Whether a quantity is about vectors of a width that the machine does not have. */
bool of_unknown_width(const Machine& machine, const std::string& name) {
    for (std::size_t i = 0; i < kWidths; i++) {
        const auto width = static_cast<Width>(i);
        const std::string part = std::string(".") + name_of(width);
        const bool names_it =
            (name.starts_with("operation.") && name.find(part + ".") != std::string::npos) ||
            name == "load" + part || name == "store" + part;
        if (names_it) {
            return !machine.load[width].known();
        }
    }
    return false;
}

TEST_P(Profiles, KnowEverythingWithItsSource) {
    for_each_quantity(machine, [&](const std::string& name, const Quantity& quantity) {
        if (of_unknown_width(machine, name)) {
            EXPECT_FALSE(quantity.known()) << name;
        } else if (!name.starts_with("l3.")) {  // not every processor has one
            EXPECT_TRUE(quantity.known()) << name;
        }
        if (quantity.evidence == Evidence::Documented) {
            EXPECT_FALSE(quantity.note.empty()) << name << " does not say in which document";
        }
    });
    EXPECT_FALSE(machine.cpu.empty());
    EXPECT_FALSE(machine.target.empty());
}

TEST_P(Profiles, HaveTheWidthThatTheyCallNatural) {
    for (const Quantity& natural : machine.vector_bytes.values) {
        bool found = false;
        for (std::size_t i = 1; i < kWidths; i++) {
            const auto width = static_cast<Width>(i);
            found = found || (bytes_of(width, ElementType::Int8) == natural.value &&
                              machine.load[width].known());
        }
        EXPECT_TRUE(found) << natural.value;
    }
}

TEST_P(Profiles, AreConsistent) {
    EXPECT_LT(machine.l1.bytes.value, machine.l2.bytes.value);
    if (machine.l3.bytes.known()) {
        EXPECT_LT(machine.l2.bytes.value, machine.l3.bytes.value);
    }
    EXPECT_LE(machine.dram[Threads::One].read.value, machine.dram[Threads::All].read.value);
    for_each_quantity(machine, [&](const std::string& name, const Quantity& latency) {
        if (!name.ends_with(".latency") || !latency.known()) {
            return;
        }
        // Independent scalars are more than x86 has registers for; each measurement is off by
        // some.
        const double slack = name.find(".scalar.") != std::string::npos ? 2.5 : 1.2;
        EXPECT_LE(quantity(name.substr(0, name.rfind('.')) + ".cycles"), slack * latency.value)
            << name;
    });
}

TEST_P(Profiles, PrintAsTables) {
    const std::string plain = machine_table(machine, MachineTable::Plain);
    EXPECT_NE(plain.find(machine.cpu), std::string::npos);
    EXPECT_NE(plain.find("multiply_add"), std::string::npos);
    const std::string markdown = machine_table(machine, MachineTable::Markdown);
    EXPECT_NE(markdown.find("|---|---:|"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, Profiles, testing::ValuesIn(all_instruction_sets()),
                         [](const auto& info) { return name_of(info.param); });

TEST(Walk, NamesAreDistinct) {
    std::set<std::string> names;
    std::size_t count = 0;
    for_each_quantity(shipped_profile(InstructionSet::X86Avx2),
                      [&](const std::string& name, const Quantity&) {
                          names.insert(name);
                          count++;
                      });
    EXPECT_EQ(names.size(), count);
    EXPECT_TRUE(names.contains("operation.multiply_add.float32.64.latency"));
    EXPECT_FALSE(names.contains("operation.square_root.int8.16.cycles"));
}

TEST(Machine, LanesAreOfTheNaturalWidth) {
    const Machine& machine = shipped_profile(InstructionSet::X86Avx2);
    EXPECT_EQ(machine.lanes(1), 32);
    EXPECT_EQ(machine.lanes(4), 8);
    EXPECT_EQ(machine.lanes(8), 4);
    EXPECT_EQ(machine.lanes(1000), 1);
}

TEST(Machine, MasksAreOfTheInstructionSet) {
    EXPECT_EQ(shipped_profile(InstructionSet::X86Avx512).masked_bytes(), 1);
    EXPECT_EQ(shipped_profile(InstructionSet::X86Avx2).masked_bytes(), 4);
    EXPECT_EQ(shipped_profile(InstructionSet::X86Sse41).masked_bytes(), 16);
    EXPECT_EQ(shipped_profile(InstructionSet::ArmNeon).masked_bytes(), 16);
}

TEST(Machine, WideningOfVectorsIsWithoutTheAdditionThatIsMeasuredWithIt) {
    const Machine& machine = shipped_profile(InstructionSet::X86Avx512);
    const auto measured = [&](Arithmetic operation, Width width) {
        return machine.operations[operation][ElementType::Float32][width].cycles.value;
    };
    const auto alone = [&](Arithmetic operation, Width width) {
        return machine.cycles(operation, ElementType::Float32, width);
    };
    EXPECT_DOUBLE_EQ(
        alone(Arithmetic::Widen, Width::Bytes64),
        measured(Arithmetic::Widen, Width::Bytes64) - measured(Arithmetic::Add, Width::Bytes64));
    EXPECT_EQ(alone(Arithmetic::Widen, Width::Scalar), measured(Arithmetic::Widen, Width::Scalar));
    EXPECT_EQ(alone(Arithmetic::Add, Width::Bytes64), measured(Arithmetic::Add, Width::Bytes64));
}

}  // namespace
}  // namespace nestor
