"""No recursive filter in OpenCV: its stack blur, 21 pixels wide, in its place.

Another filter of about the same width, whose cost does not depend on that either; the channel is innermost.
"""


def run(numpy, cv2):
    picture = numpy.random.default_rng(1).random((1536, 2560, 3), dtype=numpy.float32)
    result = numpy.empty_like(picture)
    return "OpenCV stackBlur 21 x 21", lambda: cv2.stackBlur(picture, (21, 21), dst=result)
