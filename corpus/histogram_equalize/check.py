"""What histogram_equalize computes, in NumPy."""

import numpy

SMALL = {"width": 250, "height": 130}


def expected(inputs, scalars, shapes):
    red, green, blue = inputs.input.astype(numpy.int64)
    luma = (77 * red + 150 * green + 29 * blue + 128) >> 8
    cumulated = numpy.cumsum(numpy.bincount(luma.ravel(), minlength=256))
    bright = ((255 * cumulated + luma.size // 2) // luma.size)[luma]
    cb = (-43 * red - 84 * green + 127 * blue + 128) >> 8
    cr = (127 * red - 106 * green - 21 * blue + 128) >> 8
    planes = [bright + ((179 * cr + 64) >> 7), bright - ((44 * cb + 91 * cr + 64) >> 7), bright + ((227 * cb + 64) >> 7)]
    return {"output": numpy.clip(planes, 0, 255).astype(numpy.uint8)}
