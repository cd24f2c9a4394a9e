"""OpenCV: medianBlur 3 x 3, two Sobel filters to 16 bits, and the sum of their absolute values as 8 bits.

The same work but for the length, which is the sum of both sides here.
"""


def run(numpy, cv2):
    picture = numpy.random.default_rng(1).integers(0, 256, (3072, 5120), dtype=numpy.uint8)

    def work():
        median = cv2.medianBlur(picture, 3)
        across = cv2.convertScaleAbs(cv2.Sobel(median, cv2.CV_16S, 1, 0), alpha=0.25)
        down = cv2.convertScaleAbs(cv2.Sobel(median, cv2.CV_16S, 0, 1), alpha=0.25)
        cv2.add(across, down)

    return "OpenCV medianBlur and Sobel", work
