#include "plugin/params.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <set>
#include <thread>

#include "plugin/weights.h"

namespace nestor {

namespace {

template <class T>
bool parse_whole(std::string_view text, T low, T high, T& out) {
    T value{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size() || value < low || value > high) {
        return false;
    }
    out = value;
    return true;
}

/** Bytes, with an optional k, m or g (powers of 1024). */
bool parse_bytes(std::string_view text, std::int64_t& out) {
    constexpr std::string_view suffixes = "kmgKMG";
    const auto suffix = text.empty() ? std::string_view::npos : suffixes.find(text.back());
    int shift = 0;
    if (suffix != std::string_view::npos) {
        text.remove_suffix(1);
        shift = 10 * (static_cast<int>(suffix % 3) + 1);
    }
    std::int64_t count = 0;
    if (!parse_whole<std::int64_t>(text, 1, std::numeric_limits<std::int64_t>::max() >> shift,
                                   count)) {
        return false;
    }
    out = count << shift;
    return true;
}

bool parse_seconds(const std::string& text, double& out) {
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) ||
        value <= 0) {
        return false;
    }
    out = value;
    return true;
}

bool parse_flag(std::string_view text, bool& out) {
    const bool yes = text == "1" || text == "true";
    const bool no = text == "0" || text == "false";
    if (yes || no) {
        out = yes;
    }
    return yes || no;
}

bool parse_text(const std::string& text, std::string& out) {
    out = text;
    return !text.empty();
}

bool parse_moves(const std::string& text, MoveSet& out) {
    const Result<MoveSet> moves = moves_without(text);
    if (moves && !text.empty()) {
        out = moves.value();
    }
    return moves && !text.empty();
}

bool parse_parallelism(const std::string& text, int& out) {
    if (text == "host") {
        // hardware_concurrency() is 0 where the system does not say.
        out = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
        return true;
    }
    return parse_whole(text, 1, 65536, out);
}

/** One parameter: its name, what its value looks like, and how it is read (false: the value is
 * bad). */
struct Field {
    std::string_view key;
    std::string_view expected;
    bool (*set)(Params&, const std::string&);
};

constexpr std::array fields = {
    Field{"parallelism", "a whole number from 1 to 65536, or `host`",
          [](Params& p, const std::string& v) { return parse_parallelism(v, p.parallelism); }},
    Field{
        "beam_size", "a whole number from 0 to 1000000",
        [](Params& p, const std::string& v) { return parse_whole(v, 1, 1'000'000, p.beam_size); }},
    Field{"num_passes", "a whole number from 0 to 1000",
          [](Params& p, const std::string& v) { return parse_whole(v, 0, 1000, p.num_passes); }},
    Field{"random_dropout", "a percentage: a whole number from 0 to 100",
          [](Params& p, const std::string& v) { return parse_whole(v, 0, 100, p.random_dropout); }},
    Field{"random_dropout_seed", "a whole number from 0 to 2^64 - 1",
          [](Params& p, const std::string& v) {
              return parse_whole(v, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max(),
                                 p.random_dropout_seed);
          }},
    Field{"weights_path", "a weights file written by Nestor, or a directory with one",
          [](Params& p, const std::string& v) { return parse_text(v, p.weights_path); }},
    Field{"memory_limit", "bytes (8388608, 8192k, 8m or 1g), or -1 for no limit",
          [](Params& p, const std::string& v) {
              return parse_whole<std::int64_t>(v, -1, -1, p.memory_limit) ||
                     parse_bytes(v, p.memory_limit);
          }},
    Field{"search_memory", "bytes (8388608, 8192k, 8m or 1g)",
          [](Params& p, const std::string& v) { return parse_bytes(v, p.search_memory); }},
    Field{"time_limit", "seconds: a number above 0",
          [](Params& p, const std::string& v) { return parse_seconds(v, p.time_limit); }},
    // More than 3 is as good as 3: HL_DEBUG_AUTOSCHEDULE is often set high to get everything.
    Field{"verbosity", "a whole number from 0 to 100",
          [](Params& p, const std::string& v) { return parse_whole(v, 0, 100, p.verbosity); }},
    Field{"without", "kinds of moves with + between them, as in sliding+tiles (docs/search.md)",
          [](Params& p, const std::string& v) { return parse_moves(v, p.moves); }},
    Field{"prefetching", "0 or 1",
          [](Params& p, const std::string& v) { return parse_flag(v, p.prefetching); }},
    Field{"schedule", "a schedule file (JSON) written by Nestor, or none",
          [](Params& p, const std::string& v) { return parse_text(v, p.schedule); }},
    Field{"trials", "a whole number from 1 to 1000000, or 0 for none",
          [](Params& p, const std::string& v) { return parse_whole(v, 0, 1'000'000, p.trials); }},
    Field{"records", "a file of records, as nestor tune writes it",
          [](Params& p, const std::string& v) { return parse_text(v, p.records); }},
    Field{"nestor", "the path of the command nestor",
          [](Params& p, const std::string& v) { return parse_text(v, p.nestor); }},
    Field{"machine", "a machine file (JSON) written by nestor probe, or shipped",
          [](Params& p, const std::string& v) { return parse_text(v, p.machine); }},
    Field{"save", "a directory",
          [](Params& p, const std::string& v) { return parse_text(v, p.save); }},
    Field{"default_extent", "a whole number from 1 to 2147483647, or 0 for none",
          [](Params& p, const std::string& v) {
              return parse_whole(v, 0, std::numeric_limits<int>::max(), p.default_extent);
          }},
};

/** Variables that stand in for a parameter that was not given. HL_WEIGHTS_DIR is not here: see
 * step 3. */
struct Fallback {
    const char* variable;
    std::string_view key;
};

constexpr std::array fallbacks = {
    Fallback{"HL_MACHINE_PARAMS", "parallelism"}, Fallback{"HL_BEAM_SIZE", "beam_size"},
    Fallback{"HL_NUM_PASSES", "num_passes"},      Fallback{"HL_RANDOM_DROPOUT", "random_dropout"},
    Fallback{"HL_SEED", "random_dropout_seed"},   Fallback{"HL_DEBUG_AUTOSCHEDULE", "verbosity"},
    Fallback{"HL_PREFETCHING", "prefetching"},
};

constexpr std::array<std::string_view, 3> adams2019_only = {
    "disable_subtiling", "disable_memoized_features", "disable_memoized_blocks"};

const Field* find_field(std::string_view key) {
    const auto* found =
        std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.key == key; });
    return found == fields.end() ? nullptr : &*found;
}

/** Levenshtein distance: insertions, deletions and replacements of one character. */
std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); i++) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < to.size(); j++) {
            const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

Error unknown_key(const std::string& key) {
    std::string message = "unknown parameter `" + key + "`";
    const auto* nearest =
        std::min_element(fields.begin(), fields.end(), [&](const Field& a, const Field& b) {
            return edit_distance(key, a.key) < edit_distance(key, b.key);
        });
    // Further away than that, it is no slip of the keyboard, and a suggestion would mislead.
    if (edit_distance(key, nearest->key) <= std::max<std::size_t>(2, key.size() / 3)) {
        message += "; did you mean `" + std::string(nearest->key) + "`?";
    } else {
        message += '.';
    }
    message += " The known ones are:";
    for (const Field& field : fields) {
        message += (&field == fields.data() ? " " : ", ") + std::string(field.key);
    }
    return Error{message};
}

Error bad_value(const std::string& what, const std::string& value, std::string_view expected) {
    return Error{what + " is `" + value + "`; expected " + std::string(expected)};
}

class Parser {
  public:
    Parser(const std::map<std::string, std::string>& given, const Environment& environment,
           std::string_view scheduler)
        : given_(given), environment_(environment), scheduler_(scheduler) {}

    /**
     * 1. read_given: the parameters that the caller named.
     * 2. read_environment: variables, for parameters that the caller did not name.
     * 3. choose_weights: a file of ours is taken; anything else is refused where it was asked for
     * by parameter, and mentioned where a variable points at it (that variable may be meant for
     * another scheduler).
     * 4. choose_passes: greedy search makes one pass unless told otherwise.
     */
    Result<ParsedParams> run() {
        for (auto step :
             {&Parser::read_given, &Parser::read_environment, &Parser::choose_weights}) {
            if (const Status status = (this->*step)(); !status.ok()) {
                return Error{status.error()};
            }
        }
        choose_passes();
        return std::move(out_);
    }

  private:
    const std::map<std::string, std::string>& given_;
    const Environment& environment_;
    std::string_view scheduler_;
    ParsedParams out_;
    std::set<std::string_view> set_;

    [[nodiscard]] bool ignored(const std::string& key) const {
        return scheduler_ == "Adams2019" &&
               std::find(adams2019_only.begin(), adams2019_only.end(), key) != adams2019_only.end();
    }

    Status read_given() {
        for (const auto& [key, value] : given_) {
            if (ignored(key)) {
                continue;
            }
            const Field* field = find_field(key);
            if (field == nullptr) {
                return unknown_key(key);
            }
            if (!field->set(out_.params, value)) {
                return bad_value("parameter `" + key + "`", value, field->expected);
            }
            set_.insert(field->key);
        }
        return Ok{};
    }

    Status read_environment() {
        for (const auto& [variable, key] : fallbacks) {
            // An empty variable is how scripts say "unset".
            std::string value = environment_(variable).value_or("");
            if (value.empty() || set_.contains(key)) {
                continue;
            }
            if (key == "parallelism") {
                value = value.substr(
                    0,
                    value.find(','));  // cores, cache bytes, balance: only the first has a meaning
            }
            const Field& field = *find_field(key);
            if (!field.set(out_.params, value)) {
                return bad_value("environment variable " + std::string(variable), value,
                                 field.expected);
            }
            set_.insert(field.key);
        }
        return Ok{};
    }

    Status choose_weights() {
        std::string& path = out_.params.weights_path;
        const bool asked = !path.empty();
        const std::string place = asked ? path : environment_("HL_WEIGHTS_DIR").value_or("");
        if (place.empty()) {
            return Ok{};
        }
        // All of it is read here, so that weights of another version are refused like foreign ones.
        if (const Result<Correction> weights = read_weights(place); weights) {
            path = find_weights(place).value();
        } else if (asked) {
            return Error{"parameter `weights_path`: " + weights.error()};
        } else {
            out_.warnings.push_back("HL_WEIGHTS_DIR: " + weights.error() + "; searching without");
        }
        return Ok{};
    }

    void choose_passes() {
        if (out_.params.beam_size == 1 && !set_.contains("num_passes")) {
            out_.params.num_passes = 1;
        }
    }
};

}  // namespace

std::optional<std::string> process_environment(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Result<ParsedParams> parse_params(const std::map<std::string, std::string>& given,
                                  const Environment& environment, std::string_view scheduler) {
    return Parser(given, environment, scheduler).run();
}

std::vector<ParamHelp> known_params() {
    std::vector<ParamHelp> help;
    help.reserve(fields.size());
    for (const Field& field : fields) {
        help.push_back({field.key, field.expected});
    }
    return help;
}

}  // namespace nestor
