"""OpenCV's filter2D with the same 5 x 5 kernel on 16-bit numbers, 32 times, rounding each time.

Comparable in the work; OpenCV multiplies in float and repeats the edge at each step.
"""


def run(numpy, cv2):
    picture = numpy.random.default_rng(1).integers(0, 1024, (1536, 2560), dtype=numpy.uint16)
    weights = [[0, 1, 2, 1, 0], [1, 4, 6, 4, 1], [2, 6, 8, 6, 2], [1, 4, 6, 4, 1], [0, 1, 2, 1, 0]]
    kernel = numpy.array(weights, numpy.float32) / 64

    def work():
        f = picture
        for _ in range(32):
            f = cv2.filter2D(f, -1, kernel, borderType=cv2.BORDER_REPLICATE)

    return "OpenCV filter2D, 32 times", work
