#pragma once
// What became of a build, kept beside it, so that a later run can go on from there: a board is
// built once (Adams2019 searches for minutes) and timed as often as one likes.

#include <string>

#include "bench/version.h"

namespace nestor {

/** Hash of all that decides what a build gives and whether it fails: the contents of the generator
 * and of the scheduler's plug-in (`plugin`: its file, or empty), parameters and limits. */
[[nodiscard]] std::string build_key(const BuildJob& job, const Version& version,
                                    const std::string& plugin);

/** Writes version.folder/build.json. */
[[nodiscard]] Status remember_build(const Version& version, const std::string& key);

/** Reads it into `version`; false if there is none, it has another key, or its library is gone. */
[[nodiscard]] bool recall_build(Version& version, const std::string& key);

}  // namespace nestor
