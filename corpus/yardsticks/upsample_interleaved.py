"""OpenCV's resize with INTER_CUBIC: the same work, with weights of 11 bits."""


def run(numpy, cv2):
    random = numpy.random.default_rng(0)
    picture = random.integers(0, 256, (1024, 1536, 3)).astype(numpy.uint8)
    output = numpy.empty((1740, 2611, 3), numpy.uint8)

    def work():
        cv2.resize(picture, (2611, 1740), dst=output, interpolation=cv2.INTER_CUBIC)

    return "OpenCV's resize", work
