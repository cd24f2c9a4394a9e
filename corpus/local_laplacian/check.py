"""What local_laplacian computes, in NumPy."""

import numpy

SMALL = {"width": 250, "height": 130}
DEPTH = 8
CURVE_STEPS = 256
# Each level of a pyramid is kept with so many pixels beyond its edges; still further out it is constant, because the
# picture is. Even, so that halving the border leaves pixels where they are.
BORDER = 4


def halved(f, axis):
    """With the weights 1 3 3 1."""
    f = numpy.moveaxis(f, axis, -1)
    inside = f.shape[-1] - 2 * BORDER
    size = (inside + 1) // 2 + 2 * BORDER
    padded = numpy.pad(f, [(0, 0)] * (f.ndim - 1) + [(BORDER + 1, 2 * BORDER)], mode="edge")
    a, b, c, d = (padded[..., i : i + 2 * size : 2] for i in range(4))
    return numpy.moveaxis((a + 3 * (b + c) + d) / 8, -1, axis)


def doubled(f, axis, like):
    """Linearly between the centres of the pixels; of the size of `like`."""
    f = numpy.moveaxis(f, axis, -1)
    at = numpy.arange(like.shape[axis]) - BORDER
    near = f[..., at // 2 + BORDER]
    far = f[..., at // 2 - 1 + 2 * (at % 2) + BORDER]
    return numpy.moveaxis(0.75 * near + 0.25 * far, -1, axis)


def upsampled(f, like):
    return doubled(doubled(f, -1, like), -2, like)


def gaussian_pyramid(f):
    levels = [numpy.pad(f, [(0, 0)] * (f.ndim - 2) + [(BORDER, BORDER)] * 2, mode="edge")]
    for _ in range(DEPTH - 1):
        levels.append(halved(halved(levels[-1], -1), -2))
    return levels


def laplacian_pyramid(f):
    gaussian = gaussian_pyramid(f)
    finer = [fine - upsampled(coarse, fine) for fine, coarse in zip(gaussian, gaussian[1:])]
    return [*finer, gaussian[-1]]


def remapped(gray, scalars):
    """For each reference brightness."""
    steps = scalars.levels - 1
    position = (gray * (steps * CURVE_STEPS)).astype(numpy.int64)
    result = []
    for k in range(scalars.levels):
        offset = (position - CURVE_STEPS * k) / CURVE_STEPS
        curve = scalars.detail * offset * numpy.exp(-(offset**2) / 2)
        result.append(scalars.contrast * (gray - k / steps) + k / steps + curve / steps)
    return numpy.array(result)


def blended(laplacians, gray, steps):
    """Between the two references nearest in brightness."""
    below = numpy.clip((gray * steps).astype(numpy.int64), 0, steps - 1)
    low, high = (numpy.take_along_axis(laplacians, i[None], axis=0)[0] for i in (below, below + 1))
    return low + (high - low) * (gray * steps - below)


def expected(inputs, scalars, shapes):
    color = inputs.input / 65535
    gray = numpy.tensordot([0.299, 0.587, 0.114], color, axes=1)
    details = laplacian_pyramid(remapped(gray, scalars))
    levels = [blended(f, g, scalars.levels - 1) for f, g in zip(details, gaussian_pyramid(gray))]
    result = levels[-1]
    for level in reversed(levels[:-1]):
        result = upsampled(result, level) + level
    shade = result[BORDER:-BORDER, BORDER:-BORDER] / (gray + 1 / 1024)
    return {"output": (numpy.clip(color * shade, 0, 1) * 65535).astype(numpy.uint16)}
