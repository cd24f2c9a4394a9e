"""OpenCV's dilation by the same disc of a float picture with the channel innermost.

Comparable in the result; OpenCV takes the maximum over every pixel of the disc.
"""

RADIUS = 26


def run(numpy, cv2):
    picture = numpy.random.default_rng(1).random((1536, 2560, 3), dtype=numpy.float32)
    y, x = numpy.mgrid[-RADIUS : RADIUS + 1, -RADIUS : RADIUS + 1]
    disc = (x**2 + y**2 <= RADIUS**2).astype(numpy.uint8)
    return "OpenCV dilate", lambda: cv2.dilate(picture, disc, borderType=cv2.BORDER_REPLICATE)
