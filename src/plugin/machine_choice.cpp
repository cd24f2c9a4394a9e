#include "plugin/machine_choice.h"

#include <cstdlib>
#include <filesystem>

#include "halide/parse_target.h"
#include "halide/target_machine.h"
#include "machine/machine_file.h"

namespace nestor {

namespace {

Result<Machine> machine_from(const std::string& path, InstructionSet set) {
    Result<Machine> machine = read_machine(path);
    if (!machine) {
        return machine;
    }
    const Result<Halide::Target> target = parse_target(machine.value().target);
    if (!target || instruction_set_of(target.value()) != set) {
        return Error{path + " is of the target " + machine.value().target + ", and " +
                     name_of(set) + " is wanted"};
    }
    return machine;
}

}  // namespace

std::string cache_folder() {
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') {
        return cache;
    }
    const char* home = std::getenv("HOME");
    return home != nullptr && *home != '\0' ? std::string(home) + "/.cache" : "";
}

std::string probed_machine_file(InstructionSet set) {
    const std::string folder = cache_folder();
    return folder.empty() ? "" : folder + "/nestor/machines/" + name_of(set) + ".json";
}

Result<Machine> choose_machine(const Halide::Target& target, const Params& params) {
    const Machine shipped = machine_of(target);
    const InstructionSet set = instruction_set_of(target);
    std::string path = params.machine;
    if (path.empty()) {
        path = probed_machine_file(set);
        std::error_code ignored;
        if (path.empty() || !std::filesystem::exists(path, ignored)) {
            path = "shipped";
        }
    }
    Machine machine = shipped;
    if (path != "shipped") {
        Result<Machine> read = machine_from(path, set);
        if (!read) {
            return read;
        }
        machine = std::move(read).value();
        machine.vector_bytes = shipped.vector_bytes;
        if (!machine.streams.known()) {  // the probe does not measure it
            machine.streams = shipped.streams;
        }
    }
    machine.parallelism = params.parallelism;
    return machine;
}

}  // namespace nestor
