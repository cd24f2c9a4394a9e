#include "measure/elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "halide/halide.h"

namespace nestor {
namespace {

constexpr int kCount = 100'000;

template <class T>
std::vector<T> random_row(halide_type_t type, std::uint64_t stream) {
    std::vector<T> values(kCount);
    const BufferLayout layout{"row", type, {{0, kCount, 1}}};
    fill_random(layout, stream, reinterpret_cast<std::uint8_t*>(values.data()));
    return values;
}

TEST(Elements, SmallFloatsAreRoundedAsHalideDoes) {
    const auto units = random_row<float>(halide_type_of<float>(), 5);
    const auto halves = random_row<std::uint16_t>(halide_type_t(halide_type_float, 16), 5);
    const auto bfloats = random_row<std::uint16_t>(halide_type_t(halide_type_bfloat, 16), 5);
    for (int i = 0; i < kCount; i++) {
        ASSERT_EQ(halves[i], Halide::float16_t(units[i]).to_bits()) << units[i];
        ASSERT_EQ(bfloats[i], Halide::bfloat16_t(units[i]).to_bits()) << units[i];
    }
}

// What difference() prints of a value is what it takes it for.
TEST(Elements, EveryHalfIsReadAsHalideDoes) {
    const BufferLayout layout{"h", halide_type_t(halide_type_float, 16), {}};
    const std::uint16_t zero = 0;
    for (int bits = 1; bits < 0x10000; bits++) {
        const auto half = static_cast<std::uint16_t>(bits);
        const auto value = static_cast<float>(Halide::float16_t::make_from_bits(half));
        const auto differs = [&](double absolute) {
            return !difference(layout, reinterpret_cast<const std::uint8_t*>(&zero),
                               reinterpret_cast<const std::uint8_t*>(&half), {0, 0, absolute})
                        .empty();
        };
        const double size = std::abs(static_cast<double>(value));
        if (std::isnan(value) || std::isinf(value)) {
            ASSERT_TRUE(differs(1e30)) << bits;
        } else if (size > 0) {
            ASSERT_FALSE(differs(size)) << bits;
            ASSERT_TRUE(differs(std::nextafter(size, 0))) << bits;
        } else {
            ASSERT_FALSE(differs(0)) << "zero has two signs";
        }
    }
}

TEST(Elements, IntegersHaveTheRangeThatTheyShould) {
    const auto bytes = random_row<std::uint8_t>(halide_type_of<std::uint8_t>(), 1);
    const auto shorts = random_row<std::uint16_t>(halide_type_of<std::uint16_t>(), 1);
    const auto words = random_row<std::uint32_t>(halide_type_of<std::uint32_t>(), 1);
    EXPECT_EQ(*std::max_element(bytes.begin(), bytes.end()), 255);
    EXPECT_GT(*std::max_element(shorts.begin(), shorts.end()), 65'000);
    EXPECT_EQ(*std::max_element(words.begin(), words.end()), 255U);
}

}  // namespace
}  // namespace nestor
