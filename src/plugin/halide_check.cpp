// What is read here (relocations, symbol and string tables) is the in-memory form of the ELF
// specification's dynamic section; glibc has already turned the addresses in it into pointers.

#include "plugin/halide_check.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <string_view>

#include "plugin/halide_symbols.h"

namespace nestor {

namespace {

struct Relocations {
    const ElfW(Rela) * first = nullptr;
    std::size_t bytes = 0;
};

/** The parts of a loaded object's dynamic section that say what it takes from others. */
struct DynamicSection {
    const ElfW(Sym) * symbols = nullptr;
    const char* names = nullptr;
    Relocations data, functions;
};

DynamicSection dynamic_section(const link_map& object) {
    DynamicSection out;
    for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; entry++) {
        const auto address = entry->d_un.d_ptr;
        switch (entry->d_tag) {
            case DT_SYMTAB:
                out.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
                break;
            case DT_STRTAB:
                out.names = reinterpret_cast<const char*>(address);
                break;
            case DT_RELA:
                out.data.first = reinterpret_cast<const ElfW(Rela)*>(address);
                break;
            case DT_RELASZ:
                out.data.bytes = entry->d_un.d_val;
                break;
            case DT_JMPREL:
                out.functions.first = reinterpret_cast<const ElfW(Rela)*>(address);
                break;
            case DT_PLTRELSZ:
                out.functions.bytes = entry->d_un.d_val;
                break;
            default:
                break;
        }
    }
    return out;
}

/** Names of Halide's symbols that this plug-in refers to. Relocations are walked, not the symbol
 * table: the table's length is written nowhere. */
std::set<std::string> needed_symbols() {
    std::set<std::string> needed;
    Dl_info info;
    void* map = nullptr;
    // Any address inside this object will do.
    if (dladdr1(reinterpret_cast<const void*>(&dynamic_section), &info, &map, RTLD_DL_LINKMAP) ==
        0) {
        return needed;
    }
    const DynamicSection section = dynamic_section(*static_cast<const link_map*>(map));
    for (const Relocations& table : {section.data, section.functions}) {
        for (std::size_t i = 0; i < table.bytes / sizeof(ElfW(Rela)); i++) {
            const ElfW(Sym)& symbol = section.symbols[ELF64_R_SYM(table.first[i].r_info)];
            const std::string_view name = section.names + symbol.st_name;
            if (symbol.st_shndx == SHN_UNDEF && is_halide_symbol(name)) {
                needed.emplace(name);
            }
        }
    }
    return needed;
}

/** Where the needed symbols come from. */
struct Bindings {
    std::set<std::string> needed, missing;
    std::set<std::string> objects;  // files that hold the ordinary (not inline) ones
};

Bindings look_up(const std::set<std::string>& needed) {
    Bindings out;
    out.needed = needed;
    for (const std::string& name : needed) {
        // With RTLD_DEFAULT glibc searches what this object's own relocations are searched in.
        void* address = dlsym(RTLD_DEFAULT, name.c_str());
        Dl_info info;
        void* symbol = nullptr;
        if (address == nullptr) {
            out.missing.insert(name);
        } else if (dladdr1(address, &info, &symbol, RTLD_DL_SYMENT) != 0 && symbol != nullptr &&
                   ELF64_ST_BIND(static_cast<const ElfW(Sym)*>(symbol)->st_info) != STB_WEAK) {
            // Weak ones are inline functions and the like; a program linked with -rdynamic offers
            // its own, the same.
            out.objects.insert(info.dli_fname);
        }
    }
    return out;
}

/** Files in this process that are libHalide by name. */
std::set<std::string> loaded_halides() {
    std::set<std::string> files;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* out) {
            const std::string path = info->dlpi_name;
            const std::string file = path.substr(path.rfind('/') + 1);
            if (file.starts_with("libHalide.") || file.starts_with("libHalide-")) {
                static_cast<std::set<std::string>*>(out)->insert(path);
            }
            return 0;
        },
        &files);
    return files;
}

std::string join(const std::set<std::string>& parts, const std::string& separator) {
    std::string text;
    for (const std::string& part : parts) {
        text += (text.empty() ? "" : separator) + part;
    }
    return text;
}

std::string readable(const std::string& mangled) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
    return name ? name.get() : mangled;
}

std::string what_to_do(const std::string& built_for) {
    return "Use Halide " + built_for + " (python3 -m pip install halide==" + built_for +
           "), or build Nestor with the Halide that you use.";
}

/** Two dots between digits. */
bool looks_like_a_release(std::string_view text) {
    return std::count(text.begin(), text.end(), '.') == 2 && text.front() != '.' &&
           text.back() != '.' && text.find("..") == std::string_view::npos &&
           text.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

std::string check_halide(const std::string& built_for) {
    const Bindings bindings = look_up(needed_symbols());
    const std::set<std::string> halides = loaded_halides();
    if (!bindings.missing.empty()) {
        return "built for Halide " + built_for + ", but the Halide in this process (" +
               join(halides, ", ") + ") is another release: it lacks " +
               std::to_string(bindings.missing.size()) + " of the " +
               std::to_string(bindings.needed.size()) + " symbols that are needed, such as " +
               readable(*bindings.missing.begin()) + ". " + what_to_do(built_for);
    }
    if (halides.size() > 1 || bindings.objects.size() > 1) {
        return "two copies of Halide in this process (" +
               join(halides.size() > 1 ? halides : bindings.objects, " and ") +
               "), so a scheduler registered with one would be unknown to the other. Link the "
               "program with the shared "
               "library of Halide " +
               built_for + ", and keep one copy on the library path.";
    }
    return "";
}

std::string check_serialized_release(const std::vector<std::uint8_t>& pipeline,
                                     const std::string& built_for) {
    // A flatbuffer keeps a string as its length (32 bits, little-endian), its bytes and a zero. The
    // pipeline's table holds two that look like a release, Halide's and the format's.
    std::string found;
    for (std::size_t i = 0; i + 4 < pipeline.size(); i++) {
        const std::size_t length = pipeline[i];
        if (length < 5 || length > 16 || i + 4 + length >= pipeline.size() ||
            pipeline[i + 1] != 0 || pipeline[i + 2] != 0 || pipeline[i + 3] != 0 ||
            pipeline[i + 4 + length] != 0) {
            continue;
        }
        const std::string_view text(reinterpret_cast<const char*>(&pipeline[i + 4]), length);
        if (text == built_for) {
            return "";
        }
        if (found.empty() && looks_like_a_release(text)) {
            found = text;
        }
    }
    return "built for Halide " + built_for + ", but the Halide in this process is " +
           (found.empty() ? "another release" : found) + ". " + what_to_do(built_for);
}

}  // namespace nestor
