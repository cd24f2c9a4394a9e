#pragma once
// The arguments of a pipeline, made from nothing but its metadata: output sizes from the estimates,
// input sizes from a bounds query, strides as the pipeline demands them.

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "npy.h"
#include "version.h"

namespace nestor::compare {

class Arguments {
  public:
    /**
     * Sizes every buffer, without memory yet. `scalars` are values by name; others get their
     * estimate, else their default, else 0. Throws if an output has no estimates.
     */
    Arguments(const Version& version, const nlohmann::json& scalars);

    /** Allocates all buffers and fills inputs from .npy files (argument name to path). */
    void load(const std::map<std::string, std::string>& files);

    /** For Version::run(). */
    [[nodiscard]] void** argv() { return pointers.data(); }

    /** The arguments as JSON: name, kind, type, minima and extents (dimension 0 first), values. */
    [[nodiscard]] nlohmann::json describe() const;

    /** Writes each output as `<name>.npy`. */
    void write_outputs(const std::string& directory) const;

  private:
    struct Argument {
        const halide_filter_argument_t* info = nullptr;
        AnyBuffer buffer;
        halide_scalar_value_t scalar{};
    };

    void size_from_estimates(Argument& argument);
    void query_bounds(const Version& version);
    void fill(Argument& argument, const std::map<std::string, std::string>& files);
    void collect_pointers();

    std::vector<Argument> arguments;
    std::vector<void*> pointers;
};

}  // namespace nestor::compare
