"""OpenCV's box filter of a 16-bit picture, 3 x 3: the same work."""


def run(numpy, cv2):
    picture = numpy.random.default_rng(1).integers(0, 1 << 16, (3072, 5120), dtype=numpy.uint16)
    result = numpy.empty_like(picture)

    def work():
        cv2.blur(picture, (3, 3), dst=result, borderType=cv2.BORDER_REPLICATE)

    return "OpenCV blur 3 x 3", work
