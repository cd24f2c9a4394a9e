#include "cost/correction.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "base/hash.h"
#include "cost/features.h"
#include "cost/number_text.h"

namespace nestor {

namespace {

constexpr std::string_view kRemedy =
    "; leave it out, or make a new one from measurements with this version of Nestor (`nestor "
    "train`)";

// Lines of words.
class Reader {
  public:
    explicit Reader(std::string_view text) : rest_(text) {}

    // The next line without its end; none behind the last.
    std::optional<std::string_view> line() {
        const std::size_t end = rest_.find('\n');
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        const std::string_view line = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        return line;
    }
    [[nodiscard]] std::string_view rest() const { return rest_; }

  private:
    std::string_view rest_;
};

std::vector<std::string_view> words(std::string_view line) {
    std::vector<std::string_view> words;
    while (!line.empty()) {
        const std::size_t end = std::min(line.find(' '), line.size());
        words.push_back(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return words;
}

std::int32_t feature_of(std::string_view name) {
    const auto all = features();
    const auto at =
        std::ranges::find(all, name, [](const Feature& one) { return std::string_view(one.name); });
    return at == all.end() ? -1 : static_cast<std::int32_t>(at - all.begin());
}

// The parts of a file behind "model HASH". Steps: note, ranges, trees, end.
class Parser {
  public:
    explicit Parser(std::string_view body) : reader_(body) {}

    Result<Correction> run() {
        const bool ok = read_note() && read_ranges() && read_trees() && reader_.rest().empty();
        return ok ? Correction::create(trees_, std::move(ranges_), std::move(note_))
                  : Result<Correction>(Error{"it is damaged"});
    }

  private:
    bool read_note() {
        constexpr std::string_view kNote = "note ";
        const auto line = reader_.line();
        if (!line || !line->starts_with(kNote)) {
            return false;
        }
        note_ = line->substr(kNote.size());
        return true;
    }

    bool read_ranges() {
        std::size_t count = 0;
        const auto first = reader_.line();
        if (!first || !first->starts_with("ranges ") || !read_number(first->substr(7), count) ||
            (count != 0 && count != features().size())) {
            return false;
        }
        for (std::size_t i = 0; i < count; i++) {
            const auto line = reader_.line();
            const auto parts = words(line.value_or(""));
            FeatureRange range;
            if (parts.size() != 3 || parts[0] != features()[i].name ||
                !read_number(parts[1], range.low) || !read_number(parts[2], range.high)) {
                return false;
            }
            ranges_.push_back(range);
        }
        return true;
    }

    bool read_trees() {
        while (const auto line = reader_.line()) {
            std::size_t count = 0;
            if (*line == "end") {
                return true;
            }
            if (!line->starts_with("tree ") || !read_number(line->substr(5), count)) {
                return false;
            }
            trees_.emplace_back();
            for (std::size_t i = 0; i < count; i++) {
                const auto node = reader_.line();
                if (!node || !read_node(words(*node))) {
                    return false;
                }
            }
        }
        return false;
    }

    bool read_node(const std::vector<std::string_view>& parts) {
        TreeNode node;
        const bool is_leaf = parts.size() == 2 && parts[0] == "leaf";
        if (!is_leaf) {
            node.feature = parts.size() == 3 ? feature_of(parts[0]) : -1;
            if (node.feature < 0 || !read_number(parts[2], node.left)) {
                return false;
            }
        }
        trees_.back().push_back(node);
        return read_number(parts[1], trees_.back().back().value);
    }

    Reader reader_;
    std::string note_;
    std::vector<FeatureRange> ranges_;
    std::vector<Tree> trees_;
};

// What is wrong with a tree; empty: nothing.
std::string fault_of(const Tree& tree) {
    const auto count = static_cast<std::int32_t>(tree.size());
    if (count == 0) {
        return "a tree without nodes";
    }
    for (std::int32_t i = 0; i < count; i++) {
        const TreeNode& node = tree[i];
        if (!std::isfinite(node.value)) {
            return "a tree with a number that is not finite";
        }
        if (node.feature >= static_cast<std::int32_t>(features().size())) {
            return "a tree that asks for a feature that does not exist";
        }
        if (node.feature >= 0 && (node.left <= i || node.left + 1 >= count)) {
            return "a tree whose nodes are not in order";
        }
    }
    return "";
}

}  // namespace

Result<Correction> Correction::create(std::span<const Tree> trees, std::vector<FeatureRange> ranges,
                                      std::string note) {
    if (ranges.size() != features().size() && !(trees.empty() && ranges.empty())) {
        return Error{"not one range for each feature"};
    }
    for (const FeatureRange& range : ranges) {
        if (!std::isfinite(range.low) || !std::isfinite(range.high) || range.low > range.high) {
            return Error{"a range of a feature that is none"};
        }
    }
    Correction result;
    std::set<std::int32_t> asked;
    for (const Tree& tree : trees) {
        if (std::string fault = fault_of(tree); !fault.empty()) {
            return Error{std::move(fault)};
        }
        const auto root = static_cast<std::int32_t>(result.nodes_.size());
        result.roots_.push_back(root);
        for (TreeNode node : tree) {
            if (node.feature >= 0) {
                node.left += root;
                asked.insert(node.feature);
            }
            result.nodes_.push_back(node);
        }
    }
    std::ranges::replace(note, '\n', ' ');
    result.ranges_ = std::move(ranges);
    result.asked_.assign(asked.begin(), asked.end());
    result.note_ = std::move(note);
    return result;
}

Result<Correction> Correction::parse(std::string_view text) {
    const std::string remedy(kRemedy);
    Reader reader(text);
    const auto magic = reader.line();
    if (!magic || *magic != weights_magic) {
        return Error{"these are no Nestor weights"};
    }
    const auto schema = words(reader.line().value_or(""));
    const auto model = words(reader.line().value_or(""));
    if (schema.size() != 3 || schema[0] != "schema" || model.size() != 2 || model[0] != "model") {
        return Error{"the weights file is damaged" + remedy};
    }
    if (schema[1] != hash_text(schema_hash()) || schema[2] != std::to_string(features().size())) {
        return Error{"the weights are of other features (schema " + std::string(schema[1]) +
                     ") than this version of Nestor's (" + hash_text(schema_hash()) + ")" + remedy};
    }
    if (model[1] != hash_text(hash_bytes(reader.rest()))) {
        return Error{"the weights file was changed since it was written" + remedy};
    }
    Result<Correction> result = Parser(reader.rest()).run();
    if (!result) {
        return Error{"the weights cannot be read: " + result.error() + remedy};
    }
    return result;
}

std::string Correction::body() const {
    std::string text = "note " + note_ + "\nranges " + std::to_string(ranges_.size()) + "\n";
    for (std::size_t i = 0; i < ranges_.size(); i++) {
        text += std::string(features()[i].name) + " " + number_text(ranges_[i].low) + " " +
                number_text(ranges_[i].high) + "\n";
    }
    for (const Tree& tree : trees()) {
        text += "tree " + std::to_string(tree.size()) + "\n";
        for (const TreeNode& node : tree) {
            text += node.feature < 0
                        ? "leaf " + number_text(node.value) + "\n"
                        : std::string(features()[node.feature].name) + " " +
                              number_text(node.value) + " " + std::to_string(node.left) + "\n";
        }
    }
    return text + "end\n";
}

std::string Correction::text() const {
    const std::string body = this->body();
    return std::string(weights_magic) + "\nschema " + hash_text(schema_hash()) + " " +
           std::to_string(features().size()) + "\nmodel " + hash_text(hash_bytes(body)) + "\n" +
           body;
}

std::uint64_t Correction::model_hash() const {
    return hash_bytes(body());
}

std::vector<Tree> Correction::trees() const {
    std::vector<Tree> trees;
    for (std::size_t t = 0; t < roots_.size(); t++) {
        const auto end =
            t + 1 < roots_.size() ? static_cast<std::size_t>(roots_[t + 1]) : nodes_.size();
        Tree& tree = trees.emplace_back(nodes_.begin() + roots_[t],
                                        nodes_.begin() + static_cast<std::ptrdiff_t>(end));
        for (TreeNode& node : tree) {
            node.left -= node.feature < 0 ? 0 : roots_[t];
        }
    }
    return trees;
}

double Correction::output(std::span<const float> row) const {
    double sum = 0;
    for (const std::int32_t root : roots_) {
        const TreeNode* node = &nodes_[root];
        while (node->feature >= 0) {
            node = &nodes_[node->left + (row[node->feature] < node->value ? 0 : 1)];
        }
        sum += node->value;
    }
    return sum;
}

double Correction::trust(std::span<const float> row) const {
    constexpr float kMargin = 0.05F;  // of the range, that is not outside yet
    if (asked_.empty()) {
        return 1;
    }
    double outside = 0;
    for (const std::int32_t i : asked_) {
        const float margin = kMargin * (ranges_[i].high - ranges_[i].low);
        outside += row[i] < ranges_[i].low - margin || row[i] > ranges_[i].high + margin ? 1 : 0;
    }
    return std::max(0.0, 1 - outside / (kForeign * static_cast<double>(asked_.size())));
}

double Correction::bounded(double output) {
    const double most = std::log(kLargest);
    return most * std::tanh(output / most);
}

double Correction::factor(std::span<const float> row) const {
    return roots_.empty() ? 1 : std::exp(trust(row) * bounded(output(row)));
}

}  // namespace nestor
