// Runs the scheduled boxes on a gradient and compares with a loop; exit status 1 if they differ.

#include <cstdio>

#include "HalideBuffer.h"
#include "box.h"
#include "box_adams2019.h"

namespace {

using Image = Halide::Runtime::Buffer<uint8_t, 2>;

int count_wrong(const Image& input, const Image& output) {
    int wrong = 0;
    for (int y = 0; y < output.height(); y++) {
        for (int x = 0; x < output.width(); x++) {
            int sum = 0;
            for (int i = 0; i < 9; i++) {
                sum += input(x + i % 3, y + i / 3);
            }
            wrong += output(x, y) != sum / 9;
        }
    }
    return wrong;
}

}  // namespace

int main() {
    Image input(642, 482);
    input.for_each_element(
        [&](int x, int y) { input(x, y) = static_cast<uint8_t>(x * 3 + y * 5); });
    int wrong = 0;
    for (auto* function : {&box, &box_adams2019}) {
        Image output(640, 480);
        output.fill(0);
        wrong += function(input, output) != 0 ? 1 : count_wrong(input, output);
    }
    std::printf("%d wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
