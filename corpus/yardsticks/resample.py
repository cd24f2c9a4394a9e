"""OpenCV's resize with INTER_LANCZOS4, on pixels of three numbers.

It uses 8 x 8 pixels for any size, so that it does less where it shrinks: the pipeline uses 10 x 10.
"""


def run(numpy, cv2):
    random = numpy.random.default_rng(0)
    picture = random.random((1536, 2560, 3), numpy.float32)
    output = numpy.empty((921, 1536, 3), numpy.float32)

    def work():
        cv2.resize(picture, (1536, 921), dst=output, interpolation=cv2.INTER_LANCZOS4)

    return "OpenCV's resize", work
