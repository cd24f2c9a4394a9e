#include "train/sample.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/files.h"
#include "cost/number_text.h"

namespace nestor {

namespace {

constexpr std::string_view kMagic = "nestor-sample ";

// The value of `key` in a line of words KEY=VALUE.
template <class T>
bool read_value(std::string_view line, std::string_view key, T& value) {
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos) {
        return false;
    }
    line.remove_prefix(at + key.size());
    return read_number(line.substr(0, line.find(' ')), value);
}

}  // namespace

std::string print_sample(double seconds, int pipeline, std::int64_t name,
                         std::string_view featurization) {
    return std::string(kMagic) + "1 seconds=" + number_text(seconds) +
           " pipeline=" + std::to_string(pipeline) + " schedule=" + std::to_string(name) + "\n" +
           std::string(featurization);
}

Result<Sample> parse_sample(std::string_view text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view head = text.substr(0, end);
    if (!head.starts_with(kMagic)) {
        return Error{"no sample of Nestor's (Adams2019's are of other features)"};
    }
    Sample sample;
    if (!head.starts_with(std::string(kMagic) + "1 ") ||
        !read_value(head, " seconds=", sample.seconds) ||
        !read_value(head, " pipeline=", sample.pipeline) ||
        !read_value(head, " schedule=", sample.name)) {
        return Error{"a damaged sample"};
    }
    if (!(sample.seconds > 0) || !std::isfinite(sample.seconds)) {
        return Error{"a sample without a time"};
    }
    Result<Featurization> featurization =
        parse_featurization(text.substr(std::min(end + 1, text.size())));
    if (!featurization) {
        return Error{featurization.error()};
    }
    sample.featurization = std::move(featurization).value();
    return sample;
}

Result<std::vector<Sample>> read_samples(std::span<const std::string> files) {
    std::vector<Sample> samples;
    for (const std::string& file : files) {
        const Result<std::string> text = read_file(file);
        if (!text) {
            return Error{text.error()};
        }
        Result<Sample> sample = parse_sample(text.value());
        if (!sample) {
            return Error{file + ": " + sample.error()};
        }
        samples.push_back(std::move(sample).value());
    }
    return samples;
}

Result<Correction> fit_samples(std::span<const Sample> samples, const TrainOptions& options,
                               const Correction* prior) {
    std::map<std::pair<int, std::uint64_t>, int> families;
    std::vector<Example> examples;
    for (const Sample& sample : samples) {
        const std::pair key(sample.pipeline, sample.featurization.algorithm);
        const int family = families.emplace(key, std::ssize(families)).first->second;
        examples.push_back({sample.featurization.groups, sample.seconds, 1, family});
    }
    return fit(examples, options, prior);
}

}  // namespace nestor
