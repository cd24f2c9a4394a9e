"""PyWavelets' transform with the same filter, its soft threshold, and its inverse; on one thread.

`pip install PyWavelets`.
"""


def run(numpy, cv2):
    import pywt

    picture = numpy.random.default_rng(0).random((1536, 2560), numpy.float32)

    def work():
        smooth, *details = pywt.wavedec2(picture, "db2", mode="constant", level=2)
        shrunk = [tuple(pywt.threshold(band, 0.05, "soft") for band in level) for level in details]
        return pywt.waverec2([smooth, *shrunk], "db2", mode="constant")

    return "PyWavelets", work
