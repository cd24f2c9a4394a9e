#pragma once
// Which schedules of a task are its best: the one place that decides.

#include <cstdint>
#include <string>
#include <vector>

#include "records/record.h"

namespace nestor {

/** What the order depends on. */
struct RankedRecord {
    std::int64_t id = 0;
    Record::Kind kind = Record::Kind::Trial;
    std::string schedule_hash;
    std::string outcome;
    double seconds = 0;
    std::string created;
    std::int64_t run = 0;
    std::string run_started;  // empty: not known
};

/** Ids of one record a schedule, best first, of the records of one task.
 *
 * 1. A schedule's record is its latest Final one, or else its latest Trial, by `created`, then id:
 *    files are merged, so that ids alone say little.
 * 2. It counts if that record was timed and none of the schedule's was "wrong": a schedule that is
 *    wrong now and then is wrong.
 * 3. First come the finals of the last run that has any, because they were timed in turns; then all
 *    others. Each by seconds, finals before trials where those are equal. */
[[nodiscard]] std::vector<std::int64_t> rank(const std::vector<RankedRecord>& records);

}  // namespace nestor
