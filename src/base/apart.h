#pragma once
// Work that may crash or never end, for a process that has to live on.

#include <functional>
#include <string>

#include "base/result.h"

namespace nestor {

/** What a limit counts. */
enum class Clock {
    Wall,
    Processor,  // the same on a machine that has other work to do; of all threads together
};

/** Does `body` in a copy of this process, of which nothing but its Result comes back: a line of
 * text, without line breaks. That it was ended by a signal, or took longer than so many seconds, is
 * an Error, too; by the processor's clock also that it took kWaiting times as long by the wall's. A
 * signal that asks this process to stop is raised here after the copy has ended.
 *
 * Where other threads run, `body` is called here instead: a lock that one of them holds would never
 * be released in the copy. */
[[nodiscard]] Result<std::string> ask_apart(const std::function<Result<std::string>()>& body,
                                            double seconds, Clock clock = Clock::Wall);
/** The same for work that has nothing to tell but whether it was done. */
[[nodiscard]] Status try_apart(const std::function<Status()>& body, double seconds,
                               Clock clock = Clock::Wall);
constexpr double kWaiting = 20;

}  // namespace nestor
