#pragma once
// What `nestor doctor` looks at, one function each.

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace nestor {

struct Finding {
    enum class State {
        Good,
        Note,     // scheduling works without it
        Missing,  // it does not
    };

    explicit Finding(std::string name, std::string found = "")
        : what(std::move(name)), text(std::move(found)) {}

    std::string what;
    State state = State::Good;
    std::string text;    // what was found
    std::string remedy;  // what to do, where there is something
    nlohmann::ordered_json facts = nlohmann::ordered_json::object();  // more, for a script
};

/** All of them, in order. `plugin` is what --plugin says. */
[[nodiscard]] std::vector<Finding> examine(const std::string& plugin);

}  // namespace nestor
