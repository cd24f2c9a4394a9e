#pragma once
// Messages between processes: lines of text.

#include <string>

namespace nestor {

/** Writes all of a line and its end to a socket or a pipe. False if nobody reads it any more: of a
 * socket without a SIGPIPE. */
[[nodiscard]] bool write_line(int file, const std::string& line);

}  // namespace nestor
