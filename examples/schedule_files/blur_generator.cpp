// A 3 x 3 blur with three schedules: by hand, by Nestor, and from the file that Nestor wrote.

#include "Halide.h"

#ifdef USE_SCHEDULE
#include "blur.schedule.h"  // written by `-e schedule`, see the Makefile
#endif

namespace {

using Halide::cast;
using Halide::Func;
using Halide::Generator;
using Halide::TailStrategy;
using Halide::Var;

class Blur : public Generator<Blur> {
  public:
    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        const Func clamped = Halide::BoundaryConditions::repeat_edge(input);
        Func wide("wide");
        wide(x, y) = cast<uint16_t>(clamped(x, y));
        rows(x, y) = wide(x - 1, y) + 2 * wide(x, y) + wide(x + 1, y);
        output(x, y) = cast<uint8_t>((rows(x, y - 1) + 2 * rows(x, y) + rows(x, y + 1) + 8) / 16);
    }

    void schedule() {
        // What an autoscheduler schedules for; the program takes other sizes, too.
        input.set_estimates({{0, 1920}, {0, 1080}});
        output.set_estimates({{0, 1920}, {0, 1080}});
        if (using_autoscheduler()) {
            return;
        }
#ifdef USE_SCHEDULE
        apply_schedule_blur(get_pipeline(), get_target());
#else
        const int lanes = natural_vector_size<uint8_t>();
        Var strip("strip");
        output.split(y, strip, y, 64, TailStrategy::GuardWithIf)
            .parallel(strip)
            .vectorize(x, lanes, TailStrategy::GuardWithIf);
        rows.compute_at(output, y)
            .store_at(output, strip)
            .vectorize(x, lanes, TailStrategy::RoundUp);
#endif
    }

  private:
    Var x{"x"}, y{"y"};
    Func rows{"rows"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Blur, blur)
