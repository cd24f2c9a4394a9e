"""What conv_layer computes, in NumPy."""

import numpy

SMALL = {"width": 21, "height": 11, "pictures": 2}


def expected(inputs, scalars, shapes):
    picture, weights = inputs.input.astype(numpy.float64), inputs.weights.astype(numpy.float64)
    _, height, width, _ = shapes["output"]
    total = numpy.zeros(shapes["output"]) + inputs.bias
    for dy in range(weights.shape[1]):
        for dx in range(weights.shape[2]):
            seen = picture[:, dy : dy + height, dx : dx + width]
            total += numpy.einsum("nyxi,io->nyxo", seen, weights[:, dy, dx])
    return {"output": numpy.maximum(total, 0).astype(numpy.float32)}
