#pragma once
// Records as JSON lines, and from one file into another.
//
// The first line is {"nestor_records": 1}; each other line is an object with one member:
// "pipeline", "run" or "record". Files may be joined by `cat`. docs/records.md has the members.

#include <cstdint>
#include <ostream>
#include <string>

#include "base/result.h"
#include "records/store.h"

namespace nestor {

/** Writes what the filter names, with the pipelines and runs of its tasks; yields the number of
 * records. */
[[nodiscard]] Result<std::int64_t> export_records(const RecordStore& from,
                                                  const RecordFilter& filter, std::ostream& to);

struct ImportCounts {
    std::int64_t added = 0;
    std::int64_t known = 0;  // were there already (RecordStore::contains)
};

/** Adds what a file of JSON lines or another records file holds: all of it, or, on an Error (which
 * names the line), nothing. */
[[nodiscard]] Result<ImportCounts> import_records(RecordStore& to, const std::string& path);

}  // namespace nestor
