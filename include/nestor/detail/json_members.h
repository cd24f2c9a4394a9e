#pragma once
// The members of one JSON object, as far as what `nestor` prints needs them.

#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

namespace nestor::auto_scheduler::detail {

/** Members by name: strings without their quotes and escapes, everything else as it is written. */
class JsonMembers {
  public:
    /** Throws std::runtime_error if `text` is no object. */
    explicit JsonMembers(const std::string& text) : text_(text) {
        expect('{');
        for (bool first = true; next() != '}'; first = false) {
            if (!first) {
                expect(',');
            }
            const std::string name = string();
            expect(':');
            members_[name] = value();
        }
    }

    [[nodiscard]] bool has(const std::string& name) const { return members_.count(name) != 0; }
    /** Empty if there is none. */
    [[nodiscard]] std::string text(const std::string& name) const {
        const auto found = members_.find(name);
        return found == members_.end() ? "" : found->second;
    }
    /** 0 if there is none. */
    [[nodiscard]] double number(const std::string& name) const {
        return std::strtod(text(name).c_str(), nullptr);
    }

  private:
    [[noreturn]] void fail() const {
        throw std::runtime_error("nestor printed something else than was expected: " +
                                 text_.substr(0, 200));
    }
    char next() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
            at_++;
        }
        return at_ < text_.size() ? text_[at_] : (fail(), '\0');
    }
    void expect(char c) {
        if (next() != c) {
            fail();
        }
        at_++;
    }
    char take() { return at_ < text_.size() ? text_[at_++] : (fail(), '\0'); }

    std::string value() {
        const char first = next();
        if (first == '"') {
            return string();
        }
        const std::size_t begin = at_;
        int depth = 0;
        while (depth > 0 || (next() != ',' && next() != '}')) {
            const char c = next();
            if (c == '"') {
                (void)string();
                continue;
            }
            depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
            at_++;
        }
        return text_.substr(begin, at_ - begin);
    }

    std::string string() {
        expect('"');
        std::string result;
        for (char c = take(); c != '"'; c = take()) {
            if (c == '\\') {
                escape(take(), result);
            } else {
                result += c;
            }
        }
        return result;
    }

    void escape(char c, std::string& result) {
        constexpr const char* kEscapes = "bfnrt";
        constexpr const char* kMeanings = "\b\f\n\r\t";
        for (int i = 0; i < 5; i++) {
            if (c == kEscapes[i]) {
                result += kMeanings[i];
                return;
            }
        }
        if (c != 'u') {
            result += c;
            return;
        }
        if (at_ + 4 > text_.size()) {
            fail();
        }
        const unsigned long code = std::strtoul(text_.substr(at_, 4).c_str(), nullptr, 16);
        at_ += 4;
        result += code < 0x80 ? static_cast<char>(code) : '?';  // `nestor` prints others as UTF-8
    }

    std::string text_;
    std::size_t at_ = 0;
    std::map<std::string, std::string> members_;
};

}  // namespace nestor::auto_scheduler::detail
