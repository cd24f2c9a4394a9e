#include "halide/parse_target.h"

namespace nestor {

Result<Halide::Target> parse_target(const std::string& text) {
    if (!Halide::Target::validate_target_string(text)) {
        return Error{text +
                     " is no Halide target; one looks like host, x86-64-linux-avx2-fma or "
                     "arm-64-android, and nestor doctor shows this machine's"};
    }
    return Halide::Target(text);
}

}  // namespace nestor
