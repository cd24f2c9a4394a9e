#include "base/version.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace nestor {
namespace {

TEST(Version, IsThatOfTheBuild) {
    const std::filesystem::path tests = std::filesystem::path(NESTOR_TEST_DATA).parent_path();
    std::ifstream file(tests.parent_path() / "CMakeLists.txt");
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_NE(text.str().find("VERSION " + std::string(kVersion) + "\n"), std::string::npos);
}

}  // namespace
}  // namespace nestor
