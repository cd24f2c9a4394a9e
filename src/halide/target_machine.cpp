#include "halide/target_machine.h"

namespace nestor {

using Halide::Target;

Halide::Type halide_type(ElementType type) {
    switch (type) {
        case ElementType::Int8:
            return Halide::UInt(8);
        case ElementType::Int16:
            return Halide::UInt(16);
        case ElementType::Int32:
            return Halide::Int(32);
        case ElementType::Int64:
            return Halide::Int(64);
        case ElementType::Float32:
            return Halide::Float(32);
        default:
            return Halide::Float(64);
    }
}

InstructionSet instruction_set_of(const Target& target) {
    if (target.has_feature(Target::HVX)) {
        return InstructionSet::HexagonHvx;
    }
    switch (target.arch) {
        case Target::ARM:
            return InstructionSet::ArmNeon;
        case Target::RISCV:
            return InstructionSet::RiscvVector;
        case Target::WebAssembly:
            return InstructionSet::WasmSimd;
        default:
            break;
    }
    if (target.has_feature(Target::AVX512) || target.has_feature(Target::AVX512_Skylake)) {
        return InstructionSet::X86Avx512;
    }
    return target.has_feature(Target::AVX) || target.has_feature(Target::AVX2)
               ? InstructionSet::X86Avx2
               : InstructionSet::X86Sse41;
}

Machine machine_of(const Target& target) {
    Machine machine = shipped_profile(instruction_set_of(target));
    for (std::size_t i = 0; i < kElementTypes; i++) {
        const auto type = static_cast<ElementType>(i);
        const int bytes = target.natural_vector_size(halide_type(type)) * bytes_of(type);
        machine.vector_bytes[type] = {static_cast<double>(bytes), Evidence::Documented,
                                      "Halide's natural vector size"};
    }
    return machine;
}

}  // namespace nestor
