"""OpenCV's StereoBM: 64 disparities, blocks of 9 x 9.

Comparable: Konolige's method, too, with the same prefilter and costs. Its check of the right picture uses the costs at hand
instead of a second search; it refines disparities to sixteenths.
"""


def run(numpy, cv2):
    random = numpy.random.default_rng(1)
    left, right = (random.integers(0, 256, (768, 1280), numpy.uint8) for _ in range(2))
    matcher = cv2.StereoBM.create(64, 9)
    matcher.setPreFilterType(cv2.STEREO_BM_PREFILTER_XSOBEL)
    matcher.setTextureThreshold(0)
    matcher.setUniquenessRatio(0)
    matcher.setDisp12MaxDiff(1)
    return "OpenCV StereoBM", lambda: matcher.compute(left, right)
