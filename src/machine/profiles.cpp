#include "machine/profiles.h"

#include <array>
#include <cassert>
#include <mutex>
#include <optional>
#include <string_view>

#include "machine/machine_file.h"
#include "machine/profile_texts.h"

namespace nestor {

namespace {

constexpr std::array kAll = {
    InstructionSet::X86Sse41,   InstructionSet::X86Avx2,     InstructionSet::X86Avx512,
    InstructionSet::ArmNeon,    InstructionSet::RiscvVector, InstructionSet::WasmSimd,
    InstructionSet::HexagonHvx,
};

Machine parse_shipped(const char* name) {
    for (std::size_t i = 0; i < kProfileTexts; i++) {
        if (std::string_view(profile_texts[i].name) == name) {
            Result<Machine> machine = parse_machine(profile_texts[i].text);
            assert(machine.ok());
            return std::move(machine).value();
        }
    }
    assert(false);
    return {};
}

}  // namespace

std::span<const InstructionSet> all_instruction_sets() {
    return kAll;
}

const char* name_of(InstructionSet set) {
    constexpr const char* kNames[] = {"x86_sse41", "x86_avx2",  "x86_avx512", "arm_neon",
                                      "riscv_v",   "wasm_simd", "hexagon_hvx"};
    return kNames[static_cast<int>(set)];
}

const Machine& shipped_profile(InstructionSet set) {
    // Each when it is first asked for: a plug-in that schedules one pipeline needs one. No
    // call_once, whose thread-local storage would make the plug-in need the dynamic loader by name.
    static std::mutex mutex;
    static std::array<std::optional<Machine>, kAll.size()> machines;
    const auto i = static_cast<std::size_t>(set);
    const std::lock_guard lock(mutex);
    if (!machines[i]) {
        machines[i] = parse_shipped(name_of(set));
    }
    return *machines[i];
}

}  // namespace nestor
