#include "cli/halide_library.h"

#include <dlfcn.h>

#include <filesystem>
#include <vector>

#include "halide/halide.h"
#include "plugin/halide_check.h"

namespace nestor {

std::string halide_library_path() {
    // Halide::get_host_target(), by its name: `&get_host_target` may be in our own linkage table.
    const void* symbol = ::dlsym(RTLD_DEFAULT, "_ZN6Halide15get_host_targetEv");
    Dl_info info;
    return symbol != nullptr && ::dladdr(symbol, &info) != 0 ? info.dli_fname : "";
}

std::string halide_library_folder() {
    std::error_code problem;
    return std::filesystem::absolute(halide_library_path(), problem).parent_path().string();
}

std::string halide_built_for() {
    return std::to_string(HALIDE_VERSION_MAJOR) + "." + std::to_string(HALIDE_VERSION_MINOR) + "." +
           std::to_string(HALIDE_VERSION_PATCH);
}

std::string halide_problem() {
    if (std::string problem = check_halide(halide_built_for()); !problem.empty()) {
        return problem;
    }
    Halide::Var x("x");
    Halide::Func f("f");
    f(x) = x;
    std::vector<std::uint8_t> bytes;
    Halide::serialize_pipeline(Halide::Pipeline(f), bytes);
    return check_serialized_release(bytes, halide_built_for());
}

}  // namespace nestor
