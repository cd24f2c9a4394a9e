#pragma once
// Examples in files, so that schedules of many pipelines can be learned from at once without the
// pipelines: what `nestor examples` writes and `nestor train` reads.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "train/trainer.h"

namespace nestor {

/** Of a legal schedule that was measured on that machine. */
[[nodiscard]] Example make_example(const PipelineDag& dag, const Schedule& schedule,
                                   const Machine& machine, double measured_seconds);

/** JSON lines. The first names the form and the schema of the features; then a line for each
 * example: {"measured", "seconds": [one a group], "rows": [[one a feature], one a group]}. Weights
 * and families are not kept: a file is one family. */
[[nodiscard]] std::string print_examples(const std::vector<Example>& examples);
/** An Error for another form, or other features than features(). */
[[nodiscard]] Result<std::vector<Example>> parse_examples(std::string_view text, int family);

}  // namespace nestor
