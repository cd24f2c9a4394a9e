#pragma once
// Random schedules: everything in them exists, little of it is sensible.

#include "schedule/schedule.h"

namespace nestor {

/** The same for the same seed. Derived functions, splits, orders, marks, levels, storage,
 * specialisations. */
Schedule random_schedule(const PipelineDag& dag, std::uint64_t seed);

/** One that check_legality() has nothing against: random changes of one thing at a time, of which
 * the legal ones are kept. */
Schedule random_legal_schedule(const PipelineDag& dag, std::uint64_t seed, int changes = 200);

}  // namespace nestor
