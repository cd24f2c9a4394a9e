#include "search/space.h"

#include <optional>
#include <string>
#include <utility>

#include "search/clones.h"
#include "search/output_sums.h"
#include "search/resampling.h"
#include "search/sum_copies.h"
#include "search/together.h"
#include "search/transpositions.h"

namespace nestor {

namespace {

// Behind each start, the same with vectors of parts in register tiles, where there are any.
void add_tiles(const std::vector<Parts>& parts, const Machine& machine, Space& space) {
    std::vector<Start> starts;
    for (Start& start : space.starts) {
        Start tiles = start;
        starts.push_back(std::move(start));
        if (place_in_tiles(space.variant.graph(), parts, machine, tiles.plan)) {
            tiles.name += " and tiles";
            starts.push_back(std::move(tiles));
        }
    }
    space.starts = std::move(starts);
}

}  // namespace

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
    // `place`: what a start has of the variant.
    const auto add = [&](Variant variant, const std::string& suffix, const auto& place) -> Space& {
        std::vector<Start> starts = make_starts(variant.graph(), machine);
        for (Start& start : starts) {
            start.name += suffix;
            place(variant.graph(), start.plan);
        }
        return spaces.emplace_back(Space{std::move(variant), std::move(starts), {}, {}, {}, {}});
    };
    const auto as_it_is = [](const PipelineDag&, Plan&) {};
    const auto variant_of = [&](MoveKind kind, std::optional<Variant> (*make)(const PipelineDag&)) {
        return moves.has(kind) ? make(dag) : std::nullopt;
    };
    add(Variant(dag), "", as_it_is);
    std::vector<SumsInParts> in_parts;
    if (moves.has(MoveKind::SumsInParts)) {
        in_parts = sums_in_parts(dag, machine);
    }
    for (SumsInParts& sums : in_parts) {
        Space& space = add(std::move(sums.variant),
                           sums.in_tasks       ? ", sums by tasks"
                           : sums.of_rows_only ? ", rows in parts"
                                               : ", sums in parts",
                           [&](const PipelineDag& graph, Plan& plan) {
                               place_parts(graph, sums.parts, machine, plan);
                           });
        add_tiles(sums.parts, machine, space);
        space.rows = sums.of_rows ? std::move(sums.parts) : std::vector<Parts>{};
        space.only_carried_over = sums.of_rows_only;
    }
    if (std::optional<Variant> variant = variant_of(MoveKind::OutputSums, sums_before_outputs)) {
        add(std::move(*variant), ", sums before outputs", as_it_is);
    }
    if (std::optional<Variant> variant =
            variant_of(MoveKind::TransposedCopies, transposed_copies)) {
        add(std::move(*variant), ", transposed in blocks",
            [&](const PipelineDag& graph, Plan& plan) {
                place_transpositions(graph, machine, plan);
            });
    }
    if (std::optional<Variant> variant = variant_of(MoveKind::Columns, resampled_by_columns)) {
        add(std::move(*variant), ", by columns",
            [&](const PipelineDag& graph, Plan& plan) { place_by_columns(graph, machine, plan); });
    }
    if (moves.has(MoveKind::SumCopies)) {
        if (std::optional<Replacements> copies = copies_of_sums(dag)) {
            Space& space = add(std::move(copies->variant), "", as_it_is);
            space.copied = std::move(copies->parents);
            space.only_carried_over = true;
        }
    }
    if (moves.has(MoveKind::ComputeWith)) {
        std::vector<Joined> together = computed_together(dag);
        if (!together.empty()) {
            Space& space = add(Variant(dag, together), ", together", as_it_is);
            space.together = std::move(together);
            space.only_carried_over = true;
        }
    }
    if (moves.has(MoveKind::Clones)) {
        if (std::optional<Replacements> clones = clones_by_use(dag)) {
            Space& space = add(std::move(clones->variant), "", as_it_is);
            space.cloned = std::move(clones->parents);
            space.only_carried_over = true;
        }
    }
    return spaces;
}

}  // namespace nestor
