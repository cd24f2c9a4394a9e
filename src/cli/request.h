#pragma once
// What a sub-command works on: a generator or a .hlpipe file, for a target, with parameters. The
// same options everywhere.

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

namespace nestor {

struct RequestOptions {
    std::string path;
    std::string generator_name;
    std::string target;  // empty: HL_TARGET, or the host
    std::vector<std::string> params;
    std::vector<std::string> more_params;  // those without -p
    std::string plugin;
};

/** Everything but the path, which apply takes as an option. */
void add_request_options(CLI::App& app, RequestOptions& options);
void add_request_path(CLI::App& app, RequestOptions& options);

/** The options, checked and taken apart. */
struct Request {
    std::string path;
    bool is_pipeline = false;  // a .hlpipe file
    std::string generator_name;
    std::string target;
    std::vector<std::string> generator_params;            // key=value, not autoscheduler.*
    std::map<std::string, std::string> scheduler_params;  // without "autoscheduler."
    std::string plugin;                                   // as given

    /** generator_params, and scheduler_params with the prefix. */
    [[nodiscard]] std::vector<std::string> all_params() const;
};

/** Throws what refuse_usage throws. */
[[nodiscard]] Request read_request(const RequestOptions& options);

}  // namespace nestor
