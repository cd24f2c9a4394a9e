#pragma once
// The arguments of a pipeline, made from nothing but its metadata: sizes from the estimates (for an
// input without them, from a bounds query), strides as the pipeline demands them. A version that
// wants more of an input than its estimate gets no more: it has to fail.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "measure/npy.h"
#include "version.h"

namespace nestor::compare {

class Arguments {
  public:
    /**
     * Sizes every buffer, without memory yet. `scalars` are values by name; others get their
     * estimate, else their default, else 0. Throws if an output has no estimates.
     */
    Arguments(const Version& version, const nlohmann::json& scalars);

    /**
     * Allocates all buffers and fills the inputs. `inputs`, by name: {"file": FILE.npy, "minima":
     * [...]}; the file's extents are the input's, whatever this version would have asked for.
     */
    void load(const nlohmann::json& inputs);

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
        halide_scalar_value_t scalar;
    };

    static void size_from_estimates(Argument& argument);
    void query_bounds(const Version& version);
    static void fill(Argument& argument, const nlohmann::json& inputs);
    void collect_pointers();

    std::vector<Argument> arguments;
    std::vector<void*> pointers;
};

}  // namespace nestor::compare
