#include "schedule/json/fields.h"

namespace nestor {

void ParseErrors::add(const std::string& where, const std::string& what) {
    if (first_.empty()) {
        first_ = where.empty() ? what : where + ": " + what;
    }
}

std::string kind_of(const Json& json) {
    switch (json.type()) {
        case Json::value_t::null:
            return "null";
        case Json::value_t::object:
            return "an object";
        case Json::value_t::array:
            return "an array";
        case Json::value_t::string:
            return "a string";
        case Json::value_t::boolean:
            return "a boolean";
        default:
            return "a number";
    }
}

std::optional<std::int64_t> as_integer(const Json& json, const std::string& where,
                                       ParseErrors& errors) {
    if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX) {
        errors.add(where, "is too large a number");
        return std::nullopt;
    }
    if (!json.is_number_integer()) {
        errors.add(where, "is " + kind_of(json) + ", and should be an integer");
        return std::nullopt;
    }
    return json.get<std::int64_t>();
}

std::optional<std::string> as_text(const Json& json, const std::string& where,
                                   ParseErrors& errors) {
    if (!json.is_string()) {
        errors.add(where, "is " + kind_of(json) + ", and should be a string");
        return std::nullopt;
    }
    return json.get<std::string>();
}

Fields::Fields(const Json& json, std::string where, ParseErrors& errors)
    : json_(json), where_(std::move(where)), errors_(errors) {
    if (!json.is_object()) {
        errors_.add(where_, "is " + kind_of(json) + ", and should be an object");
    }
}

const Json* Fields::find(const char* key) {
    known_.insert(key);
    if (!json_.is_object()) {
        return nullptr;
    }
    const auto found = json_.find(key);
    return found == json_.end() ? nullptr : &*found;
}

std::string Fields::text(const char* key, bool required) {
    const Json* value = find(key);
    if (value == nullptr) {
        if (required) {
            errors_.add(where_, std::string("has no \"") + key + "\"");
        }
        return "";
    }
    return as_text(*value, where_ + ", \"" + key + "\"", errors_).value_or("");
}

std::int64_t Fields::integer(const char* key, std::int64_t otherwise, bool required) {
    const Json* value = find(key);
    if (value == nullptr) {
        if (required) {
            errors_.add(where_, std::string("has no \"") + key + "\"");
        }
        return otherwise;
    }
    return as_integer(*value, where_ + ", \"" + key + "\"", errors_).value_or(otherwise);
}

bool Fields::boolean(const char* key, bool otherwise) {
    const Json* value = find(key);
    if (value == nullptr) {
        return otherwise;
    }
    if (!value->is_boolean()) {
        wrong(key, "is " + kind_of(*value) + ", and should be true or false");
        return otherwise;
    }
    return value->get<bool>();
}

std::vector<const Json*> Fields::array(const char* key) {
    std::vector<const Json*> elements;
    const Json* value = find(key);
    if (value == nullptr) {
        return elements;
    }
    if (!value->is_array()) {
        wrong(key, "is " + kind_of(*value) + ", and should be an array");
        return elements;
    }
    for (const Json& element : *value) {
        elements.push_back(&element);
    }
    return elements;
}

std::vector<std::string> Fields::texts(const char* key) {
    std::vector<std::string> texts;
    for (const Json* element : array(key)) {
        texts.push_back(as_text(*element, where_ + ", \"" + key + "\"", errors_).value_or(""));
    }
    return texts;
}

void Fields::finish() {
    if (!json_.is_object()) {
        return;
    }
    for (auto it = json_.begin(); it != json_.end(); ++it) {
        if (!known_.contains(it.key())) {
            std::string keys;
            for (const std::string& key : known_) {
                keys += (keys.empty() ? "" : ", ") + key;
            }
            errors_.add(where_, "has an unknown key \"" + it.key() + "\" (known are " + keys + ")");
        }
    }
}

void Fields::wrong(const char* key, const std::string& what) {
    errors_.add(where_ + ", \"" + key + "\"", what);
}

}  // namespace nestor
