#pragma once
// The installed `nestor` as a child process: for what the plug-in has not itself, because it is
// loaded into other people's programs (a database, measurement).

#include <string>
#include <vector>

#include "base/result.h"

namespace nestor {

/** The path of `nestor`: `given` (autoscheduler.nestor), or else, in this order, this process if it
 * is that; ../bin and ../../bin of the folder that the plug-in is in, as a build tree, an
 * installation and a Python package have it; the PATH. The Error says where it was looked for. */
[[nodiscard]] Result<std::string> find_nestor(const std::string& given);

struct HelperAnswer {
    bool refused = false;  // it ended with exit status 1: it works, but not for what was asked
    std::string text;      // what it printed, or, refused, its message
};

/** Runs it, with the libHalide of this process if it finds none itself, with these arguments, for
 * at most so many seconds (0: no limit). An Error if it can't be run or does not know the
 * arguments, crashes, takes too long, or this process was asked to stop.
 */
[[nodiscard]] Result<HelperAnswer> ask_nestor(const std::string& nestor,
                                              const std::vector<std::string>& arguments,
                                              double seconds);

}  // namespace nestor
