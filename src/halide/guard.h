#pragma once
// No exception leaves this folder.

#include <exception>
#include <string>
#include <utility>

#include "base/result.h"
#include "halide/halide.h"

namespace nestor {

/** body(), which returns a Result; what it throws becomes an Error of "what: text". (Halide::Error is not
 *  a std::exception.) */
template<class Body>
auto guard(const std::string &what, Body &&body) -> decltype(body()) {
    const std::string prefix = what.empty() ? "" : what + ": ";
    try {
        return std::forward<Body>(body)();
    } catch (const Halide::Error &error) {
        return Error{prefix + error.what()};
    } catch (const std::exception &error) {
        return Error{prefix + error.what()};
    }
}

}  // namespace nestor
