#pragma once
// What a pipeline's folder says about its inputs (inputs.json), and arrays prepared for it.

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/call.h"

namespace nestor {

struct Wishes {
    std::map<std::string, double> scalars;              // by argument
    std::map<std::string, std::string> files;           // .npy, by argument
    std::map<std::string, std::vector<double>> values;  // by argument, dimension 0 fastest
    /** How far integers may be off that were rounded from floating-point numbers, where one off,
     * which is allowed wherever the algorithm rounds, is not enough. */
    double integer_slack = 0;
};

/** Looks in FOLDER/NAME of each folder for inputs.json ("scalars", "integer_slack", "inputs" with
 * "values" for an argument; how else an input is made is for those who make .npy files) and for
 * ARGUMENT.npy; later folders replace what earlier ones say. */
[[nodiscard]] Result<Wishes> read_wishes(const std::vector<std::string>& folders,
                                         const std::string& name);

/** Inputs as wished, random numbers where nothing is. */
[[nodiscard]] Status fill_inputs(const CallShape& shape, const Memories& inputs,
                                 const Wishes& wishes);

}  // namespace nestor
