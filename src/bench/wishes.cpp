#include "bench/wishes.h"

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"

namespace nestor {

using nlohmann::json;

namespace {

/** Nested lists have the last axis fastest, which is Halide's dimension 0. */
void flatten(const json& nested, std::vector<double>& values) {
    if (!nested.is_array()) {
        values.push_back(nested.get<double>());
        return;
    }
    for (const json& each : nested) {
        flatten(each, values);
    }
}

void merge(const json& text, Wishes& wishes) {
    const json scalars = text.value("scalars", json::object());
    for (const auto& [name, value] : scalars.items()) {
        wishes.scalars[name] = value.is_boolean() ? value.get<bool>() : value.get<double>();
    }
    wishes.integer_slack = text.value("integer_slack", wishes.integer_slack);
    const json inputs = text.value("inputs", json::object());
    for (const auto& [name, wish] : inputs.items()) {
        if (wish.contains("values")) {
            std::vector<double>& values = wishes.values[name];
            values.clear();
            flatten(wish["values"], values);
        }
    }
}

/** Writes a number as an element of any type. */
void store(const Halide::Type& type, double value, std::uint8_t* at) {
    const halide_scalar_value_t bits = scalar_bits(type, value);
    std::memcpy(at, &bits.u, static_cast<std::size_t>(type.bytes()));  // little-endian
}

}  // namespace

Result<Wishes> read_wishes(const std::vector<std::string>& folders, const std::string& name) {
    namespace fs = std::filesystem;
    Wishes wishes;
    for (const std::string& parent : folders) {
        const fs::path folder = fs::path(parent) / name;
        if (!fs::is_directory(folder)) {
            continue;
        }
        const fs::path description = folder / "inputs.json";
        if (fs::exists(description)) {
            const Result<std::string> text = read_file(description.string());
            if (!text) {
                return Error{text.error()};
            }
            try {
                merge(json::parse(text.value()), wishes);
            } catch (const json::exception& error) {
                return Error{description.string() + ": " + error.what()};
            }
        }
        for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
            if (entry.path().extension() == ".npy") {
                wishes.files[entry.path().stem().string()] = entry.path().string();
            }
        }
    }
    return wishes;
}

Status fill_inputs(const CallShape& shape, const Memories& inputs, const Wishes& wishes) {
    constexpr std::uint64_t kSeed = 1;
    if (Status status = fill_inputs(shape, inputs, kSeed, wishes.files); !status) {
        return status;
    }
    for (const CallArgument& argument : shape) {
        const auto wish = wishes.values.find(argument.buffer.name);
        if (!argument.is_buffer || argument.buffer.is_output || wish == wishes.values.end()) {
            continue;
        }
        if (static_cast<std::int64_t>(wish->second.size()) != argument.buffer.elements()) {
            return Error{"input " + argument.buffer.name + " has " +
                         std::to_string(argument.buffer.elements()) + " elements, its values are " +
                         std::to_string(wish->second.size())};
        }
        std::uint8_t* data = inputs.at(argument.buffer.name).data();
        for_each_element(argument.buffer, [&](std::int64_t position, std::int64_t offset) {
            store(argument.buffer.type, wish->second[static_cast<std::size_t>(position)],
                  data + offset);
        });
    }
    return Ok{};
}

}  // namespace nestor
