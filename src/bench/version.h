#pragma once
// Versions of a pipeline: one generator, scheduled in several ways.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/timing.h"

namespace nestor {

/** Who schedules. */
struct Contender {
    std::string label;                // "Adams2019-greedy"
    std::string scheduler;            // name of a plug-in; empty: the generator's own schedule
    std::vector<std::string> params;  // PARAM=VALUE, for the generator or the scheduler
};

/** "Nestor,expert,Adams2019:autoscheduler.beam_size=1:width=640": names, each with parameters.
 *    expert             what the generator does by itself
 *    unscheduled        nothing
 *    Nestor, no-search  with and without search
 *    Adams2019, Adams2019-greedy, Mullapudi2016, Li2018, and any other plug-in's name
 * An Error for one that is there twice. */
[[nodiscard]] Result<std::vector<Contender>> parse_contenders(const std::string& text);
/** All of the above but unscheduled. */
[[nodiscard]] const char* default_contenders();

/** What became of a version, step by step. `failure` is empty while all is well. */
struct Version {
    Contender contender;
    std::string failure;
    bool wrong = false;  // it ran, and computed something else than the reference

    double schedule_seconds = 0;  // of the generator's process, lowering included; 0: none
    std::int64_t schedule_peak_bytes = 0;
    double compile_seconds = 0;
    std::string folder, function, library;

    double first_seconds = 0;  // the first run, allocations counted
    std::int64_t run_peak_bytes = 0;
    std::string verified;  // "reference", or "as LABEL"

    Timed timing;
    double seconds = 0;  // median of its samples; 0: none
    double speed = 0;    // relative to the first version, see speed_relative_to(); 0: none

    [[nodiscard]] bool healthy() const { return failure.empty(); }
    /** The label in lower-case letters, digits and _, for names. */
    [[nodiscard]] std::string slug() const;
    [[nodiscard]] std::string schedule_file() const;
};

/** One pipeline's versions: a row of the board. */
struct BoardRow {
    std::string pipeline;
    std::vector<Version> versions;
};

struct BuildJob {
    std::string generator;                               // an absolute path
    std::string name;                                    // -g
    std::string folder;                                  // that gets a folder for each version
    std::string nestor_plugin;                           // the file
    std::string rivals;                                  // folder of the other plug-ins
    std::vector<std::string> params;                     // for every version
    int parallelism = 1;                                 // told to every scheduler
    double seconds = 600;                                // limit of one call of the generator
    std::int64_t memory_bytes = std::int64_t{8} << 30U;  // the same
    std::string compiler = "c++";                        // that links
    bool reuse = false;  // what `folder` already has of the same job
};

/** Schedules once for the time and memory that it takes, then again to compile. What goes wrong
 * is the version's failure. What became of it is kept in the version's folder (build_record.h). */
void build_version(const BuildJob& job, Version& version);

/** The algorithm of a version, as a .hlpipe file in its folder. Yields the file. */
[[nodiscard]] Result<std::string> save_algorithm(const BuildJob& job, const Version& version);

/** Halide's run-time, which all versions share. Yields its library. */
[[nodiscard]] Result<std::string> build_runtime(const BuildJob& job);

}  // namespace nestor
