"""What unsharp computes, in NumPy."""

import math

import numpy

SMALL = {"width": 250, "height": 130}
SIGMA = 1.5


def expected(inputs, scalars, shapes):
    radius = math.ceil(2 * SIGMA)
    offsets = numpy.arange(-radius, radius + 1)
    kernel = numpy.exp(-(offsets**2) / (2 * SIGMA**2))
    kernel /= kernel.sum()

    _, height, width = inputs.input.shape
    color = inputs.input.astype(numpy.float64)
    gray = numpy.tensordot([0.299, 0.587, 0.114], color, axes=1)
    padded = numpy.pad(gray, radius, mode="edge")
    down = sum(weight * padded[i : i + height] for i, weight in enumerate(kernel))
    blur = sum(weight * down[:, i : i + width] for i, weight in enumerate(kernel))

    sharpened = gray + scalars.strength * (gray - blur)
    result = color * (numpy.maximum(sharpened, 0) / (gray + 1 / 1024))
    return {"output": result.astype(numpy.float32)}
