"""OpenCV's pyrDown and pyrUp, level by level, with the arithmetic between them in place.

The filters have 5 x 5 weights where the pipeline's have 3 x 3; the order of work is the same.
"""

LEVELS = 8


def run(numpy, cv2):
    random = numpy.random.default_rng(0)
    picture = random.random((1536, 2560, 4), numpy.float32)
    alpha = numpy.ones_like(picture)

    def work():
        cv2.mixChannels([picture], [alpha], [3, 0, 3, 1, 3, 2])
        pyramid = [cv2.multiply(picture, alpha)]
        for _ in range(LEVELS - 1):
            pyramid.append(cv2.pyrDown(pyramid[-1]))
        filled = pyramid[-1]
        for level in reversed(pyramid[:-1]):
            filled = cv2.pyrUp(filled, dstsize=level.shape[1::-1])
            unknown = cv2.extractChannel(level, 3)
            cv2.subtract(1.0, unknown, dst=unknown)
            filled = cv2.add(level, cv2.multiply(filled, cv2.merge([unknown] * 4)))
        weight = cv2.extractChannel(filled, 3)
        return cv2.divide(filled, cv2.merge([weight] * 4))

    return "OpenCV's pyrDown and pyrUp", work
