// What is computed from all numbers of a large picture: one sum, a dot product, the norm of each
// row or column, where the largest number is, mean and variance. All are limited by the memory.
//
// Sums of all numbers are kept in double precision: millions of them would lose digits in less.
//
// Yardstick: NumPy, 2.99 ms for the sum beside this schedule's 1.38 ms; dot 3.72 and 3.54,
// row_norms 2.42 and 1.58, column_norms 2.39 and 1.22, argmax 2.35 and 1.70, moments 18.9 and 1.41.
// That is 38 to 55 GB/s; reading reaches 45 GB/s from memory, and the last cache keeps a part of
// the picture from one run to the next: 1.08, 0.85, 0.95, 1.23, 0.88 and 1.06 of the memory's (AMD
// EPYC, Zen 5, 2 cores of a virtual machine, 2026-11-23; scripts/kernels).

#include "Halide.h"

namespace {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::max;
using Halide::RDom;
using Halide::RVar;
using Halide::select;
using Halide::sqrt;
using Halide::TailStrategy;
using Halide::Tuple;
using Halide::Type;
using Halide::Var;

enum class What { Sum, Dot, RowNorms, ColumnNorms, Argmax, Moments };

class BigSums : public Generator<BigSums> {
  public:
    GeneratorParam<What> what{"what",
                              What::Sum,
                              {{"sum", What::Sum},
                               {"dot", What::Dot},
                               {"row_norms", What::RowNorms},
                               {"column_norms", What::ColumnNorms},
                               {"argmax", What::Argmax},
                               {"moments", What::Moments}}};
    GeneratorParam<int> width{"width", 4096};
    GeneratorParam<int> height{"height", 4096};

    Input<Buffer<float, 2>> picture{"picture"};

    void configure() {
        switch (static_cast<What>(what)) {
            case What::Sum:
                add_results({{"sum", Halide::Float(64)}});
                break;
            case What::Dot:
                other = add_input<Buffer<float, 2>>("other");
                add_results({{"dot", Halide::Float(64)}});
                break;
            case What::RowNorms:
            case What::ColumnNorms:
                add_results({{"norms", Halide::Float(32), 1}});
                break;
            case What::Argmax:
                add_results({{"largest", Halide::Float(32)},
                             {"column", Halide::Int(32)},
                             {"row", Halide::Int(32)}});
                break;
            case What::Moments:
                add_results({{"mean", Halide::Float(64)}, {"variance", Halide::Float(64)}});
                break;
        }
    }

    void generate() {
        pixel = RDom(0, width, 0, height, "pixel");
        column = RDom(0, width, "column");
        row = RDom(0, height, "row");
        picture.set_estimates({{0, width}, {0, height}});
        switch (static_cast<What>(what)) {
            case What::Sum:
                total() = cast<double>(0);
                total() += cast<double>(picture(pixel.x, pixel.y));
                result(0)() = total();
                break;
            case What::Dot:
                total() = cast<double>(0);
                total() += cast<double>(picture(pixel.x, pixel.y)) *
                           cast<double>((*other)(pixel.x, pixel.y));
                result(0)() = total();
                other->set_estimates({{0, width}, {0, height}});
                break;
            case What::RowNorms:
                total(i) = 0.0f;
                total(i) += picture(column, i) * picture(column, i);
                result(0)(i) = sqrt(total(i));
                results[0]->set_estimates({{0, height}});
                break;
            case What::ColumnNorms:
                total(i) = 0.0f;
                total(i) += picture(i, row) * picture(i, row);
                result(0)(i) = sqrt(total(i));
                results[0]->set_estimates({{0, width}});
                break;
            case What::Argmax:
                define_argmax();
                break;
            case What::Moments:
                define_moments();
                break;
        }
    }

    void schedule() {
        if (using_autoscheduler()) {
            return;
        }
        switch (static_cast<What>(what)) {
            case What::RowNorms:
                schedule_rows();
                break;
            case What::ColumnNorms:
                schedule_columns();
                break;
            default:
                schedule_whole_picture();
                break;
        }
    }

  private:
    struct Result {
        const char* name;
        Type type;
        int dimensions = 0;
    };

    void add_results(const std::vector<Result>& wanted) {
        for (const Result& one : wanted) {
            results.push_back(add_output<Buffer<>>(one.name, one.type, one.dimensions));
        }
    }

    Func result(size_t position) { return *results[position]; }

    void define_argmax() {
        Expr value = picture(pixel.x, pixel.y);
        total() = Tuple(value.type().min(), 0, 0);
        Expr found = value < total()[0];
        total() = Tuple(max(total()[0], value), select(found, total()[1], pixel.x),
                        select(found, total()[2], pixel.y));
        for (int each = 0; each < 3; each++) {
            result(each)() = total()[each];
        }
    }

    void define_moments() {
        Expr value = cast<double>(picture(pixel.x, pixel.y));
        total() = Tuple(cast<double>(0), cast<double>(0));
        total() = Tuple(total()[0] + value, total()[1] + value * value);
        Expr pixels = cast<double>(width) * cast<double>(height);
        Expr mean = total()[0] / pixels;
        result(0)() = mean;
        result(1)() = total()[1] / pixels - mean * mean;
    }

    /** Each strip of rows into vectors of results that stay in registers, these into one result for
     * each strip, and those into one. */
    void schedule_whole_picture() {
        const int together = 4 * natural_vector_size<float>();
        RVar strip("strip"), line("line"), block("block"), next("next");
        Var s("s"), lane("lane");
        total.compute_root();
        total.update().split(pixel.y, strip, line, 32).split(pixel.x, block, next, together);
        Func strips = total.update().rfactor(strip, s);
        strips.compute_root().update().parallel(s);
        Func lanes = strips.update().rfactor(next, lane);
        lanes.compute_at(strips, s).vectorize(lane);
        lanes.update().reorder(lane, block, line).vectorize(lane);
    }

    /** A row's squares in vectors, that stay in registers. */
    void schedule_rows() {
        const int together = 4 * natural_vector_size<float>();
        RVar block("block"), next("next");
        Var lane("lane"), strip("strip"), y("y");
        result(0).split(i, strip, y, 16, TailStrategy::GuardWithIf).parallel(strip);
        total.compute_at(result(0), y).update().split(column, block, next, together);
        Func lanes = total.update().rfactor(next, lane);
        lanes.compute_at(result(0), y).vectorize(lane);
        lanes.update().reorder(lane, block).vectorize(lane);
    }

    /** Each strip of rows, several at a time, into a row of sums that stays in the first cache. */
    void schedule_columns() {
        const int lanes = natural_vector_size<float>();
        RVar strip("strip"), line("line"), group("group"), next("next");
        Var s("s"), x("x");
        result(0).vectorize(i, lanes);
        total.compute_root().vectorize(i, lanes, TailStrategy::GuardWithIf);
        total.update().split(row, strip, line, 256);
        Func strips = total.update().rfactor(strip, s);
        total.update().reorder(i, strip).vectorize(i, lanes, TailStrategy::GuardWithIf);
        strips.compute_root().vectorize(i, lanes, TailStrategy::GuardWithIf).parallel(s);
        strips.update()
            .split(line, group, next, 8)
            .split(i, i, x, lanes, TailStrategy::GuardWithIf)
            .reorder(x, next, i, group, s)
            .vectorize(x)
            .unroll(next)
            .parallel(s);
    }

    Input<Buffer<float, 2>>* other = nullptr;
    std::vector<Output<Buffer<>>*> results;
    Var i{"i"};
    RDom pixel, column, row;
    Func total{"total"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(BigSums, big_sums)
