#pragma once
// Questions to child processes, which may crash or hang instead of answering.

#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "base/result.h"
#include "measure/forked_child.h"

namespace nestor {

struct ChildAnswer {
    nlohmann::json answer;
    std::string failure;  // empty if it answered
};

/** Tells the parent what `body` yields, or the std::runtime_error that it throws. */
void answer_parent(const ParentLink& link, const std::function<nlohmann::json()>& body);

/** Waits for the child's next line. A child that takes longer than `seconds` is killed. */
[[nodiscard]] ChildAnswer await_answer(ForkedChild& child, double seconds);

/** Runs `body` in a child under limits; it answers with JSON, or throws std::runtime_error. */
[[nodiscard]] ChildAnswer ask_child(const std::function<nlohmann::json()>& body, double seconds,
                                    std::int64_t bytes);

/** For bodies: the value, or the Error as an exception. */
template <class T>
T must(Result<T> result) {
    if (!result) {
        throw std::runtime_error(result.error());
    }
    return std::move(result).value();
}

}  // namespace nestor
