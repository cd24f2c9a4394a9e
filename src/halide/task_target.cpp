#include "halide/task_target.h"

namespace nestor {

using Halide::Target;

namespace {

constexpr Target::Feature kNoMatter[] = {
    Target::JIT,       Target::NoRuntime,     Target::UserContext,  Target::CPlusPlusMangling,
    Target::NoAsserts, Target::NoBoundsQuery, Target::EmbedBitcode, Target::EnableBacktraces,
};

}  // namespace

std::string task_target(const Target& target) {
    Target plain = target;
    for (const Target::Feature feature : kNoMatter) {
        plain.set_feature(feature, false);
    }
    return plain.to_string();
}

bool is_of_host(const Target& target) {
    const Target host = Halide::get_host_target();
    return target.arch == host.arch && target.os == host.os && target.bits == host.bits;
}

}  // namespace nestor
