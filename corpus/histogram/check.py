"""What histogram computes, in NumPy."""

import numpy

SMALL = {"width": 250, "height": 131}


def expected(inputs, scalars, shapes):
    return {"histogram": numpy.bincount(inputs.picture.ravel(), minlength=256).astype(numpy.uint32)}
