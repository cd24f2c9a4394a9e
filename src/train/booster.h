#pragma once
// XGBoost, as far as it is needed: rows, trees by given gradients, and what these say.

#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "cost/correction.h"
#include "cost/features.h"

namespace nestor {

struct BoosterOptions {
    int depth = 3;
    double rate = 0.1;
    double least = 1;  // sum of second derivatives in a leaf (min_child_weight)
    double leaf = 1;   // L2 regularisation of leaves (lambda)
};

/** An ensemble of trees that grows by one for each step. One thread; nothing random. */
class Booster {
  public:
    /** Copies the rows; there is one at least. */
    [[nodiscard]] static Result<Booster> create(const FeatureMatrix& rows,
                                                const BoosterOptions& options);
    Booster(Booster&&) noexcept;
    Booster& operator=(Booster&&) noexcept;
    ~Booster();

    /** Adds the tree that decreases a loss with such derivatives with respect to the outputs, one a
     * row. */
    [[nodiscard]] Status step(std::vector<float> gradient, std::vector<float> curvature);
    /** By XGBoost, one a row. */
    [[nodiscard]] Result<std::vector<float>> outputs() const;
    [[nodiscard]] Result<std::vector<Tree>> trees() const;

  private:
    struct Handles;
    explicit Booster(std::unique_ptr<Handles> handles);

    std::unique_ptr<Handles> handles_;
};

}  // namespace nestor
