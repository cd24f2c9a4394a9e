// libautoschedule_nestor.so

#include "plugin/module/registered_names.h"

namespace nestor {

std::span<const char* const> registered_names() {
    static constexpr const char* names[] = {"Nestor"};
    return names;
}

}  // namespace nestor
