#pragma once
// The source of benchmark binaries, which is compiled where they are made: the library holds it
// (cmake/NestorEmbed.cmake), so that the command needs nothing beside itself but a compiler.

#include <cstddef>
#include <string>

#include "measure/call.h"

namespace nestor {

struct SourceText {
    const char* name;  // of the file
    const char* text;
};

extern const std::size_t kBenchmarkSources;
extern const SourceText benchmark_sources[];

/** Functions of a benchmark, as Halide compiles them. */
constexpr const char* kReferenceFunction = "nestor_reference";
constexpr const char* kCandidateFunction = "nestor_candidate";

/** What is compiled once for all pipelines: a file that includes all of them. */
[[nodiscard]] std::string harness_source();

/** What is particular to a pipeline: its main program, with the call's shape. Inputs that are in
 * `files`, by name, are those files' bytes. */
[[nodiscard]] std::string main_source(const CallShape& shape, std::uint64_t seed,
                                      std::uint64_t garbage, std::uint64_t identity,
                                      const std::map<std::string, std::string>& files);

}  // namespace nestor
