#include "report/page.h"

#include <cassert>
#include <map>
#include <nlohmann/json.hpp>

#include "base/version.h"
#include "report/page_texts.h"
#include "report/report_json.h"

namespace nestor {

using Json = nlohmann::ordered_json;

namespace {

std::string_view page_text(std::string_view name) {
    for (std::size_t i = 0; i < kPageTexts; i++) {
        if (page_texts[i].name == name) {
            return page_texts[i].text;
        }
    }
    assert(false);
    return "";
}

using Escapes = std::map<char, std::string_view>;

std::string escape(std::string_view text, const Escapes& escapes) {
    std::string result;
    for (const char c : text) {
        if (const auto found = escapes.find(c); found != escapes.end()) {
            result += found->second;
        } else {
            result += c;
        }
    }
    return result;
}

/** Puts values for {{names}}; what is put in is not looked at again. */
std::string fill(std::string_view text, const std::map<std::string_view, std::string>& values) {
    std::string result;
    while (true) {
        const std::size_t begin = text.find("{{");
        const std::size_t end = text.find("}}", begin);
        if (begin == std::string_view::npos || end == std::string_view::npos) {
            return result.append(text);
        }
        result.append(text.substr(0, begin));
        const auto value = values.find(text.substr(begin + 2, end - begin - 2));
        assert(value != values.end());
        result += value->second;
        text.remove_prefix(end + 2);
    }
}

std::string title_of(const std::vector<Report>& reports) {
    return reports.size() == 1 ? reports.front().pipeline
                               : std::to_string(reports.size()) + " pipelines";
}

}  // namespace

std::string escape_html(std::string_view text) {
    static const Escapes kEscapes = {
        {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    return escape(text, kEscapes);
}

std::string escape_json_island(std::string_view json) {
    // All three occur in strings only.
    static const Escapes kEscapes = {{'<', "\\u003c"}, {'>', "\\u003e"}, {'&', "\\u0026"}};
    return escape(json, kEscapes);
}

std::string report_page(const std::vector<Report>& reports, const std::string& source) {
    Json data{{"nestor", kVersion}, {"source", source}};
    data["reports"] = Json::array();
    for (const Report& report : reports) {
        data["reports"].push_back(to_json(report));
    }
    const std::string json = data.dump(-1, ' ', false, Json::error_handler_t::replace);
    return fill(page_text("page"), {{"title", escape_html(title_of(reports))},
                                    {"style", std::string(page_text("style"))},
                                    {"charts", std::string(page_text("chart"))},
                                    {"data", escape_json_island(json)},
                                    {"plots", std::string(page_text("plots"))},
                                    {"script", std::string(page_text("script"))}});
}

}  // namespace nestor
