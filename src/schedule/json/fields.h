#pragma once
// Fields: an object of parsed JSON, read key by key. The first thing that is wrong is kept, with
// where it is; after it, reading goes on with defaults, so that a reader needs no checks of its
// own.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nestor {

using Json = nlohmann::ordered_json;

/** The first error of a document. */
class ParseErrors {
  public:
    void add(const std::string& where, const std::string& what);
    [[nodiscard]] bool any() const { return !first_.empty(); }
    [[nodiscard]] const std::string& first() const { return first_; }

  private:
    std::string first_;
};

/** "an object", "a number": what a value is, for people. */
[[nodiscard]] std::string kind_of(const Json& json);

class Fields {
  public:
    /** `where`: the path of the object, "functions, \"blur\", stage 0". */
    Fields(const Json& json, std::string where, ParseErrors& errors);

    [[nodiscard]] const Json* find(const char* key);
    [[nodiscard]] std::string text(const char* key, bool required);
    [[nodiscard]] std::int64_t integer(const char* key, std::int64_t otherwise, bool required);
    [[nodiscard]] bool boolean(const char* key, bool otherwise);
    /** Elements of an array; none if the key is missing. */
    [[nodiscard]] std::vector<const Json*> array(const char* key);
    [[nodiscard]] std::vector<std::string> texts(const char* key);

    /** Complains about keys that nobody asked for. */
    void finish();

    void wrong(const char* key, const std::string& what);
    [[nodiscard]] const std::string& where() const { return where_; }
    [[nodiscard]] ParseErrors& errors() { return errors_; }

  private:
    const Json& json_;
    const std::string where_;
    ParseErrors& errors_;
    std::set<std::string> known_;
};

/** The integer, or nothing with an error. */
[[nodiscard]] std::optional<std::int64_t> as_integer(const Json& json, const std::string& where,
                                                     ParseErrors& errors);
[[nodiscard]] std::optional<std::string> as_text(const Json& json, const std::string& where,
                                                 ParseErrors& errors);

}  // namespace nestor
