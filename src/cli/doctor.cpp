// nestor doctor

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/command.h"
#include "cli/findings.h"

namespace nestor {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDoctorExamples = R"(
Examples:
  nestor doctor
      what was found, and how to get what is missing
  nestor doctor --json
      the same for a script

Exit status 1 if something is missing that scheduling needs.)";

struct DoctorCommand {
    bool json = false;
    std::string plugin;
};

const char* state_text(Finding::State state) {
    switch (state) {
        case Finding::State::Good:
            return "ok";
        case Finding::State::Note:
            return "note";
        case Finding::State::Missing:
            return "MISSING";
    }
    return "?";
}

void print_text(const std::vector<Finding>& findings) {
    for (const Finding& f : findings) {
        std::cout << std::left << std::setw(9) << state_text(f.state) << std::setw(14) << f.what
                  << f.text << "\n";
        if (!f.remedy.empty()) {
            std::cout << std::string(9 + 14, ' ') << f.remedy << "\n";
        }
    }
}

void print_json(const std::vector<Finding>& findings, bool good) {
    Json json{{"ok", good}, {"findings", Json::array()}};
    for (const Finding& f : findings) {
        Json row{{"what", f.what}, {"state", state_text(f.state)}, {"text", f.text}};
        if (!f.remedy.empty()) {
            row["remedy"] = f.remedy;
        }
        row.update(f.facts);
        json["findings"].push_back(row);
    }
    std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

Status run(const DoctorCommand& options) {
    const std::vector<Finding> findings = examine(options.plugin);
    const auto missing = std::count_if(findings.begin(), findings.end(), [](const Finding& f) {
        return f.state == Finding::State::Missing;
    });
    options.json ? print_json(findings, missing == 0) : print_text(findings);
    if (missing > 0) {
        return Error{std::to_string(missing) + (missing == 1 ? " thing is" : " things are") +
                     " missing, see above"};
    }
    return Ok{};
}

}  // namespace

Action define_doctor(CLI::App& app) {
    const auto options = std::make_shared<DoctorCommand>();
    app.add_option("--plugin", options->plugin, "the plug-in, if it is not beside this program")
        ->type_name("FILE");
    app.add_flag("--json", options->json, "as JSON");
    app.footer(kDoctorExamples);
    return [options] { return run(*options); };
}

}  // namespace nestor
