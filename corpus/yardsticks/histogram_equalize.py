"""OpenCV: to YCrCb, equalizeHist of the brightness, and back. The same method; pictures have the channel innermost."""


def run(numpy, cv2):
    picture = numpy.random.default_rng(1).integers(0, 256, (1536, 2560, 3), dtype=numpy.uint8)

    def work():
        planes = list(cv2.split(cv2.cvtColor(picture, cv2.COLOR_RGB2YCrCb)))
        planes[0] = cv2.equalizeHist(planes[0])
        cv2.cvtColor(cv2.merge(planes), cv2.COLOR_YCrCb2RGB)

    return "OpenCV equalizeHist in YCrCb", work
