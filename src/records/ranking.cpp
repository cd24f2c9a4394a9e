#include "records/ranking.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace nestor {

namespace {

bool is_final(const RankedRecord& record) {
    return record.kind == Record::Kind::Final;
}

// Finals above trials, later above earlier.
auto weight(const RankedRecord& record) {
    return std::tuple(is_final(record), record.created, record.id);
}

// Runs in the order in which they started.
auto run_of(const RankedRecord& record) {
    return std::tuple(record.run_started, record.run);
}

/** Of each schedule. */
std::vector<const RankedRecord*> representatives(const std::vector<RankedRecord>& records) {
    std::map<std::string, const RankedRecord*> of_schedule;
    std::set<std::string> wrong;
    for (const RankedRecord& record : records) {
        const RankedRecord*& known = of_schedule[record.schedule_hash];
        if (known == nullptr || weight(*known) < weight(record)) {
            known = &record;
        }
        if (record.outcome == "wrong") {
            wrong.insert(record.schedule_hash);
        }
    }
    std::vector<const RankedRecord*> list;
    for (const auto& [hash, record] : of_schedule) {
        if (record->outcome == "timed" && !wrong.contains(hash)) {
            list.push_back(record);
        }
    }
    return list;
}

}  // namespace

std::vector<std::int64_t> rank(const std::vector<RankedRecord>& records) {
    std::vector<const RankedRecord*> list = representatives(records);
    const RankedRecord* last = nullptr;  // a final of the last run
    for (const RankedRecord* record : list) {
        if (is_final(*record) && (last == nullptr || run_of(*last) < run_of(*record))) {
            last = record;
        }
    }
    const auto place = [&](const RankedRecord* record) {
        const bool in_last = is_final(*record) && run_of(*record) == run_of(*last);
        return std::tuple(!in_last, record->seconds, !is_final(*record), record->id);
    };
    std::sort(list.begin(), list.end(),
              [&](const auto* a, const auto* b) { return place(a) < place(b); });
    std::vector<std::int64_t> ids;
    ids.reserve(list.size());
    for (const RankedRecord* record : list) {
        ids.push_back(record->id);
    }
    return ids;
}

}  // namespace nestor
