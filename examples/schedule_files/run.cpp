// Runs the blur on a test picture, compares it with a plain loop, and times it. Exit status 1 if
// any pixel is wrong.
//
//   run [WIDTH HEIGHT]     1920 1080

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "HalideBuffer.h"
#include "blur.h"

namespace {

using Image = Halide::Runtime::Buffer<uint8_t, 2>;

int expected(const Image& input, int x, int y) {
    const auto pixel = [&](int px, int py) -> int {
        return input(std::clamp(px, 0, input.width() - 1), std::clamp(py, 0, input.height() - 1));
    };
    int sum = 8;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            sum += (2 - std::abs(dx)) * (2 - std::abs(dy)) * pixel(x + dx, y + dy);
        }
    }
    return sum / 16;
}

int count_wrong(const Image& input, const Image& output) {
    int wrong = 0;
    for (int y = 0; y < output.height(); y++) {
        for (int x = 0; x < output.width(); x++) {
            wrong += output(x, y) == expected(input, x, y) ? 0 : 1;
        }
    }
    return wrong;
}

/** The shortest of many calls. */
double milliseconds(Image& input, Image& output) {
    double best = 1e9;
    for (int i = 0; i < 50; i++) {
        const auto start = std::chrono::steady_clock::now();
        blur(input, output);
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - start;
        best = std::min(best, took.count());
    }
    return best;
}

}  // namespace

int main(int argc, char** argv) {
    const int width = argc > 2 ? std::atoi(argv[1]) : 1920;
    const int height = argc > 2 ? std::atoi(argv[2]) : 1080;
    Image input(width, height), output(width, height);
    input.for_each_element(
        [&](int x, int y) { input(x, y) = static_cast<uint8_t>(x * 7 ^ y * 13); });
    output.fill(0);
    if (blur(input, output) != 0) {
        return 1;
    }
    const int wrong = count_wrong(input, output);
    std::printf("%s schedule: %d wrong, %.3f ms\n", SCHEDULE_NAME, wrong,
                milliseconds(input, output));
    return wrong == 0 ? 0 : 1;
}
