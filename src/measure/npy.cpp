#include "measure/npy.h"

#include <array>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace nestor {

namespace {

struct TypeRow {
    const char* code;
    const char* name;
    halide_type_t type;
};

const std::array<TypeRow, 12> type_table = {{
    {"|b1", "bool", {halide_type_uint, 1}},
    {"|u1", "uint8", {halide_type_uint, 8}},
    {"<u2", "uint16", {halide_type_uint, 16}},
    {"<u4", "uint32", {halide_type_uint, 32}},
    {"<u8", "uint64", {halide_type_uint, 64}},
    {"|i1", "int8", {halide_type_int, 8}},
    {"<i2", "int16", {halide_type_int, 16}},
    {"<i4", "int32", {halide_type_int, 32}},
    {"<i8", "int64", {halide_type_int, 64}},
    {"<f2", "float16", {halide_type_float, 16}},
    {"<f4", "float32", {halide_type_float, 32}},
    {"<f8", "float64", {halide_type_float, 64}},
}};

constexpr const char* magic = "\x93NUMPY\x01";
constexpr std::size_t magic_size = 8;

const TypeRow& row_of(halide_type_t type) {
    for (const TypeRow& row : type_table) {
        if (row.type == type) {
            return row;
        }
    }
    throw std::runtime_error("NumPy has no type for the elements of this buffer");
}

/** The text after `key` in the header's dictionary. */
std::string after(const std::string& header, const std::string& key, const std::string& path) {
    const std::size_t at = header.find(key);
    if (at == std::string::npos) {
        throw std::runtime_error(path + ": no " + key + " in its header");
    }
    return header.substr(at + key.size());
}

std::vector<int> extents_of(const std::string& header, const std::string& path) {
    std::string text = after(header, "'shape': (", path);
    text = text.substr(0, text.find(')'));
    std::vector<int> extents;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit == std::string::npos) {
            break;
        }
        std::size_t used = 0;
        extents.insert(extents.begin(), std::stoi(text.substr(digit), &used));
        at = digit + used;
    }
    return extents;
}

halide_type_t type_of(const std::string& header, const std::string& path) {
    const std::string text = after(header, "'descr': '", path);
    for (const TypeRow& row : type_table) {
        if (text.compare(0, 3, row.code) == 0) {
            return row.type;
        }
    }
    throw std::runtime_error(path + ": element type " + text.substr(0, 3) + " is not known here");
}

}  // namespace

std::string type_name(halide_type_t type) {
    return row_of(type).name;
}

AnyBuffer read_npy(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::array<char, magic_size> start{};
    std::array<unsigned char, 2> size{};
    file.read(start.data(), start.size());
    file.read(reinterpret_cast<char*>(size.data()), size.size());
    if (!file || std::string(start.data(), 7) != magic) {
        throw std::runtime_error(path + " is not a .npy file of version 1");
    }
    std::string header(size[0] + 256 * size[1], ' ');
    file.read(header.data(), static_cast<std::streamsize>(header.size()));
    if (after(header, "'fortran_order': ", path).compare(0, 5, "False") != 0) {
        throw std::runtime_error(path + " is not in C order");
    }
    AnyBuffer buffer(type_of(header, path), extents_of(header, path));
    file.read(static_cast<char*>(buffer.data()),
              static_cast<std::streamsize>(buffer.size_in_bytes()));
    if (!file) {
        throw std::runtime_error(path + " is cut short");
    }
    return buffer;
}

void write_npy(const std::string& path, const AnyBuffer& buffer) {
    std::string shape;
    std::vector<int> extents;
    for (int d = 0; d < buffer.dimensions(); d++) {
        extents.push_back(buffer.dim(d).extent());
        shape = std::to_string(extents.back()) + ", " + shape;
    }
    std::string header = std::string("{'descr': '") + row_of(buffer.type()).code +
                         "', 'fortran_order': False, 'shape': (" + shape + "), }";
    // The data begins at a multiple of 64 bytes.
    header.append(63 - (magic_size + 2 + header.size()) % 64, ' ');
    header += '\n';

    AnyBuffer dense(buffer.type(), extents);
    for (int d = 0; d < buffer.dimensions(); d++) {
        dense.translate(d, buffer.dim(d).min());
    }
    dense.copy_from(buffer);

    std::ofstream file(path, std::ios::binary);
    const std::array<char, 3> rest = {'\0', static_cast<char>(header.size() % 256),
                                      static_cast<char>(header.size() / 256)};
    file << magic;
    file.write(rest.data(), rest.size());
    file << header;
    file.write(static_cast<const char*>(dense.data()),
               static_cast<std::streamsize>(dense.size_in_bytes()));
    if (!file.flush()) {
        throw std::runtime_error("cannot write " + path);
    }
}

}  // namespace nestor
