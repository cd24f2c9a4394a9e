#pragma once
// Halide reports errors by throwing Halide::Error, which is no std::exception.

#include <exception>
#include <string>

#include "base/result.h"
#include "halide/halide.h"

namespace nestor {

/** body()'s Result; an exception of Halide's or of the library's becomes an Error "<what>: <its
 * text>". */
template <class Body>
auto catching(const std::string& what, const Body& body) -> decltype(body()) {
    try {
        return body();
    } catch (const Halide::Error& error) {
        return Error{what + ": " + error.what()};
    } catch (const std::exception& error) {
        return Error{what + ": " + error.what()};
    }
}

}  // namespace nestor
