"""What stereo_matching computes, in NumPy."""

import numpy

SMALL = {"width": 250, "height": 130}
DISPARITIES = 64
RADIUS = 4
STEEPEST = 31
UNKNOWN = 255


def make_inputs(random, inputs):
    """The left picture, and from where the other camera stands: nearer things, in squares, are further to the left."""
    left = numpy.clip(inputs["left"] + random.normal(0, 9, inputs["left"].shape), 0, 255).astype(numpy.uint8)
    y, x = numpy.indices(left.shape)
    disparity = 5 + 20 * ((x // 60 + y // 50) % 3)
    right = numpy.take_along_axis(left, numpy.minimum(x + disparity, left.shape[1] - 1), axis=1)
    return {"left": left, "right": right}


def slope(picture, beside):
    """Sobel's, for `beside` more columns on both sides and as many rows as a block reaches out."""
    border = ((RADIUS + 1, RADIUS + 1), (beside + 1, beside + 1))
    f = numpy.pad(picture.astype(numpy.int64), border, mode="edge")
    change = f[:, 2:] - f[:, :-2]
    return numpy.clip(change[:-2] + 2 * change[1:-1] + change[2:], -STEEPEST, STEEPEST)


def block_sum(f):
    for axis in (0, 1):
        f = numpy.lib.stride_tricks.sliding_window_view(f, 2 * RADIUS + 1, axis).sum(axis=-1)
    return f


def expected(inputs, scalars, shapes):
    height, width = shapes["output"]
    # Costs are needed for a search's width more on both sides, and the other picture as far again.
    search = DISPARITIES - 1
    left = slope(inputs.left, search + RADIUS)
    right = slope(inputs.right, 2 * search + RADIUS)
    costs = []
    for disparity in range(DISPARITIES):
        first = search - disparity
        costs.append(block_sum(abs(left - right[:, first : first + left.shape[1]])))
    costs = numpy.array(costs)

    # Columns 0 to `search` less one are to the left of the picture.
    found = costs[:, :, search : search + width].argmin(axis=0)
    of_right = numpy.array([costs[d, :, d : d + search + width] for d in range(DISPARITIES)]).argmin(axis=0)
    x = numpy.arange(width) + search
    opposite = numpy.take_along_axis(of_right, x - found, axis=1)
    return {"output": numpy.where(abs(found - opposite) <= 1, found, UNKNOWN).astype(numpy.uint8)}
