#pragma once
// Is a result what it should be?

#include <cstdint>
#include <string>

#include "dag/pipeline_dag.h"
#include "measure/call.h"
#include "schedule/schedule.h"

namespace nestor {

/** What an algorithm's own types do to its results. */
struct TypeFacts {
    bool rounds = false;  // integers are made from floating-point numbers somewhere
    /** Relative size of one rounding of the type with the fewest digits in which it computes,
     * whatever its results are; 0: of none. */
    double unit = 0;
};
[[nodiscard]] TypeFacts type_facts(const Halide::Pipeline& pipeline);

/** What rounding may do to a result. */
struct RoundingFacts {
    bool strict = false;        // the target has strict_float: the compiler reorders nothing
    bool reassociates = false;  // the schedule sums in another order
    double terms = 1;           // of the longest reduction that it reorders
    TypeFacts types = {};
};

/** Whether a reduction runs in another order than written: rfactor, vectors, parallel or atomic
 * loops over reduction variables, or these loops reordered. */
[[nodiscard]] RoundingFacts rounding_facts(const PipelineDag& dag, const Schedule& schedule,
                                           const Halide::Pipeline& pipeline,
                                           const Halide::Target& target);

/** Integers bit for bit, unless floating-point numbers are rounded to integers on the way: then one
 * off, or as far relative to the largest as floats may be. Floats bit for bit if nothing may
 * reorder their operations, else within 1000 roundings of the type, or of one with fewer digits in
 * which something was computed, more for long sums. */
[[nodiscard]] Tolerance tolerance(const Halide::Type& type, const RoundingFacts& facts);

/** Where integers are made from floating-point numbers, a rounding may tip a result over entirely:
 * an index of a table, a number that wraps around. How many elements may be anything then, by how
 * many of `all` differ between two right results that were rounded differently: four times as many,
 * a thousandth of all at most. */
[[nodiscard]] std::int64_t exceptions(std::int64_t differ, std::int64_t all);

/** Of two results of one output that are both right. */
[[nodiscard]] std::int64_t count_differences(const BufferShape& shape, const BufferMemory& one,
                                             const BufferMemory& other, const Tolerance& tolerance);

/** Empty if they agree, else how many elements differ, and the first of them. */
[[nodiscard]] std::string difference(const BufferShape& shape, const BufferMemory& expected,
                                     const BufferMemory& actual, const Tolerance& tolerance);

}  // namespace nestor
