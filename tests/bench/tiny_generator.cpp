// A small pipeline for tests of `nestor bench`, with parameters that make it go wrong in several
// ways.

#include <chrono>
#include <cstdlib>
#include <thread>

#include "Halide.h"

namespace {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::require;
using Halide::select;
using Halide::Var;
using Halide::BoundaryConditions::repeat_edge;
using Halide::Internal::Call;

class Tiny : public Generator<Tiny> {
  public:
    /** Added to one pixel of the output. */
    GeneratorParam<int> wrong{"wrong", 0};
    /** Is the sum rounded from a floating-point number? */
    GeneratorParam<bool> rounds{"rounds", false};
    /** Does the generator stop with an error? */
    GeneratorParam<bool> refuses{"refuses", false};
    /** Does the generator crash? */
    GeneratorParam<bool> crashes{"crashes", false};
    /** Seconds that the generator wastes. */
    GeneratorParam<int> sleeps{"sleeps", 0};
    /** Does the compiled pipeline read a column that its input hasn't got? */
    GeneratorParam<bool> overreads{"overreads", false};
    /** Does the compiled pipeline fail in every run of a process but the first? */
    GeneratorParam<bool> falters{"falters", false};

    /** The channel lies innermost, as in an array of pixels. */
    Input<Buffer<uint8_t, 3>> input{"input"};
    Input<float> gain{"gain", 1.0f};
    Output<Buffer<uint8_t, 2>> sum{"sum"};
    Output<Buffer<float, 2>> mean{"mean"};

    void generate() {
        if (refuses) {
            throw Halide::CompileError("told to refuse");
        }
        if (crashes) {
            std::abort();
        }
        std::this_thread::sleep_for(std::chrono::seconds(sleeps));
        Func clamped = repeat_edge(input);
        Func source("source");
        source(x, y, c) = overreads ? input(x + width, y, c) : clamped(x, y, c);
        Func total("total");
        total(x, y) = cast<uint16_t>(source(x, y, 0)) + source(x, y, 1) + source(x, y, 2);
        const Expr third = rounds ? cast<uint8_t>(cast<float>(total(x, y)) / 3.0f)
                                  : cast<uint8_t>(total(x, y) / 3);
        sum(x, y) = third + cast<uint8_t>(select(x == 7 && y == 5, wrong, 0));
        if (falters) {
            Func first("first");
            const Expr drawn = Call::make(Halide::Int(32), "rand", {}, Call::Extern);
            first() = cast<uint8_t>(require(drawn == first_random_number, 0, "told to falter"));
            first.compute_root();
            sum(x, y) += first();
        }
        mean(x, y) = gain * (cast<float>(total(x - 1, y)) + cast<float>(total(x + 1, y))) / 6.0f;

        input.dim(0).set_stride(3);
        input.dim(2).set_stride(1);
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        gain.set_estimate(2.0f);
        sum.set_estimates({{0, width}, {0, height}});
        mean.set_estimates({{0, width}, {0, height}});
    }

  private:
    static constexpr int first_random_number = 1804289383;  // of the C library without a seed
    static constexpr int width = 160;
    static constexpr int height = 96;

    Var x{"x"}, y{"y"}, c{"c"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Tiny, tiny)
