#include "plugin/params.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "plugin/weights.h"

namespace nestor {
namespace {

using Map = std::map<std::string, std::string>;

Result<ParsedParams> parse(const Map& given, const Map& variables = {},
                           std::string_view scheduler = "Nestor") {
    const Environment environment = [&](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    return parse_params(given, environment, scheduler);
}

Params parsed(const Map& given, const Map& variables = {}) {
    Result<ParsedParams> result = parse(given, variables);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error());
    return result.ok() ? result.value().params : Params{};
}

std::string refused(const Map& given, const Map& variables = {},
                    std::string_view scheduler = "Nestor") {
    Result<ParsedParams> result = parse(given, variables, scheduler);
    EXPECT_FALSE(result.ok());
    return result.ok() ? "" : result.error();
}

bool mentions(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/** A directory of its own, gone at the end. */
class Scratch {
  public:
    Scratch() {
        std::string pattern = (std::filesystem::temp_directory_path() / "nestor-XXXXXX").string();
        path_ = mkdtemp(pattern.data());
    }
    ~Scratch() { std::filesystem::remove_all(path_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    [[nodiscard]] std::string path() const { return path_.string(); }
    [[nodiscard]] std::string write(const std::string& name, const std::string& bytes) const {
        std::ofstream(path_ / name, std::ios::binary) << bytes;
        return (path_ / name).string();
    }

  private:
    std::filesystem::path path_;
};

TEST(Params, DefaultsWhenNothingIsGiven) {
    EXPECT_EQ(parsed({}), Params{});
}

TEST(Params, EveryKeyIsRead) {
    Params expected;
    expected.parallelism = 8;
    expected.beam_size = 4;
    expected.num_passes = 3;
    expected.random_dropout = 50;
    expected.random_dropout_seed = 18446744073709551615U;
    expected.memory_limit = 1000;
    expected.search_memory = 2048;
    expected.time_limit = 0.25;
    expected.verbosity = 2;
    expected.moves = moves_without("sliding+tiles").value();
    expected.prefetching = true;
    expected.schedule = "a.json";
    expected.records = "tuned.db";
    expected.trials = 64;
    expected.nestor = "/opt/nestor";
    expected.machine = "shipped";
    expected.save = "out";
    expected.default_extent = 640;
    const Map given = {{"parallelism", "8"},
                       {"beam_size", "4"},
                       {"num_passes", "3"},
                       {"random_dropout", "50"},
                       {"random_dropout_seed", "18446744073709551615"},
                       {"memory_limit", "1000"},
                       {"search_memory", "2048"},
                       {"time_limit", "0.25"},
                       {"verbosity", "2"},
                       {"without", "sliding+tiles"},
                       {"prefetching", "1"},
                       {"schedule", "a.json"},
                       {"records", "tuned.db"},
                       {"trials", "64"},
                       {"nestor", "/opt/nestor"},
                       {"machine", "shipped"},
                       {"save", "out"},
                       {"default_extent", "640"}};
    EXPECT_EQ(parsed(given), expected);
    EXPECT_EQ(given.size() + 1, known_params().size())
        << "weights_path is the one left out; a new key wants a row";
}

TEST(Params, HostAsksForThisMachine) {
    EXPECT_GE(parsed({{"parallelism", "host"}}).parallelism, 1);
}

TEST(Params, SizesTakeSuffixes) {
    EXPECT_EQ(parsed({{"memory_limit", "3k"}}).memory_limit, 3 << 10);
    EXPECT_EQ(parsed({{"memory_limit", "3M"}}).memory_limit, 3 << 20);
    EXPECT_EQ(parsed({{"search_memory", "3g"}}).search_memory, std::int64_t{3} << 30);
    EXPECT_EQ(parsed({{"memory_limit", "-1"}}).memory_limit, -1);
}

TEST(Params, GreedyMakesOnePassUnlessTold) {
    EXPECT_EQ(parsed({{"beam_size", "1"}}).num_passes, 1);
    EXPECT_EQ(parsed({{"beam_size", "1"}, {"num_passes", "4"}}).num_passes, 4);
    EXPECT_EQ(parsed({{"beam_size", "1"}}, {{"HL_NUM_PASSES", "4"}}).num_passes, 4);
    EXPECT_EQ(parsed({}, {{"HL_BEAM_SIZE", "1"}}).num_passes, 1);
}

TEST(Params, UnknownKeyListsTheKnownOnesAndSuggests) {
    const std::string message = refused({{"paralelism", "8"}});
    EXPECT_TRUE(mentions(message, "unknown parameter `paralelism`")) << message;
    EXPECT_TRUE(mentions(message, "did you mean `parallelism`?")) << message;
    for (const ParamHelp& known : known_params()) {
        EXPECT_TRUE(mentions(message, std::string(known.key))) << known.key;
    }
    EXPECT_FALSE(mentions(refused({{"wombat", "8"}}), "did you mean"));
}

TEST(Params, BadValuesAreRefused) {
    const std::vector<std::pair<std::string, std::string>> bad = {
        {"parallelism", "0"},
        {"parallelism", "many"},
        {"parallelism", ""},
        {"parallelism", "8x"},
        {"parallelism", " 8"},
        {"beam_size", "0"},
        {"beam_size", "1e3"},
        {"num_passes", "-1"},
        {"random_dropout", "101"},
        {"random_dropout", "-1"},
        {"memory_limit", "-2"},
        {"memory_limit", "k"},
        {"memory_limit", "0"},
        {"search_memory", "-1"},
        {"search_memory", "9000000000g"},
        {"time_limit", "0"},
        {"time_limit", "-1"},
        {"time_limit", "nan"},
        {"time_limit", "inf"},
        {"time_limit", "5s"},
        {"verbosity", "loud"},
        {"prefetching", "maybe"},
        {"schedule", ""},
        {"save", ""},
        {"default_extent", "-1"},
        {"default_extent", "2147483648"},
        {"without", "sliding+wombats"},
        {"random_dropout_seed", "-1"},
        {"random_dropout_seed", "18446744073709551616"},
    };
    for (const auto& [key, value] : bad) {
        const std::string message = refused({{key, value}});
        EXPECT_TRUE(mentions(message, "`" + key + "` is `" + value + "`; expected ")) << message;
    }
}

TEST(Params, EnvironmentFillsInWhatWasNotGiven) {
    Params expected;
    expected.parallelism = 32;
    expected.beam_size = 20;
    expected.num_passes = 2;
    expected.random_dropout = 99;
    expected.random_dropout_seed = 7;
    expected.verbosity = 1;
    expected.prefetching = true;
    const Map variables = {{"HL_MACHINE_PARAMS", "32,24000000,160"},
                           {"HL_BEAM_SIZE", "20"},
                           {"HL_NUM_PASSES", "2"},
                           {"HL_RANDOM_DROPOUT", "99"},
                           {"HL_SEED", "7"},
                           {"HL_DEBUG_AUTOSCHEDULE", "1"},
                           {"HL_PREFETCHING", "1"}};
    EXPECT_EQ(parsed({}, variables), expected);
    EXPECT_EQ(parsed({{"parallelism", "4"}}, variables).parallelism, 4);
    EXPECT_EQ(parsed({}, {{"HL_BEAM_SIZE", ""}}), Params{}) << "an empty variable counts as unset";
}

TEST(Params, BadEnvironmentNamesTheVariable) {
    const std::string message = refused({}, {{"HL_BEAM_SIZE", "wide"}});
    EXPECT_TRUE(mentions(message, "environment variable HL_BEAM_SIZE is `wide`; expected "))
        << message;
    EXPECT_EQ(parsed({{"beam_size", "2"}}, {{"HL_BEAM_SIZE", "wide"}}).beam_size, 2)
        << "not consulted when given";
}

TEST(Params, Adams2019OnlyParametersAreIgnoredUnderThatName) {
    const Map given = {{"disable_subtiling", "1"},
                       {"disable_memoized_features", "0"},
                       {"disable_memoized_blocks", "anything"}};
    const Result<ParsedParams> result = parse(given, {}, "Adams2019");
    ASSERT_TRUE(result.ok()) << result.error();
    EXPECT_EQ(result.value().params, Params{});
    EXPECT_TRUE(mentions(refused(given), "unknown parameter `disable_"));
    EXPECT_TRUE(
        mentions(refused({{"disable_everything", "1"}}, {}, "Adams2019"), "unknown parameter"));
}

TEST(Params, OwnWeightsAreFoundByFileAndByDirectory) {
    for (const std::string_view name : weights_file_names) {
        const Scratch scratch;
        const std::string file = scratch.write(std::string(name), Correction().text());
        EXPECT_EQ(parsed({{"weights_path", file}}).weights_path, file);
        EXPECT_EQ(parsed({{"weights_path", scratch.path()}}).weights_path, file);
        EXPECT_EQ(parsed({}, {{"HL_WEIGHTS_DIR", scratch.path()}}).weights_path, file);
        EXPECT_EQ(parsed({}, {{"HL_WEIGHTS_DIR", file}}).weights_path, file);
        EXPECT_EQ(parsed({{"weights_path", file}}, {{"HL_WEIGHTS_DIR", "/nowhere"}}).weights_path,
                  file);
    }
}

TEST(Params, ForeignWeightsAreAnErrorByParameterAndAWarningByVariable) {
    const Scratch scratch;
    const std::string foreign =
        scratch.write("baseline.weights", std::string("\x07\x00\x00\x00junkjunk", 12));
    const std::string brief = scratch.write("brief.weights", "NEST");
    std::string text = Correction().text();
    text.replace(text.find("schema ") + 7, 16, "0123456789abcdef");
    const std::string other = scratch.write("other.weights", text);
    for (const std::string& place :
         {foreign, brief, other, scratch.path(), std::string("/nowhere/at/all")}) {
        EXPECT_TRUE(mentions(refused({{"weights_path", place}}), place));
        const Result<ParsedParams> result = parse({}, {{"HL_WEIGHTS_DIR", place}});
        ASSERT_TRUE(result.ok()) << result.error();
        EXPECT_EQ(result.value().params, Params{});
        ASSERT_EQ(result.value().warnings.size(), 1U);
        EXPECT_TRUE(mentions(result.value().warnings[0], place));
        EXPECT_FALSE(mentions(result.value().warnings[0], "\n"));
    }
    EXPECT_TRUE(mentions(refused({{"weights_path", foreign}}), "not a Nestor weights file"));
    EXPECT_TRUE(mentions(refused({{"weights_path", other}}), "other features"));
}

}  // namespace
}  // namespace nestor
