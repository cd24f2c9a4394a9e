"""What harris computes, in NumPy."""

import numpy

SMALL = {"width": 250, "height": 130}


def expected(inputs, scalars, shapes):
    padded = numpy.pad(inputs.input.astype(numpy.float64), ((0, 0), (2, 2), (2, 2)), mode="edge")
    gray = numpy.tensordot([0.299, 0.587, 0.114], padded, axes=1) / 255

    def weighted(a, b, c):
        return a + 2 * b + c

    rows = weighted(gray[:-2], gray[1:-1], gray[2:])
    columns = weighted(gray[:, :-2], gray[:, 1:-1], gray[:, 2:])
    gradient_x = rows[:, 2:] - rows[:, :-2]
    gradient_y = columns[2:] - columns[:-2]

    def window_sum(f):
        across = f[:, :-2] + f[:, 1:-1] + f[:, 2:]
        return across[:-2] + across[1:-1] + across[2:]

    xx, xy, yy = (window_sum(f) for f in (gradient_x**2, gradient_x * gradient_y, gradient_y**2))
    result = xx * yy - xy**2 - scalars.sensitivity * (xx + yy) ** 2
    return {"output": result.astype(numpy.float32)}
