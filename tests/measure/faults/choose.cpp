// Loaded with a candidate: chooses what with_fault() does.

#include "faults.h"

namespace {

[[maybe_unused]] const bool chosen = (fault_kind = NESTOR_FAULT, true);

}  // namespace
