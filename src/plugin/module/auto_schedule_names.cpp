// libauto_schedule.so: the file name and the scheduler that build files written for Halide's older
// autoscheduler ask for.

#include "plugin/module/registered_names.h"

namespace nestor {

std::span<const char* const> registered_names() {
    static constexpr const char* names[] = {"Nestor", "Adams2019"};
    return names;
}

}  // namespace nestor
