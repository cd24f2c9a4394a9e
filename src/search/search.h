#pragma once
// The search: complete schedules of a pipeline, best first by predicted time.

#include <optional>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "schedule/legality.h"
#include "search/descent.h"
#include "search/limits.h"
#include "search/lineage.h"

namespace nestor {

struct Proposal {
    std::string name;  // of the idea that it came from
    Schedule schedule;
    double seconds = 0;                             // predicted
    bool is_seed = false;                           // simple enough that lowering takes no time
    std::optional<Lineage> lineage = std::nullopt;  // seeds have none
};

struct SearchOptions {
    Caps caps;
    /** Descents: each from another start, if there are as many, those of the least predicted time
     * first. */
    int beam = 32;
    /** 0: seeds only. 1: descent. Each one more: a share of local search around what that found,
     * and longer around the best. */
    int passes = 5;
    Dropout dropout;
    /** What was learned of the model's errors; none: the model as it is. */
    const Correction* correction = nullptr;
    MoveSet moves;
};

/** Tighter ones than those of legality: what is proposed should also pass verification, and nobody
 * wants to wait for Halide to lower it. */
[[nodiscard]] Caps search_caps(const PipelineDag& dag, const Machine& machine, Caps caps);

struct SearchResult {
    std::vector<Proposal> proposals;  // legal and different; best first
    int states = 0;                   // schedules whose time was predicted
};

/** Seeds, and what descent and local search make of several starts. Stopped by `limits`, it returns
 * what it has. */
[[nodiscard]] SearchResult search(const PipelineDag& dag, const Machine& machine,
                                  const SearchOptions& options, const Limits& limits);

}  // namespace nestor
