"""What nl_means computes, in NumPy."""

import numpy

SMALL = {"width": 250, "height": 130}
HALF = 3  # of the patch, and of the neighbourhood


def expected(inputs, scalars, shapes):
    _, height, width = inputs.input.shape
    border = 2 * HALF
    padded = numpy.pad(inputs.input.astype(numpy.float64), ((0, 0), (border, border), (border, border)), mode="edge")

    def shifted(dx, dy, margin):
        """With so many pixels around it on all sides."""
        x, y = border - margin + dx, border - margin + dy
        return padded[:, y : y + height + 2 * margin, x : x + width + 2 * margin]

    colors = numpy.zeros((3, height, width))
    weights = numpy.zeros((height, width))
    side = 2 * HALF + 1
    for dy in range(-HALF, HALF + 1):
        for dx in range(-HALF, HALF + 1):
            distance = ((shifted(0, 0, HALF) - shifted(dx, dy, HALF)) ** 2).sum(axis=0)
            down = sum(distance[i : i + height] for i in range(side))
            patch = sum(down[:, i : i + width] for i in range(side))
            weight = numpy.exp(-patch / (scalars.sigma**2 * 3 * side**2))
            colors += weight * shifted(dx, dy, 0)
            weights += weight
    return {"output": (colors / weights).astype(numpy.float32)}
