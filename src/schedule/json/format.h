#pragma once
// Words of the JSON form, shared by its printer and its parser. See docs of the form in
// print_json.cpp.

namespace nestor::json_words {

inline constexpr const char* kFormat = "nestor-schedule";
inline constexpr int kVersion = 1;

}  // namespace nestor::json_words
