#include "bench/contest.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/files.h"
#include "base/process.h"
#include "bench/child_answer.h"
#include "bench/runner.h"
#include "halide/pipeline_file.h"
#include "measure/compare.h"
#include "measure/compiled_library.h"
#include "measure/npy.h"

namespace nestor {

using nlohmann::json;

namespace {

// What no result should have by chance; the same for all, because a pipeline may leave parts of its
// output as they are.
constexpr std::uint64_t kGarbage = 0xbad;

/** Thrown from amid timing; the version knows why. */
class VersionFailed {};

Memories copy_of(const Memories& memories) {
    Memories copies;
    for (const auto& [name, memory] : memories) {
        BufferMemory copy(memory.bytes(), BufferMemory::Kind::Private);
        std::copy_n(memory.data(), memory.bytes(), copy.data());
        copies.emplace(name, std::move(copy));
    }
    return copies;
}

json shape_to_json(const CallShape& shape) {
    json rows = json::array();
    for (const CallArgument& argument : shape) {
        const BufferShape& buffer = argument.buffer;
        json row = {{"buffer", argument.is_buffer}};
        if (argument.is_buffer) {
            row["name"] = buffer.name;
            row["output"] = buffer.is_output;
            row["type"] = {buffer.type.code(), buffer.type.bits()};
            row["strides"] = buffer.strides;
            row["bytes"] = buffer.bytes;
            for (const Range& range : buffer.region) {
                row["region"].push_back({range.min, range.extent});
            }
        } else {
            row["name"] = argument.scalar_name;
            row["bits"] = argument.scalar.u.u64;
            row["type"] = {argument.scalar_type.code(), argument.scalar_type.bits()};
        }
        rows.push_back(row);
    }
    return rows;
}

Halide::Type type_from_json(const json& type) {
    return {static_cast<halide_type_code_t>(type[0].get<int>()), type[1].get<int>(), 1};
}

double scalar_value(const Halide::Type& type, const halide_scalar_value_t& scalar) {
    if (type.is_float()) {
        return type.bits() == 64 ? scalar.u.f64 : scalar.u.f32;
    }
    const int unused = 64 - std::max(type.bits(), 8);
    const auto shifted = scalar.u.u64 << unused;
    return type.is_int() ? static_cast<double>(static_cast<std::int64_t>(shifted) >> unused)
                         : static_cast<double>(shifted >> unused);
}

CallShape shape_from_json(const json& rows) {
    CallShape shape;
    for (const json& row : rows) {
        CallArgument argument;
        argument.is_buffer = row["buffer"].get<bool>();
        if (argument.is_buffer) {
            BufferShape& buffer = argument.buffer;
            buffer.name = row["name"].get<std::string>();
            buffer.is_output = row["output"].get<bool>();
            buffer.type = type_from_json(row["type"]);
            buffer.strides = row["strides"].get<std::vector<std::int64_t>>();
            buffer.bytes = row["bytes"].get<std::int64_t>();
            for (const json& range : row.value("region", json::array())) {
                buffer.region.push_back(
                    {range[0].get<std::int64_t>(), range[1].get<std::int64_t>()});
            }
        } else {
            argument.scalar_name = row["name"].get<std::string>();
            argument.scalar.u.u64 = row["bits"].get<std::uint64_t>();
            argument.scalar_type = type_from_json(row["type"]);
        }
        shape.push_back(std::move(argument));
    }
    return shape;
}

/** How far a version's result may be off: all schedules may reorder sums. How long these are is not
 * known here; in double precision as long as the largest input is strict enough. Integers that are
 * rounded may be one off, or what inputs.json allows. */
Tolerance tolerance_of(const Halide::Type& type, const TypeFacts& types, double integer_slack,
                       std::int64_t largest_input) {
    constexpr double kTerms = 4096;
    if (!type.is_float()) {
        Tolerance result = tolerance(type, {false, false, 1, types});
        result.absolute = std::max(result.absolute, integer_slack);
        return result;
    }
    const double terms =
        type.bits() == 64 ? std::max(kTerms, static_cast<double>(largest_input)) : kTerms;
    return tolerance(type, {false, true, terms, types});
}

std::int64_t largest_input(const CallShape& shape) {
    std::int64_t largest = 0;
    for (const CallArgument& argument : shape) {
        if (argument.is_buffer && !argument.buffer.is_output) {
            largest = std::max(largest, argument.buffer.elements());
        }
    }
    return largest;
}

}  // namespace

json arguments_json(const CallShape& shape) {
    json rows = json::array();
    for (const CallArgument& argument : shape) {
        if (!argument.is_buffer) {
            const double value = scalar_value(argument.scalar_type, argument.scalar);
            json row = {{"name", argument.scalar_name}, {"kind", "scalar"}, {"value", value}};
            if (!argument.scalar_type.is_float()) {
                row["value"] = static_cast<std::int64_t>(value);
            }
            rows.push_back(row);
            continue;
        }
        const BufferShape& buffer = argument.buffer;
        json row = {{"name", buffer.name},
                    {"kind", buffer.is_output ? "output" : "input"},
                    {"type", type_name(static_cast<halide_type_t>(buffer.type))},
                    {"minima", json::array()},
                    {"extents", json::array()}};
        for (const Range& range : buffer.region) {
            row["minima"].push_back(range.min);
            row["extents"].push_back(range.extent);
        }
        rows.push_back(row);
    }
    return rows;
}

Contest::Contest(ContestOptions options) : options_(std::move(options)) {
    options_.build.folder += "/" + options_.build.name;
    for (const Contender& contender : options_.contenders) {
        versions_.push_back({});
        versions_.back().contender = contender;
    }
}

Status Contest::build() {
    const Result<std::string> runtime = build_runtime(options_.build);
    for (Version& version : versions_) {
        options_.say("building " + version.contender.label);
        if (runtime) {
            build_version(options_.build, version);
        } else {
            version.failure = runtime.error();
        }
        if (was_interrupted()) {
            return Error{"interrupted while building " + version.contender.label};
        }
        if (!version.healthy()) {
            options_.say(version.contender.label + " failed: " + version.failure);
        }
    }
    runtime_ = runtime ? runtime.value() : "";
    return Ok{};
}

Status Contest::prepare() {
    Result<Wishes> wishes = read_wishes(options_.inputs, name());
    if (!wishes) {
        return Error{wishes.error()};
    }
    wishes_ = std::move(wishes).value();
    std::string failure = "no version was built";
    for (const Version& version : versions_) {
        if (!version.healthy()) {
            continue;
        }
        const ChildAnswer described = ask_child(
            [&] {
                must(CompiledRuntime::load(runtime_));
                const auto pipeline =
                    must(CompiledPipeline::load(version.library, version.function));
                return shape_to_json(must(pipeline.shape(wishes_.scalars)));
            },
            options_.slow_seconds, options_.run_bytes);
        failure = described.failure;
        if (failure.empty()) {
            shape_ = shape_from_json(described.answer);
            inputs_ = allocate(shape_, Direction::Inputs, BufferMemory::Kind::Private);
            return fill_inputs(shape_, inputs_, wishes_);
        }
    }
    return Error{"the arguments cannot be read: " + failure};
}

// In a child, because Halide may crash on a file that it wrote itself; then nothing may be off.
TypeFacts Contest::types_of(const Version& version) const {
    const Result<std::string> saved = save_algorithm(options_.build, version);
    if (!saved) {
        return {};
    }
    const ChildAnswer asked = ask_child(
        [&]() -> json {
            const TypeFacts types = type_facts(must(load_pipeline(saved.value())).pipeline);
            return {{"rounds", types.rounds}, {"unit", types.unit}};
        },
        options_.slow_seconds, options_.run_bytes);
    return asked.failure.empty()
               ? TypeFacts{asked.answer["rounds"].get<bool>(), asked.answer["unit"].get<double>()}
               : TypeFacts{};
}

void Contest::run() {
    const Status prepared = prepare();
    for (Version& version : versions_) {
        if (!prepared && version.healthy()) {
            version.failure = prepared.error();
        }
        if (version.healthy()) {
            options_.say("running " + version.contender.label);
            run_one(version);
        }
        if (!version.healthy() && version.compile_seconds > 0) {
            options_.say(version.contender.label + (version.wrong ? " is wrong: " : " failed: ") +
                         version.failure);
        }
    }
}

void Contest::run_one(Version& version) {
    Memories outputs = allocate(shape_, Direction::Outputs, BufferMemory::Kind::Shared);
    fill_garbage(outputs, kGarbage);
    const ChildAnswer ran = ask_child(
        [&]() -> json {
            const auto runtime = must(CompiledRuntime::load(runtime_));
            const auto pipeline = must(CompiledPipeline::load(version.library, version.function));
            const CallPointers pointers(shape_, inputs_, outputs);
            runtime.set_threads(options_.threads);
            runtime.count_allocations();
            const double start = steady_seconds();
            must(pipeline.run(pointers.argv()));
            return {{"seconds", steady_seconds() - start}, {"peak", CompiledRuntime::peak_bytes()}};
        },
        options_.slow_seconds, options_.run_bytes);
    if (!ran.failure.empty()) {
        version.failure = "running: " + ran.failure;
        return;
    }
    version.first_seconds = ran.answer["seconds"].get<double>();
    version.run_peak_bytes = ran.answer["peak"].get<std::int64_t>();
    if (!options_.outputs.empty()) {
        if (const Status written = write_outputs(version, outputs); !written) {
            version.failure = written.error();
            return;
        }
    }
    if (reference_.empty()) {
        reference_ = version.contender.label;
        types_ = types_of(version);
        expected_ = std::move(outputs);
        version.verified = "reference";
        return;
    }
    version.failure = compare(outputs);
    version.wrong = !version.failure.empty();
    version.verified = version.wrong ? "" : "as " + reference_;
}

std::string Contest::compare(const Memories& outputs) const {
    for (const CallArgument& argument : shape_) {
        if (argument.is_buffer && argument.buffer.is_output) {
            const std::string& name = argument.buffer.name;
            const std::string text =
                difference(argument.buffer, expected_.at(name), outputs.at(name),
                           tolerance_of(argument.buffer.type, types_, wishes_.integer_slack,
                                        largest_input(shape_)));
            if (!text.empty()) {
                return text;
            }
        }
    }
    return "";
}

Status Contest::write_outputs(const Version& version, const Memories& outputs) const {
    const std::string folder = options_.outputs + "/" + name() + "/" + version.slug();
    if (Status status = make_directory(folder); !status) {
        return status;
    }
    for (const CallArgument& argument : shape_) {
        if (!argument.is_buffer || !argument.buffer.is_output) {
            continue;
        }
        const BufferShape& buffer = argument.buffer;
        std::vector<halide_dimension_t> dimensions;
        for (std::size_t d = 0; d < buffer.region.size(); d++) {
            dimensions.emplace_back(static_cast<int>(buffer.region[d].min),
                                    static_cast<int>(buffer.region[d].extent),
                                    static_cast<int>(buffer.strides[d]));
        }
        const AnyBuffer array(static_cast<halide_type_t>(buffer.type),
                              outputs.at(buffer.name).data(), static_cast<int>(dimensions.size()),
                              dimensions.data());
        try {
            write_npy(folder + "/" + buffer.name + ".npy", array);
        } catch (const std::exception& error) {
            return Error{error.what()};
        }
    }
    return Ok{};
}

void Contest::time() {
    options_.say("timing");
    // A fresh copy: where its pages lie in memory stays the same for as long as it lives.
    const Memories inputs = copy_of(inputs_);
    bool again = true;
    while (again) {
        again = false;
        std::vector<Version*> healthy;
        std::vector<std::unique_ptr<Runner>> runners;
        std::vector<Runnable> runnables;
        for (Version& version : versions_) {
            if (!version.healthy()) {
                continue;
            }
            auto runner =
                Runner::start({runtime_, version.library, version.function, options_.threads,
                               options_.run_bytes, options_.slow_seconds},
                              shape_, inputs);
            if (!runner) {
                version.failure = "timing: " + runner.error();
                continue;
            }
            healthy.push_back(&version);
            runners.push_back(std::move(runner).value());
            runnables.push_back(
                {version.contender.label, [&version, &own = *runners.back()](int runs) {
                     const Result<double> seconds = own.sample(runs);
                     if (!seconds) {
                         version.failure = "timing: " + seconds.error();
                         version.timing = {};
                         version.seconds = 0;
                         throw VersionFailed();
                     }
                     return seconds.value();
                 }});
        }
        try {
            add_samples(healthy, time_interleaved(runnables, options_.timing));
        } catch (const VersionFailed&) {
            again = true;  // without it
        }
    }
}

void Contest::add_samples(const std::vector<Version*>& versions, const TimingResult& result) {
    for (std::size_t i = 0; i < versions.size(); i++) {
        Timed& all = versions[i]->timing;
        const Timed& more = result.versions[i];
        all.samples.insert(all.samples.end(), more.samples.begin(), more.samples.end());
        for (const int round : more.rounds) {
            all.rounds.push_back(rounds_ + 1 + round);
        }
        all.uncertainty = uncertainty_of(all.samples);
        versions[i]->seconds = median_of(all.samples);
    }
    rounds_ += result.rounds + 1;
    for (Version* version : versions) {
        version->speed = speed_relative_to(versions_.front().timing, version->timing);
    }
}

}  // namespace nestor
