// The inverse of print_json. Two passes: derived functions first, because they decide on the loops
// that everything else names; then levels and nests.

#include <map>

#include "base/hash.h"
#include "schedule/enum_names.h"
#include "schedule/json/fields.h"
#include "schedule/json/format.h"
#include "schedule/loops.h"
#include "schedule/print.h"
#include "schedule/scheduled_dag.h"

namespace nestor {

namespace {

constexpr int kDeepest = 16;  // objects within objects; a schedule needs 8

std::string in_quotes(const std::string& name) {
    return "\"" + name + "\"";
}

template <class Enum, std::size_t N>
Enum parse_enum(const EnumNames<Enum, N>& names, const std::string& text, const std::string& where,
                ParseErrors& errors) {
    if (const std::optional<Enum> value = enum_value(names, text)) {
        return *value;
    }
    std::string known;
    for (const auto& [value, name] : names) {
        known += (known.empty() ? "" : ", ") + std::string(name);
    }
    errors.add(where, "is " + in_quotes(text) + ", and should be one of " + known);
    return names[0].first;
}

// The loops of one stage by name.
class LoopNames {
  public:
    LoopNames(std::vector<StageDim> dims, const std::vector<std::vector<Split>>& splits)
        : dims_(std::move(dims)) {
        for (int d = 0; d < static_cast<int>(dims_.size()); d++) {
            const std::size_t levels = d < static_cast<int>(splits.size()) ? splits[d].size() : 0;
            for (int level = 0; level <= static_cast<int>(levels); level++) {
                loops_[loop_name(dims_, {d, level})] = {d, level};
            }
        }
    }

    LoopRef find(const std::string& name, const std::string& where, ParseErrors& errors) const {
        if (const auto found = loops_.find(name); found != loops_.end()) {
            return found->second;
        }
        std::string known;
        for (const auto& [loop, ref] : loops_) {
            known += (known.empty() ? "" : ", ") + loop;
        }
        errors.add(where, "names loop " + in_quotes(name) +
                              (known.empty() ? ", and there are no loops"
                                             : ", and there are only " + known));
        return {};
    }

    std::vector<LoopRef> find_all(const std::vector<std::string>& names, const std::string& where,
                                  ParseErrors& errors) const {
        std::vector<LoopRef> refs;
        for (const std::string& name : names) {
            refs.push_back(find(name, where, errors));
        }
        return refs;
    }

  private:
    std::vector<StageDim> dims_;
    std::map<std::string, LoopRef> loops_;
};

class Parser {
  public:
    explicit Parser(const PipelineDag& dag) : dag_(dag), schedule_(empty_schedule(dag)) {
        for (int f = 0; f < static_cast<int>(dag.functions.size()); f++) {
            index_[dag.functions[f].id.text()] = f;
        }
    }

    Result<Schedule> parse(const Json& json) {
        parse_head(json);
        if (errors_.any()) {
            return Error{errors_.first()};
        }
        const Json& functions = json.at("functions");
        for (auto it = functions.begin(); it != functions.end() && !errors_.any(); ++it) {
            parse_derivation(it.key(), *it);
        }
        if (errors_.any()) {
            return Error{errors_.first()};
        }
        graph_.emplace(dag_, schedule_);
        for (std::size_t f = dag_.functions.size(); f < schedule_.functions.size(); f++) {
            schedule_.functions[f].stages.resize((*graph_)->functions[f].stages.size());
        }
        // Every nest is read before the levels that name its loops.
        for (const bool references : {false, true}) {
            for (auto it = functions.begin(); it != functions.end() && !errors_.any(); ++it) {
                parse_function(index_.at(it.key()), it.key(), *it, references);
            }
        }
        if (errors_.any()) {
            return Error{errors_.first()};
        }
        return normalized(std::move(schedule_));
    }

  private:
    void parse_head(const Json& json) {
        Fields fields(json, "the schedule", errors_);
        const std::string format = fields.text("format", true);
        if (format != json_words::kFormat) {
            errors_.add("", "this is no schedule of Nestor: it has no \"format\": \"" +
                                std::string(json_words::kFormat) + "\"");
        }
        const std::int64_t version = fields.integer("version", 0, true);
        if (version != json_words::kVersion) {
            errors_.add("", "this schedule has version " + std::to_string(version) +
                                " of the format, and this Nestor reads version " +
                                std::to_string(json_words::kVersion) +
                                ": make it again with this Nestor");
        }
        const std::string name = fields.text("pipeline", true);
        const std::string hash = fields.text("algorithm", true);
        if (hash != hash_text(dag_.algorithm_hash)) {
            errors_.add("", "this schedule was made for another algorithm: for " + in_quotes(name) +
                                " with hash " + hash + ", and this pipeline is " +
                                in_quotes(dag_.name) + " with hash " +
                                hash_text(dag_.algorithm_hash) +
                                ": schedule this pipeline anew, or apply it to the other");
        } else if (name != dag_.name) {
            errors_.add("", "this schedule is for pipeline " + in_quotes(name) +
                                ", and this one is " + in_quotes(dag_.name));
        }
        const Json* functions = fields.find("functions");
        if (functions == nullptr || !functions->is_object()) {
            errors_.add("the schedule", "has no object \"functions\"");
        }
        fields.finish();
    }

    // 1. Derived functions.
    void parse_derivation(const std::string& name, const Json& json) {
        const std::string where = in_quotes(name);
        Fields function(json, where, errors_);
        const Json* derive = function.find("derive");
        const auto known = index_.find(name);
        if (derive == nullptr) {
            if (known == index_.end()) {
                errors_.add(where, "is no function of this pipeline");
            }
            return;
        }
        if (known != index_.end()) {
            errors_.add(where, "exists already, and cannot be derived");
            return;
        }
        const int f = static_cast<int>(schedule_.functions.size());
        Derivation derivation = read_derivation(*derive, where + ", \"derive\"");
        if (errors_.any()) {
            return;
        }
        schedule_.functions.emplace_back();
        schedule_.functions[f].derivation = std::move(derivation);
        if (const std::string text = function_text(dag_, schedule_, f); text != name) {
            errors_.add(where, "is derived as " + in_quotes(text) + ", and should have that name");
        }
        index_[name] = f;
    }

    Derivation read_derivation(const Json& json, const std::string& where) {
        Fields fields(json, where, errors_);
        Derivation derivation;
        derivation.kind =
            parse_enum(kDerivationNames, fields.text("kind", true), where + ", \"kind\"", errors_);
        derivation.parent = find_function(fields.text("of", true), where + ", \"of\"");
        for (const std::string& consumer : fields.texts("consumers")) {
            derivation.consumers.push_back(find_function(consumer, where + ", \"consumers\""));
        }
        if (derivation.kind == Derivation::Kind::Rfactor && !errors_.any()) {
            derivation.stage = read_stage_number(fields, where, derivation.parent, 1);
            if (!errors_.any()) {
                const std::vector<StageDim> dims =
                    stage_dims(dag_, schedule_, derivation.parent, derivation.stage);
                derivation.splits = read_splits(fields, dims);
                derivation.preserved =
                    LoopNames(dims, derivation.splits)
                        .find_all(fields.texts("preserve"), where + ", \"preserve\"", errors_);
            }
        }
        fields.finish();
        return derivation;
    }

    // 2. Nests, then, with `references`, what names the loops of other functions' nests.
    void parse_function(int f, const std::string& name, const Json& json, bool references) {
        const std::string where = in_quotes(name);
        Fields fields(json, where, errors_);
        FunctionSchedule& function = schedule_.functions[f];
        (void)fields.find("derive");
        const Json* stages = fields.find("stages");
        if (references) {
            function.compute = read_level(fields, "compute");
            function.store = read_level(fields, "store");
            function.hoist = read_level(fields, "hoist");
            read_storage(fields, f);
            fields.finish();
        }
        if (stages == nullptr) {
            return;
        }
        if (!stages->is_object()) {
            fields.wrong("stages", "is " + kind_of(*stages) + ", and should be an object");
            return;
        }
        for (auto it = stages->begin(); it != stages->end() && !errors_.any(); ++it) {
            int s = 0;
            while (s < static_cast<int>(function.stages.size()) && std::to_string(s) != it.key()) {
                s++;
            }
            if (s == static_cast<int>(function.stages.size())) {
                errors_.add(where, "has no stage " + in_quotes(it.key()));
                return;
            }
            parse_stage(f, s, *it, where + ", stage " + it.key(), references);
        }
    }

    void read_storage(Fields& fields, int f) {
        FunctionSchedule& function = schedule_.functions[f];
        if (fields.find("memory") != nullptr) {
            function.memory = parse_enum(kMemoryNames, fields.text("memory", true),
                                         fields.where() + ", \"memory\"", errors_);
        }
        for (const std::string& dim : fields.texts("storage_order")) {
            function.storage_order.push_back(
                find_argument(f, dim, fields.where() + ", \"storage_order\""));
        }
        const auto alignments = [&](const char* key, const char* elements) {
            std::vector<Alignment> result;
            for (const Json* item : fields.array(key)) {
                Fields align(*item, fields.where() + ", " + in_quotes(key), errors_);
                const int dim = find_argument(f, align.text("dim", true), align.where());
                result.push_back({dim, align.integer(elements, 1, true)});
                align.finish();
            }
            return result;
        };
        function.alignment = alignments("align", "elements");
        function.region_alignment = alignments("align_bounds", "modulus");
        function.storage_bounds = alignments("bound_storage", "elements");
        if (const Json* item = fields.find("fold")) {
            Fields fold(*item, fields.where() + ", \"fold\"", errors_);
            const int dim = find_argument(f, fold.text("dim", true), fold.where());
            const std::int64_t factor = fold.integer("factor", 1, true);
            function.fold = Fold{dim, factor, fold.boolean("forward", true)};
            fold.finish();
        }
    }

    BufferStride parse_stride(const Json& json, const std::string& where) {
        BufferStride known;
        Fields fields(json, where + ", \"strides\"", errors_);
        if (fields.find("input") != nullptr) {
            known.index = find_input(fields.text("input", true), fields.where());
            known.dim = static_cast<int>(fields.integer("dim", 0, true));
        } else {
            known.source = Source::Function;
            known.index = find_function(fields.text("output", true), fields.where());
            const std::string dim = fields.text("dim", true);
            known.dim = known.index < 0 ? -1 : find_argument(known.index, dim, fields.where());
        }
        known.stride = fields.integer("stride", 1, true);
        fields.finish();
        return known;
    }

    void parse_stage(int f, int s, const Json& json, const std::string& where, bool references) {
        const std::vector<StageDim> dims = stage_dims((*graph_)->functions[f].stages[s]);
        StageSchedule& stage = schedule_.functions[f].stages[s];
        Fields fields(json, where, errors_);
        std::size_t number = 0;
        for (const Json* item : fields.array("specialize")) {
            Fields special(*item, where + ", \"specialize\"", errors_);
            if (!references) {
                stage.specializations.emplace_back();
            }
            Specialization& specialization = stage.specializations[number++];
            const std::vector<const Json*> conditions = special.array("when");
            for (const Json* condition : conditions) {
                Fields when(*condition, special.where() + ", \"when\"", errors_);
                const bool own = when.find("output") == nullptr;
                const int output =
                    own ? -1 : find_function(when.text("output", true), when.where());
                const int measured = own ? f : output;
                const int dim = measured < 0
                                    ? -1
                                    : find_argument(measured, when.text("dim", true), when.where());
                std::optional<std::int64_t> min;
                if (when.find("min") != nullptr) {
                    min = when.integer("min", 0, true);
                }
                const std::int64_t extent = when.integer(min ? "extent" : "at_least", 1, true);
                const std::int64_t multiple =
                    when.find("multiple") == nullptr ? 1 : when.integer("multiple", 1, true);
                when.finish();
                if (!references) {
                    specialization.when.push_back({dim, extent, output, min, multiple});
                }
            }
            for (const Json* each : special.array("strides")) {
                const BufferStride known = parse_stride(*each, special.where());
                if (!references) {
                    specialization.strides.push_back(known);
                }
            }
            if (special.find("selected") != nullptr) {
                specialization.selected = special.integer("selected", 0, true);
            }
            parse_nest(special, specialization.nest, dims);
            special.finish();
        }
        parse_nest(fields, stage.nest, dims);
        const Json* with = fields.find("compute_with");
        if (with != nullptr && references) {
            stage.compute_with = read_site(*with, "with", where + ", \"compute_with\"");
        }
        fields.finish();
    }

    void parse_nest(Fields& fields, LoopNest& nest, const std::vector<StageDim>& dims) {
        nest.splits = read_splits(fields, dims);
        const LoopNames names(dims, nest.splits);
        const auto loops = [&](const char* key) {
            return names.find_all(fields.texts(key), fields.where() + ", \"" + key + "\"", errors_);
        };
        nest.order = loops("order");
        nest.parallel = loops("parallel");
        nest.unrolled = loops("unroll");
        if (fields.find("vector") != nullptr) {
            nest.vector =
                names.find(fields.text("vector", true), fields.where() + ", \"vector\"", errors_);
        }
        if (fields.find("dot") != nullptr) {
            nest.dot = names.find(fields.text("dot", true), fields.where() + ", \"dot\"", errors_);
        }
        nest.atomic = fields.boolean("atomic", false);
        nest.partition.clear();
        for (const Json* item : fields.array("partition")) {
            nest.partition.push_back(
                read_partition({*item, fields.where() + ", \"partition\"", errors_}, names));
        }
        nest.prefetch.clear();
        for (const Json* item : fields.array("prefetch")) {
            nest.prefetch.push_back(
                read_prefetch({*item, fields.where() + ", \"prefetch\"", errors_}, names));
        }
    }

    LoopPartition read_partition(Fields fields, const LoopNames& names) {
        LoopPartition partition;
        partition.loop = names.find(fields.text("loop", true), fields.where(), errors_);
        partition.policy = parse_enum(kPartitionNames, fields.text("policy", true),
                                      fields.where() + ", \"policy\"", errors_);
        fields.finish();
        return partition;
    }

    Prefetch read_prefetch(Fields fields, const LoopNames& names) {
        Prefetch prefetch;
        prefetch.function = find_function(fields.text("function", true), fields.where());
        prefetch.at = names.find(fields.text("at", true), fields.where(), errors_);
        prefetch.from = names.find(fields.text("from", true), fields.where(), errors_);
        prefetch.offset = fields.integer("offset", 1, true);
        if (fields.find("bounds") != nullptr) {
            prefetch.bounds = parse_enum(kPrefetchNames, fields.text("bounds", true),
                                         fields.where() + ", \"bounds\"", errors_);
        }
        fields.finish();
        return prefetch;
    }

    std::vector<std::vector<Split>> read_splits(Fields& fields, const std::vector<StageDim>& dims) {
        std::vector<std::vector<Split>> splits;
        const Json* split = fields.find("split");
        if (split == nullptr) {
            return splits;
        }
        const std::string where = fields.where() + ", \"split\"";
        if (!split->is_object()) {
            errors_.add(where, "is " + kind_of(*split) + ", and should be an object");
            return splits;
        }
        const LoopNames names(dims, {});
        for (auto it = split->begin(); it != split->end(); ++it) {
            const LoopRef loop = names.find(it.key(), where, errors_);
            if (!it->is_array()) {
                errors_.add(where,
                            "of " + it.key() + " is " + kind_of(*it) + ", and should be an array");
            }
            if (errors_.any()) {
                return splits;
            }
            if (static_cast<int>(splits.size()) <= loop.dim) {
                splits.resize(static_cast<std::size_t>(loop.dim) + 1);
            }
            for (const Json& item : *it) {
                splits[loop.dim].push_back(read_split(item, where + " of " + it.key()));
            }
        }
        return splits;
    }

    Split read_split(const Json& json, const std::string& where) {
        Split split;
        if (!json.is_object()) {
            split.factor = as_integer(json, where, errors_).value_or(1);
            return split;
        }
        Fields fields(json, where, errors_);
        split.factor = fields.integer("factor", 1, true);
        split.tail =
            parse_enum(kTailNames, fields.text("tail", true), where + ", \"tail\"", errors_);
        fields.finish();
        return split;
    }

    Level read_level(Fields& fields, const char* key) {
        const Json* json = fields.find(key);
        if (json == nullptr) {
            return {};
        }
        if (json->is_object()) {
            return Level::at(read_site(*json, "at", fields.where() + ", \"" + key + "\""));
        }
        if (*json == "root") {
            return Level::root();
        }
        if (*json != "inline") {
            fields.wrong(key,
                         "should be \"root\", \"inline\" or {\"at\": function, \"loop\": name}");
        }
        return Level::inlined();
    }

    LoopSite read_site(const Json& json, const char* key, const std::string& where) {
        Fields fields(json, where, errors_);
        LoopSite site;
        site.function = find_function(fields.text(key, true), where);
        const std::string loop = fields.text("loop", true);
        site.stage = read_stage_number(fields, where, site.function, 0);
        fields.finish();
        if (errors_.any()) {
            return {};
        }
        const Function& f = (*graph_)->functions[site.function];
        const LoopNest& nest = schedule_.functions[site.function].stages[site.stage].nest;
        site.loop =
            LoopNames(stage_dims(f.stages[site.stage]), nest.splits).find(loop, where, errors_);
        return site;
    }

    int read_stage_number(Fields& fields, const std::string& where, int function, int otherwise) {
        const std::int64_t stage = fields.integer("stage", otherwise, false);
        if (errors_.any()) {
            return 0;
        }
        const int stages = stage_count(dag_, schedule_, function);
        if (stage < 0 || stage >= stages) {
            errors_.add(where, "names stage " + std::to_string(stage) + " of " +
                                   in_quotes(function_text(dag_, schedule_, function)) +
                                   ", which has " + std::to_string(stages));
            return 0;
        }
        return static_cast<int>(stage);
    }

    int find_function(const std::string& name, const std::string& where) {
        const auto found = index_.find(name);
        if (found == index_.end()) {
            errors_.add(where,
                        "names " + in_quotes(name) + ", which is no function of this pipeline");
            return 0;
        }
        return found->second;
    }

    int find_input(const std::string& name, const std::string& where) {
        const auto input = std::ranges::find(dag_.inputs, name, &Input::name);
        if (input == dag_.inputs.end()) {
            errors_.add(where, "names input " + in_quotes(name) + ", which the pipeline has not");
            return 0;
        }
        return static_cast<int>(input - dag_.inputs.begin());
    }

    int find_argument(int f, const std::string& name, const std::string& where) {
        const std::vector<std::string>& args = (*graph_)->functions[f].args;
        for (int d = 0; d < static_cast<int>(args.size()); d++) {
            if (args[d] == name) {
                return d;
            }
        }
        errors_.add(where, "names dimension " + in_quotes(name) + ", which the function has not");
        return 0;
    }

    const PipelineDag& dag_;
    Schedule schedule_;
    std::map<std::string, int> index_;
    std::optional<ScheduledDag> graph_;
    ParseErrors errors_;
};

// Refuses, while the text is read, what nlohmann's reader takes silently: keys given twice (the
// last would win), and nesting without end.
class KeyCheck {
  public:
    explicit KeyCheck(ParseErrors& errors) : errors_(errors) {}

    bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::object_start) {
            keys_.resize(static_cast<std::size_t>(depth) + 1);
            keys_.back().clear();
        } else if (event == Json::parse_event_t::key && !keys_.empty()) {
            const auto key = parsed.get<std::string>();
            if (!keys_[static_cast<std::size_t>(depth) - 1].insert(key).second) {
                errors_.add("the schedule", "has key " + in_quotes(key) + " twice in one object");
            }
        }
        if (depth > kDeepest) {
            errors_.add("the schedule", "is nested too deeply to be one");
            return false;
        }
        return true;
    }

  private:
    ParseErrors& errors_;
    std::vector<std::set<std::string>> keys_;
};

}  // namespace

Result<Schedule> parse_json(const PipelineDag& dag, const std::string& text) {
    ParseErrors errors;
    Json json;
    try {
        KeyCheck check(errors);
        json = Json::parse(text, std::ref(check));
    } catch (const Json::exception& e) {
        // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
        const std::string what = e.what();
        const std::size_t bracket = what.find("] ");
        return Error{"this is no JSON text: " +
                     (bracket == std::string::npos ? what : what.substr(bracket + 2))};
    }
    if (errors.any()) {
        return Error{errors.first()};
    }
    return Parser(dag).parse(json);
}

}  // namespace nestor
