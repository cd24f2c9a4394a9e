"""OpenCV's bilateralFilter on floating-point grey.

Same purpose, another method: it weighs every pixel of a window 17 wide, where the grid (cells of 8 pixels, blurred) reaches
further and weighs coarsely.
"""


def run(numpy, cv2):
    picture = numpy.random.default_rng(1).random((1536, 2560), numpy.float32)
    return "OpenCV bilateralFilter, 17 x 17", lambda: cv2.bilateralFilter(picture, 17, 0.1, 8)
