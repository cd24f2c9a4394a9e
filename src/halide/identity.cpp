#include "halide/identity.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace nestor {

namespace {

struct Named {
    NameParts parts;
    std::string halide_name;
};

bool created_before(const Named& a, const Named& b) {
    return std::tie(a.parts.counters, a.halide_name) < std::tie(b.parts.counters, b.halide_name);
}

}  // namespace

Environment environment(const Halide::Pipeline& pipeline) {
    std::vector<Halide::Internal::Function> outputs;
    for (const Halide::Func& output : pipeline.outputs()) {
        outputs.push_back(output.function());
    }
    return Halide::Internal::build_environment(outputs);
}

std::map<std::string, FuncId> identify(const Environment& env) {
    std::map<std::string, std::vector<Named>> by_stem;
    for (const auto& [name, function] : env) {
        NameParts parts = split_name(name);
        const std::string stem = parts.stem;
        by_stem[stem].push_back({std::move(parts), name});
    }
    std::map<std::string, FuncId> ids;
    for (auto& [stem, functions] : by_stem) {
        std::sort(functions.begin(), functions.end(), created_before);
        for (std::size_t rank = 0; rank < functions.size(); rank++) {
            ids[functions[rank].halide_name] = {stem, static_cast<int>(rank)};
        }
    }
    return ids;
}

}  // namespace nestor
