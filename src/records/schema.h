#pragma once
// The tables of a records file, and opening one: making it, recognising it, bringing it up to date.

#include <SQLiteCpp/SQLiteCpp.h>

#include <memory>
#include <string>

#include "base/result.h"

namespace nestor {

/** The schema that this Nestor writes. */
[[nodiscard]] int newest_schema();

/** How long to wait for other processes. One that writes a record holds the file for milliseconds;
 * an import or a prune may take seconds. */
inline constexpr int kBusyMilliseconds = 60'000;

/** An open records file of the newest schema. With `write` it is made if it does not exist. */
[[nodiscard]] Result<std::unique_ptr<SQLite::Database>> open_database(const std::string& path,
                                                                      bool write);

/** What SQLite reports of `path`, with what to do about it. */
[[nodiscard]] Error database_error(const std::string& path, const SQLite::Exception& problem);

}  // namespace nestor
