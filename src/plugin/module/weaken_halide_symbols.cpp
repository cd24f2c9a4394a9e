// Build step: weaken_halide_symbols PLUGIN.so makes every symbol that the plug-in takes from
// libHalide weak.
//
// Why: a plug-in loaded into another release of Halide should say so. With ordinary (strong)
// references the dynamic linker speaks first: data references (vtables, typeinfo) and, under
// LD_BIND_NOW, functions too, must exist when the file is opened, or opening it fails with nothing
// but a mangled name; other functions end the process when they are first called. With weak ones
// opening always succeeds, and check_halide() of halide_check.h looks before anything is called.
// The compiler can't do this (Halide.h declares the functions without `weak`), and the linker's own
// option needs binutils 2.40 and a link without libHalide, which would hide real mistakes. One byte
// a symbol in the finished file is the same thing without either.
//
// 64-bit ELF of the machine's own byte order. Exit status 1, with a message, if the file is
// anything else.

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "plugin/halide_symbols.h"

namespace {

/** The object of type T at `offset`, or an exception: a damaged file must not be read past its end.
 */
template <class T>
T read_at(const std::vector<char>& file, std::size_t offset) {
    T value;
    if (offset > file.size() || file.size() - offset < sizeof(T)) {
        throw std::string("truncated");
    }
    std::memcpy(&value, file.data() + offset, sizeof(T));
    return value;
}

std::string_view name_at(const std::vector<char>& file, std::size_t offset) {
    if (offset >= file.size()) {
        throw std::string("a symbol's name lies outside the file");
    }
    return {file.data() + offset, strnlen(file.data() + offset, file.size() - offset)};
}

/** Patches one dynamic symbol table; yields the number of symbols of Halide in it. */
int weaken_table(std::vector<char>& file, const Elf64_Shdr& table, const Elf64_Shdr& names) {
    int count = 0;
    for (std::size_t at = table.sh_offset; at < table.sh_offset + table.sh_size;
         at += sizeof(Elf64_Sym)) {
        auto symbol = read_at<Elf64_Sym>(file, at);
        if (symbol.st_shndx != SHN_UNDEF ||
            !nestor::is_halide_symbol(name_at(file, names.sh_offset + symbol.st_name))) {
            continue;
        }
        symbol.st_info = ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(symbol.st_info));
        std::memcpy(file.data() + at, &symbol, sizeof(symbol));
        count++;
    }
    return count;
}

int weaken(std::vector<char>& file) {
    const auto header = read_at<Elf64_Ehdr>(file, 0);
    constexpr unsigned char order =
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != order ||
        header.e_type != ET_DYN) {
        throw std::string("not a 64-bit ELF shared object of this machine's byte order");
    }
    const auto section = [&](std::size_t index) {
        return read_at<Elf64_Shdr>(file, header.e_shoff + index * sizeof(Elf64_Shdr));
    };
    for (std::size_t i = 0; i < header.e_shnum; i++) {
        const Elf64_Shdr table = section(i);
        if (table.sh_type == SHT_DYNSYM) {
            return weaken_table(file, table, section(table.sh_link));
        }
    }
    throw std::string("no dynamic symbols");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: weaken_halide_symbols PLUGIN.so\n";
        return 1;
    }
    try {
        std::fstream stream(argv[1], std::ios::in | std::ios::out | std::ios::binary);
        std::vector<char> file{std::istreambuf_iterator<char>(stream), {}};
        if (weaken(file) == 0) {
            throw std::string("takes no symbol from Halide");
        }
        stream.clear();
        stream.seekp(0);
        if (!stream.write(file.data(), static_cast<std::streamsize>(file.size())).flush()) {
            throw std::string("cannot write");
        }
    } catch (const std::string& problem) {
        std::cerr << "weaken_halide_symbols: " << argv[1] << ": " << problem << "\n";
        return 1;
    }
    return 0;
}
