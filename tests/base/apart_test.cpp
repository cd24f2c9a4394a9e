#include "base/apart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <iostream>
#include <thread>

namespace nestor {
namespace {

using ::testing::HasSubstr;

// Whether what is done apart is seen here.
bool is_done_here() {
    bool done = false;
    const Status status = try_apart(
        [&]() -> Status {
            done = true;
            return Ok{};
        },
        60);
    EXPECT_TRUE(status);
    return done;
}

Status sleep_for_ever() {
    while (true) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

TEST(Apart, OnlyTheStatusComesBack) {
    EXPECT_FALSE(is_done_here());
    const Status status = try_apart([]() -> Status { return Error{"no room\nfor it"}; }, 60);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error(), "no room\nfor it");
}

TEST(Apart, ALineComesBackWhateverElseIsPrinted) {
    const Result<std::string> answer = ask_apart(
        []() -> Result<std::string> {
            std::cout << "a warning\nand more";
            std::cerr << "of it\n";
            return std::string("3 4 5");
        },
        60);
    ASSERT_TRUE(answer) << answer.error();
    EXPECT_EQ(answer.value(), "3 4 5");
}

TEST(Apart, CrashesAndEndlessLoopsAreErrors) {
    const Status crash = try_apart(
        []() -> Status {
            std::raise(SIGSEGV);
            return Ok{};
        },
        60);
    ASSERT_FALSE(crash);
    EXPECT_THAT(crash.error(), HasSubstr("Segmentation fault"));
    const Status endless = try_apart(sleep_for_ever, 0.2);
    ASSERT_FALSE(endless);
    EXPECT_THAT(endless.error(), HasSubstr("took too long"));
}

TEST(Apart, OfAProcessorsTimeWaitingIsNoPart) {
    const Status waits = try_apart(
        []() -> Status {
            std::this_thread::sleep_for(std::chrono::milliseconds(400));
            return Ok{};
        },
        0.2, Clock::Processor);
    EXPECT_TRUE(waits);
    const Status works = try_apart(
        []() -> Status {
            std::atomic<int> count = 0;
            while (true) {
                count++;
            }
        },
        0.2, Clock::Processor);
    ASSERT_FALSE(works);
    EXPECT_THAT(works.error(), HasSubstr("took too long"));
    const Status forever = try_apart(sleep_for_ever, 0.02, Clock::Processor);
    ASSERT_FALSE(forever);
    EXPECT_THAT(forever.error(), HasSubstr("took too long"));
}

TEST(Apart, BesideOtherThreadsItIsDoneHere) {
    std::promise<void> done;
    std::jthread other([waits = done.get_future()] { waits.wait(); });
    EXPECT_TRUE(is_done_here());
    done.set_value();
}

}  // namespace
}  // namespace nestor
