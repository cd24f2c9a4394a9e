"""OpenCV's non-local means of an 8-bit colour picture with the same sizes of patch and neighbourhood.

The same method on 8-bit integers, with the exponential function from a table.
"""


def run(numpy, cv2):
    picture = numpy.random.default_rng(1).integers(0, 256, (1024, 1536, 3), dtype=numpy.uint8)
    return "OpenCV fastNlMeansDenoising", lambda: cv2.fastNlMeansDenoising(picture, None, 25, 7, 7)
