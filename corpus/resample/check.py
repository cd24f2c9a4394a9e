"""What resample computes, in NumPy."""

import numpy

SMALL = {"width": 253, "height": 217}
SCALE = 0.6


def lanczos(t):
    return numpy.where(abs(t) < 3, numpy.sinc(t) * numpy.sinc(t / 3), 0)


def matrix(size, source):
    """(pixel of the result, pixel of the source), what is beyond the edge added to the edge."""
    border = 20
    center = (numpy.arange(size) + 0.5) / SCALE - 0.5
    weights = lanczos((numpy.arange(-border, source + border) - center[:, None]) * min(SCALE, 1))
    weights /= weights.sum(axis=1, keepdims=True)
    inner = weights[:, border:-border].copy()
    inner[:, 0] += weights[:, :border].sum(axis=1)
    inner[:, -1] += weights[:, -border:].sum(axis=1)
    return inner


def expected(inputs, scalars, shapes):
    _, height, width = shapes["output"]
    picture = inputs.input.astype(numpy.float64)
    resized = matrix(height, picture.shape[1]) @ picture @ matrix(width, picture.shape[2]).T
    return {"output": resized.astype(numpy.float32)}
