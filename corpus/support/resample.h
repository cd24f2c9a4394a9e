// Resizing of pictures by a factor, one direction at a time: what the pipelines that do it share.

#ifndef CORPUS_SUPPORT_RESAMPLE_H
#define CORPUS_SUPPORT_RESAMPLE_H

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "Halide.h"

namespace corpus {

enum class Kernel { Linear, Cubic, Lanczos };

inline const std::map<std::string, Kernel>& kernels() {
    static const std::map<std::string, Kernel> names = {
        {"linear", Kernel::Linear}, {"cubic", Kernel::Cubic}, {"lanczos", Kernel::Lanczos}};
    return names;
}

/** How far a kernel reaches to either side. */
inline int radius_of(Kernel kernel) {
    switch (kernel) {
        case Kernel::Linear:
            return 1;
        case Kernel::Cubic:
            return 2;
        case Kernel::Lanczos:
            return 3;
    }
    return 0;
}

inline Halide::Expr sinc(const Halide::Expr& t) {
    Halide::Expr angle = static_cast<float>(M_PI) * t;
    return select(abs(t) < 1e-6f, 1.0f, sin(angle) / angle);
}

inline Halide::Expr kernel_at(Kernel kernel, const Halide::Expr& t) {
    Halide::Expr a = abs(t);
    Halide::Expr inside = 0.0f;
    switch (kernel) {
        case Kernel::Linear:
            inside = 1.0f - a;
            break;
        case Kernel::Cubic:  // Catmull and Rom's
            inside = select(a < 1.0f, (1.5f * a - 2.5f) * a * a + 1.0f,
                            ((-0.5f * a + 2.5f) * a - 4.0f) * a + 2.0f);
            break;
        case Kernel::Lanczos:
            inside = sinc(t) * sinc(t / 3.0f);
            break;
    }
    return select(a < static_cast<float>(radius_of(kernel)), inside, 0.0f);
}

/** Which pixels of the source a pixel of the result is made of, along one direction. */
class Taps {
  public:
    Taps(const std::string& name, Kernel kernel, float scale)
        : weight("weight_" + name), total("total_" + name), scale(scale) {
        // Where it shrinks, the kernel is stretched, so that it covers all of the source.
        const float shrink = std::min(scale, 1.0f);
        reach = static_cast<float>(radius_of(kernel)) / shrink;
        count = static_cast<int>(std::ceil(2 * reach));

        Halide::Func unscaled("unscaled_" + name);
        Halide::Expr source = Halide::cast<float>(begin(position) + k);
        unscaled(position, k) = kernel_at(kernel, (source - center(position)) * shrink);
        Halide::RDom all(0, count, "all");
        total(position) += unscaled(position, all);
        weight(position, k) = unscaled(position, k) / total(position);
    }

    /** The first pixel of the source. No table, so that Halide sees what is needed of the source.
     */
    Halide::Expr begin(const Halide::Expr& at) const {
        return Halide::cast<int>(ceil(center(at) - reach));
    }

    /** By position and number of the pixel from the first on; their total, not scaled to one. */
    Halide::Func weight, total;
    /** Number of pixels. */
    int count = 0;
    Halide::Var position{"position"}, k{"k"};

  private:
    Halide::Expr center(const Halide::Expr& at) const {
        return (Halide::cast<float>(at) + 0.5f) / scale - 0.5f;
    }

    float scale;
    float reach = 0;
};

}  // namespace corpus

#endif
