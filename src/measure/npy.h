#pragma once
// Arrays in NumPy's .npy files, version 1: how pictures and results travel between compare.py and
// the driver. https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

#include <string>

#include "HalideBuffer.h"

namespace nestor {

using AnyBuffer = Halide::Runtime::Buffer<void>;

/** Name of an element type as NumPy knows it ("uint8", "float32"). Throws where there is none. */
[[nodiscard]] std::string type_name(halide_type_t type);

/**
 * Reads an array in C order. NumPy's last axis, the one whose elements lie side by side, becomes
 * dimension 0; every minimum is 0. Throws std::runtime_error if the file is no such array.
 */
[[nodiscard]] AnyBuffer read_npy(const std::string& path);

/** Writes a buffer of any strides, the reverse way round. Throws std::runtime_error. */
void write_npy(const std::string& path, const AnyBuffer& buffer);

}  // namespace nestor
