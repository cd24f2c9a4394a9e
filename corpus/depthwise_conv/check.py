"""What depthwise_conv computes, in NumPy."""

import numpy

SMALL = {"width": 29, "height": 17, "pictures": 2}


def expected(inputs, scalars, shapes):
    # (picture, y, x, channel)
    padded = inputs.input.astype(numpy.float64)
    height, width = padded.shape[1] - 2, padded.shape[2] - 2
    filtered = sum(
        inputs.depthwise_weights[dy, dx] * padded[:, dy : dy + height, dx : dx + width]
        for dy in range(3)
        for dx in range(3)
    )
    mixed = filtered @ inputs.pointwise_weights.astype(numpy.float64) + inputs.bias
    return {"output": numpy.maximum(mixed, 0).astype(numpy.float32)}
