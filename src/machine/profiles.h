#pragma once
// The profiles that come with Nestor, one file each in profiles/.

#include <span>

#include "machine/machine.h"

namespace nestor {

enum class InstructionSet {
    X86Sse41,
    X86Avx2,
    X86Avx512,
    ArmNeon,
    RiscvVector,
    WasmSimd,
    HexagonHvx,
};

[[nodiscard]] std::span<const InstructionSet> all_instruction_sets();
/** The name of its profile: "x86_avx2". */
[[nodiscard]] const char* name_of(InstructionSet set);

/** Every quantity is known that the instruction set has: all but those of widths that it lacks. */
[[nodiscard]] const Machine& shipped_profile(InstructionSet set);

}  // namespace nestor
