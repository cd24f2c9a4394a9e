"""What interpolate computes, in NumPy."""

import numpy

SMALL = {"width": 250, "height": 130, "levels": 5}
LEVELS = SMALL["levels"]
# The picture goes on beyond its edge, at all sizes; a multiple of the largest step.
BORDER = 4 << LEVELS


def halved(f):
    """Every second pixel of the blurred picture; the pixel at the border is not used afterwards."""

    def blurred(g):
        return numpy.roll(g, 1, axis=1) / 4 + g / 2 + numpy.roll(g, -1, axis=1) / 4

    return blurred(blurred(f)[:, ::2].swapaxes(1, 2))[:, ::2].swapaxes(1, 2)


def doubled(f):
    def along(g):
        result = numpy.repeat(g, 2, axis=1)
        result[:, 1::2] = (g + numpy.roll(g, -1, axis=1)) / 2
        return result

    return along(along(f).swapaxes(1, 2)).swapaxes(1, 2)


def fill(f, levels):
    if levels == 1:
        return f
    coarse = doubled(fill(halved(f), levels - 1))
    return f + (1 - f[3]) * coarse[:, : f.shape[1], : f.shape[2]]


def expected(inputs, scalars, shapes):
    _, height, width = inputs.input.shape
    # Up to a multiple of the largest step, so that all sizes are whole.
    below, right = BORDER - height % (1 << LEVELS), BORDER - width % (1 << LEVELS)
    padded = numpy.pad(inputs.input.astype(numpy.float64), ((0, 0), (BORDER, below), (BORDER, right)), mode="edge")
    padded[:3] *= padded[3]
    filled = fill(padded, LEVELS)[:, BORDER : BORDER + height, BORDER : BORDER + width]
    return {"output": (filled[:3] / filled[3]).astype(numpy.float32)}


def make_inputs(random, inputs):
    """Holes of all sizes: some single pixels, and whole areas."""
    array = inputs["input"].copy()
    _, height, width = array.shape
    y, x = numpy.mgrid[0:height, 0:width]
    known = (random.random((height, width)) < 0.5) & (numpy.sin(x / 9) + numpy.cos(y / 7) > -0.5)
    array[3] = known * random.uniform(0.2, 1, (height, width))
    return {"input": array}
