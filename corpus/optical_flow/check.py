"""What optical_flow computes, in NumPy."""

import numpy

SMALL = {"width": 250, "height": 130}
RADIUS = 3


def expected(inputs, scalars, shapes):
    border = RADIUS + 1
    before, after = (numpy.pad(f.astype(numpy.int64), border, mode="edge") for f in (inputs.first, inputs.second))
    change_x = before[1:-1, 2:] - before[1:-1, :-2]
    change_y = before[2:, 1:-1] - before[:-2, 1:-1]
    change_t = (after - before)[1:-1, 1:-1]

    def window_sum(f):
        windows = numpy.lib.stride_tricks.sliding_window_view(f, (2 * RADIUS + 1, 2 * RADIUS + 1))
        return windows.sum(axis=(2, 3))

    a = window_sum(change_x**2) + scalars.stiffness
    b = window_sum(change_x * change_y)
    d = window_sum(change_y**2) + scalars.stiffness
    # The change in time over the movement is minus the change in space; a step in space is two pixels.
    e, f = (-2 * window_sum(change * change_t) for change in (change_x, change_y))
    determinant = a * d - b * b
    flow = numpy.stack([d * e - b * f, a * f - b * e]) / determinant
    return {"output": flow.astype(numpy.float32)}


def make_inputs(random, inputs):
    """The second frame has moved a bit, and has noise."""
    first = inputs["first"].astype(int)
    moved = (2 * first + numpy.roll(first, 1, axis=1) + numpy.roll(first, 1, axis=0)) // 4
    noise = random.integers(-3, 4, first.shape)
    return {"second": numpy.clip(moved + noise, 0, 255).astype(numpy.uint8)}
