#include "probe/system.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "base/files.h"
#include "measure/measurement.h"

namespace nestor::probe {

namespace {

constexpr const char* kNote = "from the operating system";

std::string first_line(const std::filesystem::path& path) {
    const Result<std::string> text = read_file(path.string());
    return text ? text.value().substr(0, text.value().find('\n')) : "";
}

/** "48K" in bytes; 0 if it is nothing like that. */
double bytes_from(const std::string& text) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    const std::string unit = end;
    return number * (unit == "K" ? 1024 : unit == "M" ? 1024 * 1024 : unit.empty() ? 1 : 0);
}

/** CPUs of a list like "0-3,8". */
int count_of(const std::string& list) {
    int count = 0;
    const char* next = list.c_str();
    while (*next >= '0' && *next <= '9') {
        char* end = nullptr;
        const long first = std::strtol(next, &end, 10);
        const long last = *end == '-' ? std::strtol(end + 1, &end, 10) : first;
        count += static_cast<int>(last - first) + 1;
        next = *end == ',' ? end + 1 : end;
    }
    return count;
}

Quantity said(double value) {
    return {value, Evidence::Documented, kNote};
}

}  // namespace

void describe_system(Machine& machine) {
    const MachineState state = machine_state(0);
    machine.cpu = state.cpu;
    machine.cores = said(state.cores);
    machine.page_bytes = said(static_cast<double>(sysconf(_SC_PAGESIZE)));

    std::map<std::string, CacheLevel*> levels = {
        {"1", &machine.l1}, {"2", &machine.l2}, {"3", &machine.l3}};
    const std::filesystem::path caches = "/sys/devices/system/cpu/cpu0/cache";
    for (int index = 0; std::filesystem::exists(caches / ("index" + std::to_string(index)));
         index++) {
        const std::filesystem::path folder = caches / ("index" + std::to_string(index));
        const double bytes = bytes_from(first_line(folder / "size"));
        const auto level = levels.find(first_line(folder / "level"));
        if (first_line(folder / "type") == "Instruction" || bytes <= 0 || level == levels.end()) {
            continue;
        }
        level->second->bytes = said(bytes);
        if (const int cores = count_of(first_line(folder / "shared_cpu_list")); cores > 0) {
            level->second->cores = said(cores);
        }
        if (const double line = bytes_from(first_line(folder / "coherency_line_size")); line > 0) {
            machine.line_bytes = said(line);
        }
        levels.erase(level);
    }
    // If it speaks of caches at all, what it does not name is not there.
    if (levels.size() < 3 && levels.contains("3")) {
        machine.l3 = {};
    }
}

}  // namespace nestor::probe
