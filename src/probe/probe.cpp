#include "probe/probe.h"

#include <ctime>
#include <stdexcept>

#include "halide/target_machine.h"
#include "probe/accesses.h"
#include "probe/memory.h"
#include "probe/operations.h"
#include "probe/parallel.h"
#include "probe/survey.h"
#include "probe/system.h"

namespace nestor {

namespace {

std::string today() {
    const std::time_t now = std::time(nullptr);
    char text[16];
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
    return text;
}

}  // namespace

Result<Machine> probe_machine(const ProbeOptions& options) {
    const Halide::Target host = Halide::get_host_target();
    if (options.target.arch != host.arch || options.target.bits != host.bits ||
        options.target.os != host.os) {
        return Error{"only the host can be probed (" + host.to_string() + "), not " +
                     options.target.to_string()};
    }
    Machine machine = machine_of(options.target);
    machine.target = options.target.to_string();
    machine.date = today();
    try {
        probe::describe_system(machine);
        JitProgram::set_threads(1);
        probe::Survey survey(options.target);
        options.say("building kernels");
        probe::survey_operations(survey, machine);
        probe::survey_accesses(survey, machine);
        probe::survey_caches(survey, machine);
        options.say("measuring arithmetic, loads and stores, caches");
        survey.measure();
        machine.clock = measured(survey.frequency());
        options.say("measuring memory");
        probe::probe_memory(survey, machine);
        options.say("measuring parallel loops");
        probe::probe_parallel(options.target, machine);
    } catch (const std::runtime_error& error) {
        return Error{error.what()};
    } catch (const Halide::Error& error) {
        return Error{std::string("a kernel of the probe: ") + error.what()};
    }
    return machine;
}

}  // namespace nestor
