"""What box_blur computes, in NumPy."""

import numpy

SMALL = {"width": 250, "height": 130}


def make_inputs(random, inputs):
    """Noise up to the largest number, where sums of fewer bits would wrap around."""
    shape = inputs["input"].shape
    return {"input": random.integers(0, 1 << 16, shape).astype(numpy.uint16)}


def expected(inputs, scalars, shapes):
    height, width = inputs.input.shape
    padded = numpy.pad(inputs.input.astype(numpy.int64), 1, mode="edge")
    total = sum(padded[i : i + height, j : j + width] for i in range(3) for j in range(3))
    return {"output": ((total + 4) // 9).astype(numpy.uint16)}
