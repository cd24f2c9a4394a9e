"""OpenCV's MergeMertens of three 8-bit colour pictures: the same method, in float inside, with a level of the pyramid more."""


def run(numpy, cv2):
    random = numpy.random.default_rng(1)
    pictures = [random.integers(0, 256, (1280, 1920, 3), dtype=numpy.uint8) for _ in range(3)]
    merge = cv2.createMergeMertens()
    return "OpenCV MergeMertens", lambda: merge.process(pictures)
