#include "train/gaussian_process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace nestor {
namespace {

ProcessPoint point(float x, double guess = 0) {
    return {{x}, guess};
}

bool any(std::size_t /*i*/) {
    return true;
}

TEST(GaussianProcess, KnowsWhatWasMeasuredAndLessOfWhatIsFarFromIt) {
    std::vector<ProcessPoint> points;
    std::vector<double> values;
    for (int i = 0; i < 20; i++) {
        points.push_back(point(static_cast<float>(i)));
        values.push_back(std::sin(i / 4.0));
    }
    const GaussianProcess process(points, values);
    for (int i = 0; i < 19; i++) {
        const float between = static_cast<float>(i) + 0.5F;
        const ProcessPoint asked = point(between);
        const Belief belief = process.beliefs({&asked, 1}).front();
        EXPECT_NEAR(belief.mean, std::sin(between / 4), 0.1);
        EXPECT_LT(belief.deviation, 0.3);
    }
    const std::vector<ProcessPoint> ask{point(9.5F), point(30), point(60)};
    const std::vector<Belief> beliefs = process.beliefs(ask);
    EXPECT_LT(2 * beliefs[0].deviation, beliefs[1].deviation);
    EXPECT_LT(beliefs[1].deviation, beliefs[2].deviation);
}

TEST(GaussianProcess, FindsOutWhatGuessesAreWorth) {
    // Far apart, so that only the guess says anything of others.
    std::vector<ProcessPoint> points;
    std::vector<double> good;
    std::vector<double> bad;
    for (int i = 0; i < 30; i++) {
        const double guess = (i * 7 % 30) / 10.0;
        points.push_back(point(static_cast<float>(1000 * i), guess));
        good.push_back(2 + guess);
        bad.push_back(2 + (i % 2 == 0 ? 0.3 : -0.3));
    }
    const std::vector<ProcessPoint> ask{point(-1000, 0), point(-2000, 3)};
    const std::vector<Belief> trusted = GaussianProcess(points, good).beliefs(ask);
    EXPECT_NEAR(trusted[0].mean, 2, 0.1);
    EXPECT_NEAR(trusted[1].mean, 5, 0.1);
    const std::vector<Belief> doubted = GaussianProcess(points, bad).beliefs(ask);
    EXPECT_NEAR(doubted[0].mean, 2, 0.5);
    EXPECT_NEAR(doubted[1].mean, 2, 0.5);
}

TEST(GaussianProcess, OfOneMeasurementTakesGuessesAsTheyAre) {
    const std::vector<double> values{5.0};
    const GaussianProcess process({point(0, 1)}, values);
    const std::vector<ProcessPoint> ask{point(1, 1), point(1, 3)};
    const std::vector<Belief> beliefs = process.beliefs(ask);
    EXPECT_NEAR(beliefs[0].mean, 5, 0.05);
    EXPECT_NEAR(beliefs[1].mean, 7, 0.05);
}

TEST(GaussianProcess, PointsMayBeOfOtherLengths) {
    const std::vector<double> values{1.0, 2.0, 1.5};
    const GaussianProcess process({{{}, 0}, {{4}, 0}, {{4, 8}, 0}}, values);
    const std::vector<ProcessPoint> ask{{{0, 0, 0}, 0}, {{4}, 0}, {{0, 0, 0, 99}, 0}};
    const std::vector<Belief> beliefs = process.beliefs(ask);
    EXPECT_LT(beliefs[0].mean, beliefs[1].mean);
    EXPECT_GT(beliefs[2].deviation, beliefs[0].deviation);
}

TEST(GaussianProcess, ChoosesWhatMayBeLeastAndNotTheSameTwice) {
    std::vector<ProcessPoint> points;
    std::vector<double> values;
    for (int i = 0; i <= 40; i += 4) {
        points.push_back(point(static_cast<float>(i)));
        values.push_back(std::abs(i - 22) / 8.0);
    }
    const GaussianProcess process(points, values);
    std::vector<ProcessPoint> ask;
    for (int i = 0; i <= 40; i++) {
        ask.push_back(point(static_cast<float>(i)));
    }
    const std::vector<std::size_t> one = process.choose(ask, 1, any);
    ASSERT_EQ(one.size(), 1U);
    EXPECT_NEAR(static_cast<double>(one.front()), 22, 2);
    // A twin of what is chosen already has nothing new to say.
    const std::vector<ProcessPoint> twins{ask[22], ask[22], ask[22], ask[21], ask[23]};
    const std::vector<std::size_t> some = process.choose(twins, 3, any);
    ASSERT_EQ(some.size(), 3U);
    EXPECT_EQ(std::ranges::count_if(some, [](std::size_t i) { return i < 3; }), 1);
}

TEST(GaussianProcess, LeavesOutWhatIsNotTaken) {
    const std::vector<double> values{1.0, 2.0};
    const GaussianProcess process({point(0), point(1)}, values);
    const std::vector<ProcessPoint> ask{point(0), point(1), point(2), point(3)};
    const auto odd = [](std::size_t i) { return i % 2 == 1; };
    std::vector<std::size_t> chosen = process.choose(ask, 4, odd);
    std::ranges::sort(chosen);
    EXPECT_EQ(chosen, (std::vector<std::size_t>{1, 3}));
    EXPECT_TRUE(process.choose({}, 4, any).empty());
}

}  // namespace
}  // namespace nestor
