#include "cost/featurization.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "cost/number_text.h"
#include "schedule/placement.h"
#include "schedule/scheduled_dag.h"

namespace nestor {

namespace {

const char* level_text(const Level& level) {
    switch (level.kind) {
        case Level::Kind::Default:
            return "default";
        case Level::Kind::Inline:
            return "inline";
        case Level::Kind::Root:
            return "root";
        case Level::Kind::At:
            return "at";
    }
    return "?";
}

void stage_line(std::ostream& out, const Function& f, const Stage& stage, const Level& compute,
                const LoopNest& nest) {
    double iterations = 1;
    for (const Loop& loop : stage.loops) {
        iterations *= static_cast<double>(loop.range.extent);
    }
    const std::int64_t lanes = nest.vector ? nest.splits[nest.vector->dim].back().factor : 1;
    using enum Arithmetic;
    const OpCounts& ops = stage.ops;
    const float adds = ops.of(Add) + ops.of(Minimum) + ops.of(Shift);
    const float multiplies = ops.of(Multiply) + ops.of(MultiplyAdd);
    const float calls = ops.of(SquareRoot) + ops.of(Exponential) + ops.of(std::nullopt);
    out << f.id.text() << '\t' << stage.index << '\t' << iterations << '\t' << adds << '\t'
        << multiplies << '\t' << ops.of(Divide) << '\t' << ops.of(Select) << '\t' << ops.of(Widen)
        << '\t' << calls << '\t' << ops.load << '\t' << f.bytes_per_point() << '\t'
        << level_text(compute) << '\t' << lanes << '\t' << nest.parallel.size() << '\n';
}

void add_groups(std::ostream& out, const GroupRows& groups) {
    out << "groups " << groups.seconds.size() << " schema=" << hash_text(schema_hash()) << '\n';
    for (std::size_t i = 0; i < groups.seconds.size(); i++) {
        out << number_text(groups.seconds[i]);
        for (const float value : groups.rows.row(i)) {
            out << ' ' << number_text(value);
        }
        out << '\n';
    }
}

// Steps: head, the table (for people only), groups.
class Reader {
  public:
    explicit Reader(std::string_view text) : rest_(text) {}

    Result<Featurization> run() {
        constexpr std::string_view kHead = "nestor-featurization ";
        std::string_view line = next_line();
        if (!line.starts_with(kHead)) {
            return Error{"no featurization of Nestor's (Adams2019's has other features)"};
        }
        if (!line.starts_with(std::string(kHead) + "2 ") ||
            !read_hash(line, "algorithm=", result_.algorithm) ||
            !read_hash(line, "schedule=", result_.schedule)) {
            return Error{"a featurization of another version of Nestor: make it again"};
        }
        while (!rest_.empty()) {
            line = next_line();
            if (line.starts_with("groups ")) {
                return read_groups(line);
            }
        }
        return Error{"a featurization without groups: of a pipeline that was left unscheduled"};
    }

  private:
    std::string_view next_line() {
        const std::size_t end = std::min(rest_.find('\n'), rest_.size());
        const std::string_view line = rest_.substr(0, end);
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        return line;
    }

    static std::string_view next_word(std::string_view& line) {
        const std::size_t end = std::min(line.find(' '), line.size());
        const std::string_view word = line.substr(0, end);
        line.remove_prefix(std::min(end + 1, line.size()));
        return word;
    }

    static bool read_hash(std::string_view line, std::string_view key, std::uint64_t& value) {
        constexpr int kHexadecimal = 16;
        const std::size_t at = line.find(key);
        if (at == std::string_view::npos) {
            return false;
        }
        line.remove_prefix(at + key.size());
        return read_number(next_word(line), value, kHexadecimal);
    }

    Result<Featurization> read_groups(std::string_view head) {
        std::uint64_t schema = 0;
        std::size_t count = 0;
        next_word(head);
        if (!read_number(next_word(head), count) || !read_hash(head, "schema=", schema)) {
            return damaged();
        }
        if (schema != schema_hash()) {
            return Error{
                "a featurization of other features than this version of Nestor's: make it again"};
        }
        for (std::size_t i = 0; i < count; i++) {
            if (!read_row(next_line())) {
                return damaged();
            }
        }
        return rest_.empty() && count > 0 ? Result(std::move(result_)) : damaged();
    }

    bool read_row(std::string_view line) {
        double seconds = 0;
        if (!read_number(next_word(line), seconds) || !(seconds >= 0) || !std::isfinite(seconds)) {
            return false;
        }
        std::vector<float> row(features().size());
        for (float& value : row) {
            if (!read_number(next_word(line), value) || !std::isfinite(value)) {
                return false;
            }
        }
        result_.groups.seconds.push_back(seconds);
        result_.groups.rows.add(row);
        return line.empty();
    }

    static Error damaged() { return Error{"a damaged featurization"}; }

    std::string_view rest_;
    Featurization result_;
};

}  // namespace

std::string featurize(const PipelineDag& dag, const Schedule& schedule, const Machine* machine) {
    std::ostringstream out;
    out << "nestor-featurization 2 algorithm=" << hash_text(dag.algorithm_hash)
        << " schedule=" << hash_text(hash(schedule, dag)) << '\n';
    out << "function\tstage\titerations\tadds\tmultiplies\tdivides\tcompares\tcasts\tcalls\tloads\t"
           "bytes_per_point\t"
           "compute\tvector_lanes\tparallel_loops\n";
    const ScheduledDag derived(dag, schedule);
    const Placement placement(*derived, schedule);
    for (int i = 0; i < static_cast<int>(dag.functions.size()); i++) {
        const Level& compute = schedule.functions[i].compute;
        if (compute.kind == Level::Kind::Inline) {
            continue;
        }
        for (const Stage& stage : dag.functions[i].stages) {
            stage_line(out, dag.functions[i], stage, compute,
                       placement.running_nest(i, stage.index));
        }
    }
    if (machine != nullptr) {
        add_groups(out, group_rows(dag, schedule, *machine));
    }
    return out.str();
}

Result<Featurization> parse_featurization(std::string_view text) {
    return Reader(text).run();
}

}  // namespace nestor
