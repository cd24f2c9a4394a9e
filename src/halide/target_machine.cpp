#include "halide/target_machine.h"

namespace nestor {

using Halide::Target;

namespace {

// AMD's cores since Zen, by the name that the compiler tunes for, or by features that have theirs.
bool is_zen(const Target& target) {
    switch (target.processor_tune) {
        case Target::Processor::ZnVer1:
        case Target::Processor::ZnVer2:
        case Target::Processor::ZnVer3:
        case Target::Processor::ZnVer4:
        case Target::Processor::ZnVer5:
            return true;
        default:
            return (target.has_feature(Target::AVX512_Zen4) ||
                    target.has_feature(Target::AVX512_Zen5)) &&
                   !target.has_feature(Target::AVX512_SapphireRapids);
    }
}

// Those whose eight cores share a third cache, since Zen 3.
bool has_wide_complexes(const Target& target) {
    return is_zen(target) && target.processor_tune != Target::Processor::ZnVer1 &&
           target.processor_tune != Target::Processor::ZnVer2;
}

// Whether sums of four products of bytes are one instruction.
bool sums_bytes(const Target& target) {
    if (target.arch == Target::ARM) {
        return target.has_feature(Target::ARMDotProd);
    }
    return target.has_feature(Target::AVX512_SapphireRapids) ||
           target.has_feature(Target::AVX512_Zen4) || target.has_feature(Target::AVX512_Zen5) ||
           target.has_feature(Target::AVXVNNI);
}

// The profiles are of processors that have these instructions or not; the target decides.
void set_dot_products(const Target& target, Machine& machine) {
    if (target.arch != Target::X86 && target.arch != Target::ARM) {
        return;
    }
    const double of_words = sums_bytes(target) ? 1 : 4;
    auto& costs = machine.operations[Arithmetic::DotProduct];
    for (std::size_t i = 0; i < kWidths; i++) {
        const auto width = static_cast<Width>(i);
        const double words = costs[ElementType::Int16][width].cycles.value_or(0);
        Quantity& bytes = costs[ElementType::Int8][width].cycles;
        const double likely = of_words * words;
        if (bytes.known() && (bytes.value > 2 * likely || 2 * bytes.value < likely)) {
            bytes = {likely, Evidence::Estimated, "by sums of products of 16 bits"};
        }
    }
}

// The first two caches of a core, where the target says which cores it is for: profiles are of what
// many have.
void set_caches(const Target& target, Machine& machine) {
    constexpr double kKiB = 1024;
    const bool golden_cove = target.has_feature(Target::AVX512_SapphireRapids);
    if (golden_cove || target.has_feature(Target::AVX512_Zen5)) {
        machine.l1.bytes = {48 * kKiB, Evidence::Documented,
                            "Intel's and AMD's optimization guides"};
    }
    if (has_wide_complexes(target)) {
        machine.l3.bytes = {32 * 1024 * kKiB, Evidence::Documented, "AMD's optimization guides"};
    }
    if (golden_cove) {
        machine.l2.bytes = {2048 * kKiB, Evidence::Documented, "Intel's optimization guide"};
    }
}

// Intel's cores since Ice Lake have two units that put elements into vectors of 32 bytes or less,
// one of which does nothing while vectors of 64 are in flight (docs/cost-model.md).
void set_narrow_gathers(const Target& target, Machine& machine) {
    constexpr double kShare = 0.58;
    if (!target.has_feature(Target::AVX512_SapphireRapids)) {
        return;
    }
    for (std::size_t i = 0; i < kElementTypes; i++) {
        const auto type = static_cast<ElementType>(i);
        machine.narrow_gather[type] = {kShare * machine.gather[type].value, Evidence::Estimated,
                                       "docs/cost-model.md: gathers in narrow vectors"};
    }
}

}  // namespace

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
    set_caches(target, machine);
    if (is_zen(target)) {
        machine.streams = {16, Evidence::Documented,
                           "docs/cost-model.md: compositing on AMD Zen 5"};
        machine.page_fault = {1e-6, Evidence::Estimated,
                              "0.8e-6 to 2e-6 in virtual machines: docs/cost-model.md"};
    }
    set_dot_products(target, machine);
    for (std::size_t i = 0; i < kElementTypes; i++) {
        const auto type = static_cast<ElementType>(i);
        const int bytes = target.natural_vector_size(halide_type(type)) * bytes_of(type);
        machine.vector_bytes[type] = {static_cast<double>(bytes), Evidence::Documented,
                                      "Halide's natural vector size"};
    }
    set_narrow_gathers(target, machine);
    return machine;
}

}  // namespace nestor
