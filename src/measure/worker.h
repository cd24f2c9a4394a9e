#pragma once
// The measuring worker: a process that prepares one pipeline and measures candidates in forks of
// itself, so that whatever a candidate does ends that candidate only.
//
// Lines of JSON. In: first the options (measure/options.h), then candidates:
//     {"id": 7, "schedule": TEXT, "load": [LIBRARY...]}
// and between them, while none is under way, what they are timed in turns with from then on:
//     {"anchor": {"schedule": TEXT, "load": [LIBRARY...], "seconds": 0.01}}
// Out: first {"ready": true, "verified_against": TEXT, "machine": {...}} or {"error": TEXT}, then,
// in the order in which they end, {"id": 7, "measurement": {...}}. After the end of its input it
// finishes what it has and exits.
//
// Candidates are built on several cores at once; while one is timed, all others are stopped
// (SIGSTOP). The anchor, in a fork of its own, takes a sample whenever the one that is timed asks
// for it; one that cannot, or dies, is none.

namespace nestor {

/** Until `in` ends. Returns the exit status. */
int run_worker(int in, int out);

}  // namespace nestor
