#pragma once
// A number about a processor, and where it comes from: a model that trusts its numbers must be able
// to say why.

#include <string>
#include <utility>

namespace nestor {

enum class Evidence {
    None,        // nothing is known; the value means nothing
    Measured,    // by the probe, on the machine that Machine::cpu names
    Documented,  // the note names the document, or what the operating system said
    Estimated,   // by analogy; the note says with what
};

[[nodiscard]] constexpr const char* evidence_name(Evidence evidence) {
    constexpr const char* kNames[] = {"unknown", "measured", "documented", "estimated"};
    return kNames[static_cast<int>(evidence)];
}

struct Quantity {
    double value = 0;
    Evidence evidence = Evidence::None;
    std::string note;

    [[nodiscard]] bool known() const { return evidence != Evidence::None; }
    [[nodiscard]] double value_or(double otherwise) const { return known() ? value : otherwise; }
    bool operator==(const Quantity&) const = default;
};

[[nodiscard]] inline Quantity measured(double value, std::string note = "") {
    return {value, Evidence::Measured, std::move(note)};
}

}  // namespace nestor
