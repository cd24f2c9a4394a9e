#include "plugin/halide_check.h"

#include <gtest/gtest.h>

#include "halide/halide.h"

namespace nestor {
namespace {

std::vector<std::uint8_t> serialized(const Halide::Func& func) {
    std::vector<std::uint8_t> bytes;
    Halide::serialize_pipeline(Halide::Pipeline(func), bytes);
    return bytes;
}

Halide::Func ramp() {
    Halide::Var x{"x"};
    Halide::Func func{"ramp"};
    func(x) = x;
    return func;
}

std::string linked_release() {
    return std::to_string(HALIDE_VERSION_MAJOR) + "." + std::to_string(HALIDE_VERSION_MINOR) + "." +
           std::to_string(HALIDE_VERSION_PATCH);
}

TEST(HalideCheck, ThisProgramsHalideIsTheRightOne) {
    EXPECT_EQ(check_halide(linked_release()), "");
    EXPECT_EQ(check_serialized_release(serialized(ramp()), linked_release()), "");
}

TEST(HalideCheck, AnotherReleaseIsNamed) {
    const std::string message = check_serialized_release(serialized(ramp()), "99.1.2");
    EXPECT_NE(message.find("built for Halide 99.1.2"), std::string::npos) << message;
    EXPECT_NE(message.find("in this process is " + linked_release()), std::string::npos) << message;
}

TEST(HalideCheck, BytesWithoutAReleaseAreAnotherRelease) {
    for (const std::vector<std::uint8_t>& bytes :
         {std::vector<std::uint8_t>{}, {5, 0, 0, 0}, std::vector<std::uint8_t>(100, 5)}) {
        const std::string message = check_serialized_release(bytes, "99.1.2");
        EXPECT_NE(message.find("in this process is another release"), std::string::npos) << message;
    }
}

}  // namespace
}  // namespace nestor
