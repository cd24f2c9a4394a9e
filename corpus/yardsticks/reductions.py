"""NumPy, one pass over a picture for each result; sums in single precision, pairwise."""


def run(numpy, cv2):
    random = numpy.random.default_rng(0)
    first, second = (random.random((3, 1536 * 2560), numpy.float32) for _ in range(2))

    def work():
        return (
            first.sum(axis=1),
            [a.dot(a) for a in first],
            [a.dot(b) for a, b in zip(first, second, strict=True)],
            first.min(axis=1),
            first.max(axis=1),
        )

    return "NumPy", work
