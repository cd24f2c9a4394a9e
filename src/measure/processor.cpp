#include "measure/processor.h"

#include <sched.h>

#include <fstream>
#include <vector>

namespace nestor {

namespace {

/** The first line of /proc/cpuinfo of that name. */
std::string processor_line(const std::string& name) {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        const std::size_t colon = line.find(": ");
        if (line.rfind(name, 0) == 0 && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "";
}

/** What a board says that it is; text of a device tree ends with a zero. */
std::string board_name() {
    std::ifstream file("/proc/device-tree/model");
    std::string name;
    std::getline(file, name, '\0');
    return name;
}

}  // namespace

std::string processor_name() {
    // ARM's kernels give numbers instead of a model name.
    for (const std::string& name :
         {processor_line("model name"), processor_line("Hardware"), board_name()}) {
        if (!name.empty()) {
            return name;
        }
    }
    const std::string part = processor_line("CPU part");
    return part.empty() ? "unknown"
                        : "implementer " + processor_line("CPU implementer") + ", part " + part;
}

int usable_cores() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

double load_average() {
    std::ifstream file("/proc/loadavg");
    double load = 0;
    file >> load;
    return file ? load : 0;
}

}  // namespace nestor
