#include "search/move_set.h"

#include <algorithm>
#include <array>

namespace nestor {

namespace {

constexpr std::array<std::string_view, kMoveKinds> kNames = {
    "inlining",        "loops",           "sliding",       "slabs",         "register_tiles",
    "transpositions",  "channel_vectors", "dot_products",  "storage_order", "alignments",
    "turns",           "widths",          "vector_dims",   "blocks",        "steps",
    "reduction_order", "loop_order",      "selectors",     "tiles",         "tasks",
    "whole_vectors",   "tile_shapes",     "sums_in_parts", "output_sums",   "transposed_copies",
    "columns",         "sum_copies",      "compute_with",  "clones",
};

}  // namespace

std::string_view name_of(MoveKind kind) {
    return kNames[static_cast<std::size_t>(kind)];
}

std::vector<std::string_view> names_of_moves() {
    return {kNames.begin(), kNames.end()};
}

Result<MoveSet> moves_without(std::string_view names) {
    MoveSet moves;
    while (!names.empty()) {
        const std::size_t end = std::min(names.find('+'), names.size());
        const std::string_view name = names.substr(0, end);
        const auto known = std::ranges::find(kNames, name);
        if (known == kNames.end()) {
            std::string all;
            for (const std::string_view each : kNames) {
                all += (all.empty() ? "" : ", ") + std::string(each);
            }
            return Error{"there is no move `" + std::string(name) + "`; there are: " + all};
        }
        moves.remove(static_cast<MoveKind>(known - kNames.begin()));
        names.remove_prefix(std::min(end + 1, names.size()));
    }
    return moves;
}

}  // namespace nestor
