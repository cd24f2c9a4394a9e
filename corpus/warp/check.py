"""What warp computes, in NumPy."""

import numpy

SMALL = {"width": 250, "height": 130}


def expected(inputs, scalars, shapes):
    _, height, width = inputs.input.shape
    center = numpy.array([height - 1, width - 1])[:, None, None] / 2
    offset = numpy.mgrid[0:height, 0:width] - center
    squared = (offset**2).sum(axis=0) / center[0] ** 2
    stretch = 1 + scalars.second_order * squared + scalars.fourth_order * squared**2
    y, x = numpy.clip(center + offset * stretch, 0, 2 * center)
    row, column = y.astype(int), x.astype(int)
    part_y, part_x = y - row, x - column
    padded = numpy.pad(inputs.input.astype(numpy.float64), ((0, 0), (0, 1), (0, 1)), mode="edge")

    def across(at):
        return padded[:, at, column] * (1 - part_x) + padded[:, at, column + 1] * part_x

    result = across(row) * (1 - part_y) + across(row + 1) * part_y
    return {"output": numpy.floor(result + 0.5).astype(numpy.uint8)}
