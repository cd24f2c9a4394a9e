#include "tune/remote_finals.h"

#include <gtest/gtest.h>

#include "measure/timing.h"

namespace nestor {
namespace {

Measurement timed(const std::vector<double>& samples) {
    Measurement m;
    m.outcome = Outcome::Timed;
    m.samples = samples;
    m.drift = samples.front();
    return m;
}

TEST(RemoteFinals, TurnsAreJoined) {
    const Measurement joined = join_turns({timed({1, 2}), timed({3}), timed({5, 4})});
    EXPECT_TRUE(joined.ok());
    EXPECT_EQ(joined.samples, (std::vector<double>{1, 2, 3, 5, 4}));
    EXPECT_EQ(joined.seconds, 3);
    EXPECT_EQ(joined.uncertainty, uncertainty_of({1, 2, 3, 5, 4}));
    EXPECT_EQ(joined.drift, 3);
}

TEST(RemoteFinals, OneThatFailsOnceHasFailed) {
    const Measurement wrong = Measurement::failure(Outcome::Wrong, "not at once");
    EXPECT_EQ(join_turns({timed({1}), wrong, timed({1})}).message, "not at once");
}

}  // namespace
}  // namespace nestor
