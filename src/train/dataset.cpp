#include "train/dataset.h"

#include <nlohmann/json.hpp>

#include "base/hash.h"

namespace nestor {

namespace {

constexpr const char* kFormat = "nestor-examples";

Result<Example> parse_example(const nlohmann::json& line, int family) {
    Example example;
    example.family = family;
    example.measured_seconds = line.at("measured").get<double>();
    example.groups.seconds = line.at("seconds").get<std::vector<double>>();
    for (const nlohmann::json& row : line.at("rows")) {
        const auto values = row.get<std::vector<float>>();
        if (values.size() != features().size()) {
            return Error{"a row of another length than the features"};
        }
        example.groups.rows.add(values);
    }
    return example;
}

}  // namespace

Example make_example(const PipelineDag& dag, const Schedule& schedule, const Machine& machine,
                     double measured_seconds) {
    return {group_rows(dag, schedule, machine), measured_seconds, 1, 0};
}

std::string print_examples(const std::vector<Example>& examples) {
    const nlohmann::json head{{"format", kFormat}, {"schema", hash_text(schema_hash())}};
    std::string text = head.dump() + "\n";
    for (const Example& example : examples) {
        nlohmann::json rows = nlohmann::json::array();
        for (std::size_t i = 0; i < example.groups.rows.rows(); i++) {
            const auto row = example.groups.rows.row(i);
            rows.push_back(std::vector<float>(row.begin(), row.end()));
        }
        const nlohmann::json line{{"measured", example.measured_seconds},
                                  {"seconds", example.groups.seconds},
                                  {"rows", std::move(rows)}};
        text += line.dump() + "\n";
    }
    return text;
}

Result<std::vector<Example>> parse_examples(std::string_view text, int family) {
    std::vector<Example> examples;
    bool is_head = true;
    try {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            const auto line = nlohmann::json::parse(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
            if (!is_head) {
                Result<Example> example = parse_example(line, family);
                if (!example) {
                    return Error{example.error()};
                }
                examples.push_back(std::move(example).value());
            } else if (line.value("format", "") != kFormat) {
                return Error{"no examples as `nestor examples` writes them"};
            } else if (line.value("schema", "") != hash_text(schema_hash())) {
                return Error{
                    "examples of other features than this version of Nestor's; make them again "
                    "with `nestor examples`"};
            }
            is_head = false;
        }
    } catch (const nlohmann::json::exception& problem) {
        return Error{std::string("damaged examples: ") + problem.what()};
    }
    return examples;
}

}  // namespace nestor
