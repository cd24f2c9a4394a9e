// An extern function that misbehaves as it is told.
#pragma once

#include <cstdint>

enum class Fault { none, crash, loop, allocate, wrong, abort, late, leave, stop };

#pragma GCC visibility push(default)
extern "C" {
/// What the next call does.
extern Fault fault_kind;
/// The identity, if all is well.
std::int32_t with_fault(std::int32_t x);
}
#pragma GCC visibility pop
