#include "plugin/recorded_schedule.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/hash.h"
#include "dag/sizes.h"
#include "halide/task_target.h"
#include "plugin/helper_process.h"

namespace nestor {

namespace {

/** To open a file that others may be writing to, and print a schedule of it. */
constexpr double kSeconds = 90;

RecordedSchedule none(const std::string& why, bool expected) {
    return {"", why, expected};
}

std::vector<std::string> question(const PipelineDag& dag, const Halide::Target& target,
                                  const Params& params) {
    std::vector<std::string> words = {"records",        "best",
                                      params.records,   "--json",
                                      "--algorithm",    hash_text(dag.algorithm_hash),
                                      "--sizes",        sizes_text(dag),
                                      "--target",       task_target(target),
                                      "--near-threads", std::to_string(params.parallelism)};
    if (is_of_host(target)) {
        words.insert(words.end(), {"--machine", "host"});
    }
    return words;
}

RecordedSchedule read_answer(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    try {
        if (json.contains("missing")) {
            return none(json.at("missing").get<std::string>(), true);
        }
        std::ostringstream about;
        about.precision(4);
        about << json.at("seconds").get<double>() * 1e3 << " ms with "
              << json.at("threads").get<int>() << " threads on "
              << json.at("machine").get<std::string>() << ", "
              << json.at("created").get<std::string>();
        return {json.at("schedule").get<std::string>(), about.str(), true};
    } catch (const nlohmann::json::exception&) {
        return none("the answer of nestor can't be read; is it another version?", false);
    }
}

}  // namespace

Result<RecordedSchedule> recorded_schedule(const PipelineDag& dag, const Halide::Target& target,
                                           const Params& params) {
    std::error_code ignored;
    if (!std::filesystem::exists(params.records, ignored)) {
        return Error{"no records file " + params.records +
                     ", which parameter `records` names; nestor tune writes them"};
    }
    const Result<std::string> nestor = find_nestor(params.nestor);
    if (!nestor) {
        return params.nestor.empty() ? Result(none(nestor.error(), false))
                                     : Error{"parameter `nestor`: " + nestor.error()};
    }
    const auto answer = ask_nestor(nestor.value(), question(dag, target, params), kSeconds);
    if (!answer) {
        return none(answer.error(), false);
    }
    if (answer.value().refused) {
        return Error{"parameter `records`: " + answer.value().text};
    }
    return read_answer(answer.value().text);
}

}  // namespace nestor
