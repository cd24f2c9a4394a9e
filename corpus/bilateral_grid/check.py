"""What bilateral_grid computes, in NumPy."""

import numpy

SMALL = {"width": 250, "height": 130}
CELL = 8
# Cells beyond the picture: the blur and the interpolation reach out to them.
BORDER = 3


def make_grid(picture, scalars, depth):
    """The sums and the numbers of pixels, by z, y, x."""
    height, width = picture.shape
    rows, columns = (size // CELL + 2 + 2 * BORDER for size in picture.shape)
    first = -BORDER * CELL - CELL // 2
    y = numpy.arange(rows * CELL)[:, None]
    x = numpy.arange(columns * CELL)[None, :]
    value = picture[numpy.clip(y + first, 0, height - 1), numpy.clip(x + first, 0, width - 1)]
    z = ((value + 0.5 * scalars.range) / scalars.range).astype(numpy.int64)
    place = (numpy.minimum(z, depth) + BORDER, y // CELL, x // CELL)
    grid = numpy.zeros((2, depth + 1 + 2 * BORDER, rows, columns))
    numpy.add.at(grid[0], place, value)
    numpy.add.at(grid[1], place, 1.0)
    return grid


def blurred(grid, axis):
    """Wraps at the edge of the border, which is wide enough for that not to be read."""
    weights = numpy.array([1, 4, 6, 4, 1]) / 16
    return sum(weight * numpy.roll(grid, shift, axis) for weight, shift in zip(weights, range(-2, 3)))


def expected(inputs, scalars, shapes):
    picture = numpy.clip(inputs.input.astype(numpy.float64), 0, 1)
    depth = int(1 / scalars.range + 0.5)
    grid = make_grid(picture, scalars, depth)
    for axis in (1, 2, 3):
        grid = blurred(grid, axis)

    y, x = numpy.indices(picture.shape)
    at = (picture / scalars.range, y / CELL, x / CELL)
    below = [numpy.floor(position).astype(numpy.int64) for position in at]
    below[0] = numpy.minimum(below[0], depth)
    total = 0
    for corner in numpy.ndindex(2, 2, 2):
        share = 1
        for up, position, low in zip(corner, at, below):
            share = share * (position - low if up else 1 - (position - low))
        total = total + share * grid[(slice(None), *(low + up + BORDER for low, up in zip(below, corner)))]
    return {"output": (total[0] / total[1]).astype(numpy.float32)}
