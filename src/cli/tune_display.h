#pragma once
// What `nestor tune` shows while it works: a line that is rewritten on a terminal, lines elsewhere,
// JSON for scripts.

#include <memory>

#include "tune/task.h"

namespace nestor {

enum class DisplayKind {
    Terminal,  // one line that changes, and one for each gain
    Lines,     // a line for each gain, and now and then one for where it stands
    Json,      // an object a line for each measurement, on stdout
    Quiet,
};

[[nodiscard]] std::unique_ptr<TuneListener> make_display(DisplayKind kind);

}  // namespace nestor
