#pragma once
// The values that sizes and scalar parameters are assumed to have while scheduling.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "dag/pipeline_dag.h"
#include "halide/parts.h"

namespace nestor {

/** A value for each free variable of a pipeline's expressions ("input.extent.0", "gain"), and the
 *  regions of its outputs and inputs. */
class Estimates {
  public:
    /** Collects them from set_estimate, bound, set_bounds and default values, in this order of
     * preference; `default_extent` > 0 stands in for what is missing. An Error lists all that is
     * missing. */
    static Result<Estimates> collect(const PipelineParts& parts, std::int64_t default_extent);

    /** `e` with every known variable replaced by its value; shared subexpressions stay shared. */
    [[nodiscard]] Halide::Expr substitute(const Halide::Expr& e) const;

    /** The value of an expression over known variables. */
    [[nodiscard]] std::optional<std::int64_t> constant(const Halide::Expr& e) const;

    [[nodiscard]] const std::vector<Range>& output(const std::string& function) const {
        return outputs_.at(function);
    }
    [[nodiscard]] const std::vector<Range>& input(const std::string& name) const {
        return inputs_.at(name);
    }

  private:
    friend class EstimateCollector;
    std::map<std::string, Halide::Expr> values_;
    std::map<std::string, std::vector<Range>> outputs_;  // by function name
    std::map<std::string, std::vector<Range>> inputs_;   // by parameter or buffer name
};

}  // namespace nestor
