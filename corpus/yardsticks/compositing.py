"""OpenCV, the layers one after the other, all in the mode "plus": one saturating addition for each layer.

Only a part of the work: OpenCV has no blend modes, and the traffic of memory is what compares.
"""


def run(numpy, cv2):
    layers = numpy.random.default_rng(1).integers(0, 256, (8, 1536, 2560, 4), dtype=numpy.uint8)
    result = numpy.empty_like(layers[0])

    def work():
        cv2.add(layers[0], layers[1], dst=result)
        for layer in layers[2:]:
            cv2.add(result, layer, dst=result)

    return "OpenCV add, 7 times", work
