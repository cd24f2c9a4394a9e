#pragma once
// What a user can ask of the scheduler: the `autoscheduler.*` parameters of a generator, the
// dictionary of Python's AutoschedulerParams, the options of `nestor schedule`. Plain data; nothing
// of Halide here.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "search/move_set.h"

namespace nestor {

struct Params {
    /** Parallel tasks that the schedule should expose. It is not a number of threads, and by
     * default does not depend on the machine that builds: `host` asks for that machine's number of
     * cores. */
    int parallelism = 16;
    /** SearchOptions::beam; 1 is greedy. */
    int beam_size = 32;
    /** SearchOptions::passes; 1 unless given when greedy. */
    int num_passes = 5;
    /** Dropout::chance. */
    int random_dropout = 100;
    std::uint64_t random_dropout_seed = 0;
    /** What was learned of the model's errors, in a file that `nestor train` wrote; empty: the
     * model as it is. */
    std::string weights_path;
    /** Bytes that the scheduled pipeline may allocate at once; -1: no limit. */
    std::int64_t memory_limit = -1;
    /** Bytes that the search itself may use. */
    std::int64_t search_memory = std::int64_t{1} << 30;
    /** Seconds that the search may take. */
    double time_limit = 20.0;
    /** 0: silent. 1: what was chosen. 2: every step. 3: every candidate. */
    int verbosity = 0;
    /** SearchOptions::moves: all but those that the key `without` names. */
    MoveSet moves;
    /** May the search add prefetch directives? */
    bool prefetching = false;
    /** A schedule to replay (JSON) instead of searching; "none": leave the pipeline unscheduled;
     * empty: search. */
    std::string schedule;
    /** Candidates to measure on this machine, those in the records included, before the best of the
     * records is taken: what `nestor tune --trials` does. 0: none. */
    int trials = 0;
    /** A records file, as `nestor tune` writes it: the best schedule in it that was measured of
     * this pipeline is replayed; search is for where there is none. Empty: search. */
    std::string records;
    /** The command `nestor`, which reads that file; empty: found beside the plug-in, or on the
     * PATH.
     */
    std::string nestor;
    /** The machine to schedule for: a file written by `nestor probe`; "shipped": the profile that
     * comes with Nestor; empty: what the probe found here, else that profile. */
    std::string machine;
    /** Directory that receives the schedule as JSON and Python, and the pipeline; empty: none. */
    std::string save;
    /** Extent assumed in every dimension that has no estimate; 0: a missing estimate is an error.
     */
    int default_extent = 0;

    bool operator==(const Params&) const = default;
};

struct ParsedParams {
    Params params;
    /** Things to tell the user that are no reason to stop; one line each. */
    std::vector<std::string> warnings;
};

/** Value of an environment variable, if it is set. */
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/** The environment of this process. */
[[nodiscard]] std::optional<std::string> process_environment(const std::string& name);

/**
 * Reads parameters. What `given` lacks is taken from the environment (the variables that Halide's
 * older autoschedulers read: HL_BEAM_SIZE, HL_SEED and so on), then from the defaults above.
 * `scheduler` is the name under which the caller was asked for: as `Adams2019` it also accepts, and
 * ignores, the `disable_*` parameters that only that scheduler has. Errors: an unknown key (the
 * message lists the known ones), a value of the wrong form or out of its range, a `weights_path`
 * that is no file of ours, or of other features than this version's.
 */
[[nodiscard]] Result<ParsedParams> parse_params(const std::map<std::string, std::string>& given,
                                                const Environment& environment,
                                                std::string_view scheduler = "Nestor");

/** The keys that parse_params takes, in the order of `Params`, each with what it expects. */
struct ParamHelp {
    std::string_view key;
    std::string_view expected;
};
[[nodiscard]] std::vector<ParamHelp> known_params();

}  // namespace nestor
