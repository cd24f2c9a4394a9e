"""OpenCV's calcHist: the same work; its counts are floating-point numbers."""


def run(numpy, cv2, parameters=None):
    case = {"width": 4096, "height": 4096} | (parameters or {})
    random = numpy.random.default_rng(1)
    picture = random.integers(0, 256, (case["height"], case["width"]), dtype=numpy.uint8)
    return "OpenCV calcHist", lambda: cv2.calcHist([picture], [0], None, [256], [0, 256])
