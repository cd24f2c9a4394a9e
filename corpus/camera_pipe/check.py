"""What camera_pipe computes, in NumPy, in whole numbers but for the tone curve."""

import numpy

SMALL = {"width": 250, "height": 130}
# Even, so that the padded mosaic begins with the same colour.
BORDER = 6


def average(a, b):
    return (a + b + 1) // 2


def moved(array, dx, dy):
    """array(x + dx, y + dy); wraps at the edge of the border, which is wide enough for that to be cut off."""
    return numpy.roll(array, (-dy, -dx), axis=(0, 1))


def without_hot_pixels(mosaic):
    around = [moved(mosaic, dx, dy) for dx, dy in ((-2, 0), (2, 0), (0, -2), (0, 2))]
    return numpy.clip(mosaic, numpy.minimum.reduce(around), numpy.maximum.reduce(around))


def demosaiced(sensor):
    y, x = numpy.indices(sensor.shape)
    left, right, above, below = (moved(sensor, dx, dy) for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1)))
    smoother_across = abs(left - right) < abs(above - below)
    guess = numpy.where(smoother_across, average(left, right), average(above, below))
    green = numpy.where((x + y) % 2 == 0, sensor, guess)

    tint = sensor - green
    beside = average(moved(tint, -1, 0), moved(tint, 1, 0))
    down = average(moved(tint, 0, -1), moved(tint, 0, 1))
    corners = sum(moved(tint, dx, dy) for dx in (-1, 1) for dy in (-1, 1))
    diagonal = (corners + 2) // 4
    place = 2 * (y % 2) + x % 2  # green, red, blue, green
    red = numpy.choose(place, (beside, tint, diagonal, down))
    blue = numpy.choose(place, (down, diagonal, tint, beside))
    return green + red, green, green + blue


def tone_curve(scalars, white):
    light = (numpy.arange(white + 1) - scalars.black_level) / (white - scalars.black_level)
    bright = numpy.clip(light, 0, 1) ** (1 / scalars.gamma)
    knee = bright**2 * (3 - 2 * bright)
    return ((bright + knee) / 2 * 255 + 0.5).astype(numpy.int64)


def blurred(f, axis):
    return (numpy.roll(f, 1, axis) + 2 * f + numpy.roll(f, -1, axis) + 2) // 4


def expected(inputs, scalars, shapes):
    white = 1023
    mosaic = numpy.pad(inputs.input.astype(numpy.int64), BORDER, mode="reflect")
    color = demosaiced(without_hot_pixels(mosaic))
    curve = tone_curve(scalars, white)
    result = []
    for row in numpy.rint(inputs.matrix * 256).astype(numpy.int64):
        total = row[3] + sum(weight * channel for weight, channel in zip(row[:3], color))
        toned = curve[numpy.clip(total // 256, 0, white)]
        mask = toned - blurred(blurred(toned, 1), 0)
        sharp = numpy.clip(toned + mask * int(scalars.sharpening) // 32, 0, 255)
        result.append(sharp[BORDER:-BORDER, BORDER:-BORDER])
    return {"output": numpy.array(result, numpy.uint8)}
