#include "measure/reference_kernel.h"

#include <cstddef>
#include <vector>

namespace nestor {

double reference_kernel() {
    constexpr std::size_t kFloats = std::size_t{1} << 20U;  // 4 MiB
    static std::vector<float> values(kFloats, 1.0F);
    float sums[16] = {};
    for (std::size_t i = 0; i < kFloats; i += 16) {
        for (std::size_t lane = 0; lane < 16; lane++) {
            float& value = values[i + lane];
            value = value * 0.999F + 0.001F;
            sums[lane] += value;
        }
    }
    double total = 0;
    for (const float sum : sums) {
        total += sum;
    }
    return total;
}

}  // namespace nestor
