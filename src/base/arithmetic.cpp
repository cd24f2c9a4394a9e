#include "base/arithmetic.h"

namespace nestor {

const char* name_of(ElementType type) {
    constexpr const char* kNames[] = {"int8", "int16", "int32", "int64", "float32", "float64"};
    return kNames[static_cast<std::size_t>(type)];
}

const char* name_of(Arithmetic operation) {
    constexpr const char* kNames[] = {"add",      "minimum",      "select",     "shift",
                                      "multiply", "multiply_add", "divide",     "square_root",
                                      "exp",      "widen",        "dot_product"};
    return kNames[static_cast<std::size_t>(operation)];
}

int bytes_of(ElementType type) {
    constexpr int kBytes[] = {1, 2, 4, 8, 4, 8};
    return kBytes[static_cast<std::size_t>(type)];
}

ElementType integer_of(int bytes) {
    switch (bytes) {
        case 1:
            return ElementType::Int8;
        case 2:
            return ElementType::Int16;
        case 4:
            return ElementType::Int32;
        default:
            return ElementType::Int64;
    }
}

}  // namespace nestor
