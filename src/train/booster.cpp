#include "train/booster.h"

#include <xgboost/c_api.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace nestor {

namespace {

Status done(int status) {
    if (status != 0) {
        return Error{std::string("XGBoost: ") + XGBGetLastError()};
    }
    return Ok{};
}

// Of the JSON that XGBoost saves: arrays with one entry a node, children in any order. Ours have
// the two next to each other, behind their parent (breadth first).
Tree tree_of(const nlohmann::json& saved) {
    const auto left = saved.at("left_children").get<std::vector<int>>();
    const auto right = saved.at("right_children").get<std::vector<int>>();
    const auto features = saved.at("split_indices").get<std::vector<int>>();
    // Thresholds, and the values of leaves.
    const auto conditions = saved.at("split_conditions").get<std::vector<float>>();
    Tree tree{{}};
    std::vector<int> theirs{0};  // index of each of ours
    for (std::size_t i = 0; i < theirs.size(); i++) {
        const int at = theirs[i];
        tree[i].value = conditions[at];
        if (left[at] >= 0) {
            tree[i].feature = features[at];
            tree[i].left = static_cast<std::int32_t>(theirs.size());
            theirs.push_back(left[at]);
            theirs.push_back(right[at]);
            tree.resize(theirs.size());
        }
    }
    return tree;
}

}  // namespace

struct Booster::Handles {
    DMatrixHandle rows = nullptr;
    BoosterHandle booster = nullptr;

    Handles() = default;
    Handles(const Handles&) = delete;
    Handles& operator=(const Handles&) = delete;
    ~Handles() {
        if (booster != nullptr) {
            XGBoosterFree(booster);
        }
        if (rows != nullptr) {
            XGDMatrixFree(rows);
        }
    }
};

Booster::Booster(std::unique_ptr<Handles> handles) : handles_(std::move(handles)) {}
Booster::Booster(Booster&&) noexcept = default;
Booster& Booster::operator=(Booster&&) noexcept = default;
Booster::~Booster() = default;

Result<Booster> Booster::create(const FeatureMatrix& rows, const BoosterOptions& options) {
    auto handles = std::make_unique<Handles>();
    Status status = done(
        XGDMatrixCreateFromMat_omp(rows.values().data(), rows.rows(), rows.columns(),
                                   std::numeric_limits<float>::quiet_NaN(), &handles->rows, 1));
    if (status) {
        status = done(XGBoosterCreate(&handles->rows, 1, &handles->booster));
    }
    const std::pair<const char*, std::string> parameters[] = {
        {"nthread", "1"},
        {"seed", "0"},
        {"verbosity", "0"},
        {"booster", "gbtree"},
        {"tree_method", "hist"},
        {"max_bin", "64"},
        {"base_score", "0"},
        {"max_depth", std::to_string(options.depth)},
        {"eta", std::to_string(options.rate)},
        {"min_child_weight", std::to_string(options.least)},
        {"lambda", std::to_string(options.leaf)},
    };
    for (const auto& [name, value] : parameters) {
        if (status) {
            status = done(XGBoosterSetParam(handles->booster, name, value.c_str()));
        }
    }
    if (!status) {
        return Error{status.error()};
    }
    return Booster(std::move(handles));
}

Status Booster::step(std::vector<float> gradient, std::vector<float> curvature) {
    return done(XGBoosterBoostOneIter(handles_->booster, handles_->rows, gradient.data(),
                                      curvature.data(), gradient.size()));
}

Result<std::vector<float>> Booster::outputs() const {
    constexpr int kMargin = 1;
    constexpr unsigned kAllTrees = 0;
    bst_ulong count = 0;
    const float* values = nullptr;
    if (Status status = done(XGBoosterPredict(handles_->booster, handles_->rows, kMargin, kAllTrees,
                                              0, &count, &values));
        !status) {
        return Error{status.error()};
    }
    return std::vector<float>(values, values + count);
}

Result<std::vector<Tree>> Booster::trees() const {
    bst_ulong length = 0;
    const char* bytes = nullptr;
    if (Status status = done(XGBoosterSaveModelToBuffer(handles_->booster, R"({"format": "json"})",
                                                        &length, &bytes));
        !status) {
        return Error{status.error()};
    }
    std::vector<Tree> trees;
    try {
        const auto saved = nlohmann::json::parse(bytes, bytes + length);
        for (const nlohmann::json& tree :
             saved.at("learner").at("gradient_booster").at("model").at("trees")) {
            trees.push_back(tree_of(tree));
        }
    } catch (const nlohmann::json::exception& problem) {
        return Error{std::string("XGBoost saves models in another form than version 1.7: ") +
                     problem.what()};
    }
    return trees;
}

}  // namespace nestor
