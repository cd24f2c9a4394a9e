#include "machine/machine_file.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <vector>

#include "base/files.h"
#include "machine/walk.h"

namespace nestor {

using nlohmann::json;

namespace {

constexpr const char* kFormat = "nestor machine 1";

bool matches(std::string_view pattern, std::string_view name) {
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos) {
        return pattern == name;
    }
    if (name.substr(0, star) != pattern.substr(0, star)) {
        return false;
    }
    const std::string_view rest = pattern.substr(star + 1);
    for (std::size_t i = star; i <= name.size(); i++) {
        if (matches(rest, name.substr(i))) {
            return true;
        }
        if (i < name.size() && name[i] == '.') {
            break;
        }
    }
    return false;
}

std::optional<Evidence> evidence_from(const std::string& name) {
    for (const Evidence each : {Evidence::Measured, Evidence::Documented, Evidence::Estimated}) {
        if (name == evidence_name(each)) {
            return each;
        }
    }
    return std::nullopt;
}

/** All quantities of a machine by name. */
class Names {
  public:
    explicit Names(Machine& machine) {
        for_each_quantity(machine, [&](const std::string& name, Quantity& quantity) {
            quantities_.emplace(name, &quantity);
        });
    }

    [[nodiscard]] std::vector<Quantity*> matching(const std::string& pattern) const {
        std::vector<Quantity*> found;
        if (pattern.find('*') == std::string::npos) {
            const auto exact = quantities_.find(pattern);
            if (exact != quantities_.end()) {
                found.push_back(exact->second);
            }
            return found;
        }
        for (const auto& [name, quantity] : quantities_) {
            if (matches(pattern, name)) {
                found.push_back(quantity);
            }
        }
        return found;
    }

  private:
    std::unordered_map<std::string, Quantity*> quantities_;
};

/** Empty, or what is wrong with the row. */
std::string apply_row(const json& row, const Names& names) {
    if (!row.is_array() || row.size() < 3 || row.size() > 4 || !row[0].is_string() ||
        !row[1].is_number() || !row[2].is_string() || (row.size() == 4 && !row[3].is_string())) {
        return "is not [name, value, evidence, note]";
    }
    const std::optional<Evidence> evidence = evidence_from(row[2].get<std::string>());
    if (!evidence) {
        return "has evidence that is none of measured, documented and estimated";
    }
    const auto value = row[1].get<double>();
    if (!std::isfinite(value) || value <= 0) {
        return "has a value that is not above 0";
    }
    const std::vector<Quantity*> named = names.matching(row[0].get<std::string>());
    for (Quantity* quantity : named) {
        *quantity = {value, *evidence, row.size() == 4 ? row[3].get<std::string>() : ""};
    }
    return named.empty() ? "names no quantity" : "";
}

std::string number(double value) {
    char text[32];
    const bool whole = value == std::floor(value) && value < 1e15;
    std::snprintf(text, sizeof text, whole ? "%.0f" : "%.6g", value);
    return text;
}

}  // namespace

Result<Machine> parse_machine(std::string_view text) {
    const json file = json::parse(text, nullptr, false);
    if (!file.is_object() || file.value("format", json()) != kFormat) {
        return Error{std::string("is not a machine file: it should be JSON with \"format\": \"") +
                     kFormat + "\""};
    }
    Machine machine;
    const auto field = [&](const char* name) {
        const json value = file.value(name, json(""));
        return value.is_string() ? value.get<std::string>() : std::string();
    };
    machine.target = field("target");
    machine.cpu = field("cpu");
    machine.date = field("date");
    const json rows = file.value("quantities", json());
    if (!rows.is_array()) {
        return Error{"has no list of quantities"};
    }
    const Names names(machine);
    for (const json& row : rows) {
        if (const std::string wrong = apply_row(row, names); !wrong.empty()) {
            return Error{"the row " + row.dump() + " " + wrong};
        }
    }
    return machine;
}

std::string to_text(const Machine& machine) {
    std::ostringstream text;
    text << "{\n \"format\": " << json(kFormat) << ",\n \"target\": " << json(machine.target)
         << ",\n \"cpu\": " << json(machine.cpu) << ",\n \"date\": " << json(machine.date)
         << ",\n \"quantities\": [";
    const char* between = "\n";
    for_each_quantity(machine, [&](const std::string& name, const Quantity& quantity) {
        if (!quantity.known()) {
            return;
        }
        text << between << "  [" << json(name) << ", " << number(quantity.value) << ", "
             << json(evidence_name(quantity.evidence));
        if (!quantity.note.empty()) {
            text << ", " << json(quantity.note);
        }
        text << "]";
        between = ",\n";
    });
    text << "\n ]\n}\n";
    return text.str();
}

Result<Machine> read_machine(const std::string& path) {
    const Result<std::string> text = read_file(path);
    if (!text) {
        return Error{text.error()};
    }
    Result<Machine> machine = parse_machine(text.value());
    return machine ? std::move(machine) : Error{path + " " + machine.error()};
}

}  // namespace nestor
