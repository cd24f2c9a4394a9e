"""OpenCV's Gaussian blur of an 8-bit picture: nine taps in fixed point as well, with weights in 256ths; the same work."""


def run(numpy, cv2):
    picture = numpy.random.default_rng(1).integers(0, 256, (3072, 5120), dtype=numpy.uint8)
    result = numpy.empty_like(picture)

    def work():
        cv2.GaussianBlur(picture, (9, 9), 1.8, dst=result, borderType=cv2.BORDER_REPLICATE)

    return "OpenCV GaussianBlur 9 x 9", work
