#pragma once
// Names of the enumerations: Halide's, which C++ and Python write, and JSON keeps.

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "schedule/schedule.h"

namespace nestor {

template <class Enum, std::size_t N>
using EnumNames = std::array<std::pair<Enum, const char*>, N>;

inline constexpr EnumNames<Tail, 9> kTailNames{{
    {Tail::Auto, "Auto"},
    {Tail::RoundUp, "RoundUp"},
    {Tail::GuardWithIf, "GuardWithIf"},
    {Tail::Predicate, "Predicate"},
    {Tail::PredicateLoads, "PredicateLoads"},
    {Tail::PredicateStores, "PredicateStores"},
    {Tail::ShiftInwards, "ShiftInwards"},
    {Tail::ShiftInwardsAndBlend, "ShiftInwardsAndBlend"},
    {Tail::RoundUpAndBlend, "RoundUpAndBlend"},
}};

inline constexpr EnumNames<Memory, 4> kMemoryNames{{
    {Memory::Auto, "Auto"},
    {Memory::Heap, "Heap"},
    {Memory::Stack, "Stack"},
    {Memory::Register, "Register"},
}};

inline constexpr EnumNames<PartitionPolicy, 3> kPartitionNames{{
    {PartitionPolicy::Auto, "Auto"},
    {PartitionPolicy::Never, "Never"},
    {PartitionPolicy::Always, "Always"},
}};

inline constexpr EnumNames<PrefetchBounds, 3> kPrefetchNames{{
    {PrefetchBounds::Clamp, "Clamp"},
    {PrefetchBounds::GuardWithIf, "GuardWithIf"},
    {PrefetchBounds::NonFaulting, "NonFaulting"},
}};

inline constexpr EnumNames<Derivation::Kind, 3> kDerivationNames{{
    {Derivation::Kind::Wrapper, "in"},
    {Derivation::Kind::Clone, "clone_in"},
    {Derivation::Kind::Rfactor, "rfactor"},
}};

template <class Enum, std::size_t N>
[[nodiscard]] constexpr const char* enum_name(const EnumNames<Enum, N>& names, Enum value) {
    for (const auto& [candidate, name] : names) {
        if (candidate == value) {
            return name;
        }
    }
    return "?";
}

template <class Enum, std::size_t N>
[[nodiscard]] constexpr std::optional<Enum> enum_value(const EnumNames<Enum, N>& names,
                                                       std::string_view text) {
    for (const auto& [value, name] : names) {
        if (text == name) {
            return value;
        }
    }
    return std::nullopt;
}

}  // namespace nestor
