"""OpenCV, one operation on whole pictures after the other: derivatives, products, boxFilter, the solution.

The same work; its own calcOpticalFlowPyrLK follows single points only.
"""


def run(numpy, cv2):
    random = numpy.random.default_rng(0)
    first, second = (random.integers(0, 256, (1536, 2560)).astype(numpy.uint8) for _ in range(2))
    difference = numpy.array([[-1.0, 0.0, 1.0]], numpy.float32)
    one = numpy.ones((1, 1), numpy.float32)

    def window_sum(f, g):
        return cv2.boxFilter(cv2.multiply(f, g), -1, (7, 7), normalize=False, borderType=cv2.BORDER_REPLICATE)

    def work():
        change_x = cv2.sepFilter2D(first, cv2.CV_32F, difference, one, borderType=cv2.BORDER_REPLICATE)
        change_y = cv2.sepFilter2D(first, cv2.CV_32F, one, difference, borderType=cv2.BORDER_REPLICATE)
        change_t = cv2.subtract(second, first, dtype=cv2.CV_32F)
        a = cv2.add(window_sum(change_x, change_x), 1000.0)
        b = window_sum(change_x, change_y)
        d = cv2.add(window_sum(change_y, change_y), 1000.0)
        e = window_sum(change_x, change_t)
        f = window_sum(change_y, change_t)
        determinant = cv2.subtract(cv2.multiply(a, d), cv2.multiply(b, b))
        right = cv2.subtract(cv2.multiply(b, f), cv2.multiply(d, e))
        down = cv2.subtract(cv2.multiply(b, e), cv2.multiply(a, f))
        return cv2.divide(right, determinant, scale=2), cv2.divide(down, determinant, scale=2)

    return "OpenCV's boxFilter and arithmetic", work
