#pragma once

namespace nestor {

/** A fixed piece of work (about a millisecond: multiply-adds over more memory than a core's L2
 * holds) that is timed beside candidates, so that a machine that became slower shows. Returns a
 * number that depends on all of it. */
double reference_kernel();

}  // namespace nestor
