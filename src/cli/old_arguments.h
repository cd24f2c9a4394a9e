#pragma once
// The command line of generators before Halide 15, in terms of today's.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace nestor {

struct TranslatedArguments {
    std::vector<std::string> words;            // for the generator, without its own path
    std::optional<std::size_t> output_folder;  // words[*output_folder] is the folder behind -o
    bool log_outputs = false;                  // -v was given: it is left out of `words`
    std::vector<std::string> notes;            // what became of what, a line each
};

/** Where plug-ins are. */
struct PluginFinder {
    /** Ours, by file name. */
    std::function<Result<std::string>(const std::string& file)> ours;
    /** Halide's own, by the scheduler's name; empty if there is none. */
    std::function<std::string(const std::string& scheduler)> halides;
};

/**
 *   auto_schedule=true        autoscheduler=NAME; NAME as -s says, or as the plug-in's file name
 * does, or Nestor auto_schedule=false       nothing; no scheduler is run -s NAME see above; nothing
 * if auto_schedule is not true, as it was then -p libauto_schedule.so    our file of that name,
 * wherever the given one lay; others stay machine_params=A,B,C      autoscheduler.parallelism=A;
 * for Mullapudi2016 also last_level_cache_size=B and balance=C -e o,h,html,cpp           -e
 * object,c_header,stmt_html,c_source
 *
 * Everything else is passed on as it is. An Error if a flag lacks its value, or a plug-in is not
 * there.
 */
[[nodiscard]] Result<TranslatedArguments> translate_old_arguments(
    const std::vector<std::string>& words, const PluginFinder& find);

}  // namespace nestor
