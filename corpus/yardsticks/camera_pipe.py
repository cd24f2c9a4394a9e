"""OpenCV's functions one after the other: edge-aware demosaicing, transform, a table, unsharp mask.

Roughly comparable: the same purpose, but nothing removes hot pixels, the demosaicing is a simpler one, and the tone curve is
applied to 8 bits. Colours are interleaved.
"""


def run(numpy, cv2):
    mosaic = numpy.random.default_rng(1).integers(0, 1024, (1536, 2560), numpy.uint16)
    matrix = numpy.array([[1.2, -0.1, -0.1], [-0.1, 1.2, -0.1], [0, -0.2, 1.2]], numpy.float32)
    curve = (255 * (numpy.arange(256) / 255) ** (1 / 2.2)).astype(numpy.uint8)
    kernel = numpy.array([1, 2, 1], numpy.float32) / 4

    def call():
        color = cv2.cvtColor(mosaic, cv2.COLOR_BayerGRBG2RGB_EA)
        corrected = cv2.convertScaleAbs(cv2.transform(color, matrix), alpha=255 / 1023)
        toned = cv2.LUT(corrected, curve)
        return cv2.addWeighted(toned, 2, cv2.sepFilter2D(toned, -1, kernel, kernel), -1, 0)

    return "OpenCV, five steps", call
