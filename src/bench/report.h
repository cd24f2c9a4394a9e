#pragma once
// The board: what came of all contests, as text, Markdown and JSON.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/version.h"
#include "measure/measurement.h"

namespace nestor {

enum class TableStyle { Plain, Markdown };

/** `board` has the same contenders in every row, and at least one row. Speeds relative to the first
 * contender (its milliseconds in its own column): a row for each pipeline, a column for each
 * contender; below, for each contender, the geometric mean over the pipelines that it and the first
 * got right, how many these are, how many failed, how many were wrong, and its median scheduling
 * time and largest memory. A failure or a wrong result has no speed and enters no mean. */
[[nodiscard]] std::string board_table(const std::vector<BoardRow>& board, TableStyle style);

/** Everything that is known of one pipeline's versions, a row each. */
[[nodiscard]] std::string detail_table(const BoardRow& entry, TableStyle style);

/** Machine, settings, and every version of every pipeline with all samples. */
[[nodiscard]] nlohmann::json board_json(const std::vector<BoardRow>& board,
                                        const MachineState& machine);

}  // namespace nestor
