#pragma once
// Failure as data: a function that can fail returns Result<T>, and the error carries a message
// that says what to do instead (design, convention 3).

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace nestor {

struct Error {
    std::string message;
};

template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value)
        : state_(std::in_place_index<0>, std::move(value)) {
    }  // NOLINT(google-explicit-constructor)
    Result(Error error)
        : state_(std::in_place_index<1>, std::move(error)) {
    }  // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }

    /** Precondition: ok(). */
    [[nodiscard]] const T& value() const& { return assert(ok()), *std::get_if<0>(&state_); }
    [[nodiscard]] T& value() & { return assert(ok()), *std::get_if<0>(&state_); }
    [[nodiscard]] T&& value() && { return assert(ok()), std::move(*std::get_if<0>(&state_)); }

    /** Precondition: !ok(). */
    [[nodiscard]] const std::string& error() const {
        return assert(!ok()), std::get_if<1>(&state_)->message;
    }

  private:
    std::variant<T, Error> state_;
};

/** The value of an operation that yields nothing but success. */
struct Ok {};
using Status = Result<Ok>;

}  // namespace nestor
