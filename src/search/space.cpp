#include "search/space.h"

#include <optional>
#include <utility>

#include "search/output_sums.h"
#include "search/resampling.h"
#include "search/sum_copies.h"
#include "search/transpositions.h"

namespace nestor {

Caps caps_in(const Space& space, Caps caps) {
    constexpr double kMore = 1.6;
    if (!space.rows.empty() && caps.code_size > 0) {
        caps.code_size = static_cast<std::int64_t>(kMore * static_cast<double>(caps.code_size));
    }
    return caps;
}

std::vector<Space> make_spaces(const PipelineDag& dag, const Machine& machine,
                               const MoveSet& moves) {
    std::vector<Space> spaces;
    spaces.push_back({Variant(dag), make_starts(dag, machine), {}, {}});
    const auto variant_of = [&](MoveKind kind, std::optional<Variant> (*make)(const PipelineDag&)) {
        return moves.has(kind) ? make(dag) : std::nullopt;
    };
    std::vector<SumsInParts> in_parts;
    if (moves.has(MoveKind::SumsInParts)) {
        in_parts = sums_in_parts(dag, machine);
    }
    for (SumsInParts& sums : in_parts) {
        const PipelineDag& graph = sums.variant.graph();
        std::vector<Start> starts;
        for (Start& start : make_starts(graph, machine)) {
            start.name += sums.in_tasks       ? ", sums by tasks"
                          : sums.of_rows_only ? ", rows in parts"
                                              : ", sums in parts";
            place_parts(graph, sums.parts, machine, start.plan);
            Start tiles = start;
            starts.push_back(std::move(start));
            if (place_in_tiles(graph, sums.parts, machine, tiles.plan)) {
                tiles.name += " and tiles";
                starts.push_back(std::move(tiles));
            }
        }
        spaces.push_back({std::move(sums.variant),
                          std::move(starts),
                          sums.of_rows ? std::move(sums.parts) : std::vector<Parts>{},
                          {},
                          sums.of_rows_only});
    }
    if (std::optional<Variant> variant = variant_of(MoveKind::OutputSums, sums_before_outputs)) {
        std::vector<Start> starts = make_starts(variant->graph(), machine);
        for (Start& start : starts) {
            start.name += ", sums before outputs";
        }
        spaces.push_back({std::move(*variant), std::move(starts), {}, {}});
    }
    if (std::optional<Variant> variant =
            variant_of(MoveKind::TransposedCopies, transposed_copies)) {
        std::vector<Start> starts = make_starts(variant->graph(), machine);
        for (Start& start : starts) {
            start.name += ", transposed in blocks";
            place_transpositions(variant->graph(), machine, start.plan);
        }
        spaces.push_back({std::move(*variant), std::move(starts), {}, {}});
    }
    if (std::optional<Variant> variant = variant_of(MoveKind::Columns, resampled_by_columns)) {
        std::vector<Start> starts = make_starts(variant->graph(), machine);
        for (Start& start : starts) {
            start.name += ", by columns";
            place_by_columns(variant->graph(), machine, start.plan);
        }
        spaces.push_back({std::move(*variant), std::move(starts), {}, {}});
    }
    if (moves.has(MoveKind::SumCopies)) {
        if (std::optional<SumCopies> copies = copies_of_sums(dag)) {
            std::vector<Start> starts = make_starts(copies->variant.graph(), machine);
            spaces.push_back(
                {std::move(copies->variant), std::move(starts), {}, std::move(copies->sums), true});
        }
    }
    return spaces;
}

}  // namespace nestor
