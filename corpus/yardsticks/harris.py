"""OpenCV's cornerHarris on 8-bit grey.

Comparable: the same derivatives, window and measure; it is given the grey picture, which harris first makes from colours.
"""


def run(numpy, cv2):
    picture = numpy.random.default_rng(1).integers(0, 256, (1536, 2560), numpy.uint8)
    return "OpenCV cornerHarris", lambda: cv2.cornerHarris(picture, 3, 3, 0.04)
