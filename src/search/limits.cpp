#include "search/limits.h"

#include <unistd.h>

#include <fstream>

namespace nestor {

const char* stop_reason_text(StopReason reason) {
    switch (reason) {
        case StopReason::Finished:
            return "finished";
        case StopReason::TimeLimit:
            return "time_limit reached";
        case StopReason::MemoryLimit:
            return "search_memory reached";
    }
    return "?";
}

std::int64_t resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    std::int64_t total = 0, resident = 0;
    statm >> total >> resident;
    return statm ? resident * ::sysconf(_SC_PAGESIZE) : 0;
}

Limits::Limits(double seconds, std::int64_t bytes)
    : start_(std::chrono::steady_clock::now()),
      seconds_(seconds),
      bytes_(bytes),
      resident_at_start_(resident_bytes()) {}

double Limits::elapsed_seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

StopReason Limits::check() const {
    if (elapsed_seconds() > seconds_) {
        return StopReason::TimeLimit;
    }
    return resident_bytes() - resident_at_start_ > bytes_ ? StopReason::MemoryLimit
                                                          : StopReason::Finished;
}

}  // namespace nestor
