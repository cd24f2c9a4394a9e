#include "records/ranking.h"

#include <gmock/gmock.h>

#include "records/sample_records.h"

namespace nestor {
namespace {

using samples::add;
using samples::failure;
using samples::final_of;
using samples::Folder;
using samples::good;
using samples::trial;
using testing::ElementsAre;

/** Hashes of the best schedules among these, and the seconds that stand for them. */
std::vector<std::pair<std::string, double>> best_of(const std::vector<Record>& records,
                                                    int count = 0) {
    const Folder folder;
    RecordStore store = samples::writable(folder.file("r.db"));
    for (const Record& record : records) {
        add(store, record);
    }
    std::vector<std::pair<std::string, double>> list;
    for (const Record& record : good(store.best(samples::task(), count))) {
        list.emplace_back(record.schedule_hash, record.seconds);
    }
    return list;
}

Record created(Record record, const std::string& when) {
    record.created = when;
    return record;
}

TEST(Ranking, FastestFirst) {
    EXPECT_THAT(best_of({trial("b", 0.2), trial("a", 0.1), trial("c", 0.3)}),
                ElementsAre(std::pair("a", 0.1), std::pair("b", 0.2), std::pair("c", 0.3)));
}

TEST(Ranking, CountIsAtMost) {
    EXPECT_THAT(best_of({trial("b", 0.2), trial("a", 0.1)}, 1), ElementsAre(std::pair("a", 0.1)));
    EXPECT_EQ(best_of({trial("b", 0.2), trial("a", 0.1)}, 5).size(), 2U);
    EXPECT_TRUE(best_of({}).empty());
}

TEST(Ranking, TheLastTrialOfAScheduleCounts) {
    EXPECT_THAT(best_of({trial("a", 0.1), trial("b", 0.2), trial("a", 0.3)}),
                ElementsAre(std::pair("b", 0.2), std::pair("a", 0.3)));
}

TEST(Ranking, FinalsComeBeforeTrials) {
    // "lucky" was timed alone and fast, and was not chosen to be a finalist or lost there.
    EXPECT_THAT(best_of({trial("lucky", 0.05), trial("a", 0.1), trial("b", 0.2),
                         final_of("a", 0.12), final_of("b", 0.11)}),
                ElementsAre(std::pair("b", 0.11), std::pair("a", 0.12), std::pair("lucky", 0.05)));
}

TEST(Ranking, AFinalStandsForItsScheduleWhateverTrialsSayLater) {
    EXPECT_THAT(best_of({final_of("a", 0.12), trial("a", 0.01)}),
                ElementsAre(std::pair("a", 0.12)));
}

TEST(Ranking, FinalsOfTheLastRunComeFirst) {
    EXPECT_THAT(best_of({final_of("a", 0.1, 1), final_of("b", 0.2, 2), final_of("c", 0.3, 2),
                         trial("d", 0.05)}),
                ElementsAre(std::pair("b", 0.2), std::pair("c", 0.3), std::pair("d", 0.05),
                            std::pair("a", 0.1)));
}

TEST(Ranking, AScheduleOfTwoFinalRoundsIsOfTheLast) {
    EXPECT_THAT(best_of({final_of("a", 0.1, 1), final_of("a", 0.3, 2), final_of("b", 0.2, 2)}),
                ElementsAre(std::pair("b", 0.2), std::pair("a", 0.3)));
}

TEST(Ranking, FailuresAreNotAmongTheBest) {
    EXPECT_THAT(best_of({failure("a", "crash"), trial("b", 0.2)}),
                ElementsAre(std::pair("b", 0.2)));
}

TEST(Ranking, WhatFailedLastIsNotAmongTheBest) {
    Record crash = failure("a", "crash");
    crash.kind = Record::Kind::Final;
    EXPECT_THAT(best_of({trial("a", 0.1), trial("b", 0.2), crash}),
                ElementsAre(std::pair("b", 0.2)));
    EXPECT_THAT(best_of({failure("a", "timeout"), trial("a", 0.1)}),
                ElementsAre(std::pair("a", 0.1)));
}

TEST(Ranking, WhatWasEverWrongIsNot) {
    EXPECT_THAT(best_of({failure("a", "wrong"), trial("a", 0.1), final_of("a", 0.1)}),
                ElementsAre());
}

TEST(Ranking, LaterIsByTheClockInMergedFiles) {
    EXPECT_THAT(best_of({created(trial("a", 0.1), "2026-11-24T00:00:00Z"),
                         created(trial("a", 0.3), "2026-11-23T00:00:00Z")}),
                ElementsAre(std::pair("a", 0.1)));
}

TEST(Ranking, RunsAreByTheClockToo) {
    const auto ranked = [](std::string hash, double seconds, std::int64_t run,
                           std::string started) {
        return RankedRecord{run, Record::Kind::Final, std::move(hash), "timed", seconds, "",
                            run, std::move(started)};
    };
    EXPECT_THAT(rank({ranked("a", 0.2, 1, "2026-11-24T00:00:00Z"),
                      ranked("b", 0.1, 2, "2026-11-23T00:00:00Z")}),
                ElementsAre(1, 2));
}

}  // namespace
}  // namespace nestor
