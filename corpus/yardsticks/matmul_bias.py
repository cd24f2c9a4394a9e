"""NumPy's matmul (OpenBLAS) and an addition in place: the same work."""


def run(numpy, cv2):
    random = numpy.random.default_rng(0)
    left, right = (random.random((1024, 1024), numpy.float32) for _ in range(2))
    bias = random.random(1024, numpy.float32)
    output = numpy.empty((1024, 1024), numpy.float32)

    def work():
        numpy.matmul(left, right, out=output)
        numpy.add(output, bias, out=output)

    return "NumPy's matmul", work
