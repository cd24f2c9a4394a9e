"""What compositing computes, in NumPy."""

import numpy

SMALL = {"width": 250, "height": 130}


def make_inputs(random, inputs):
    """Some of each alpha, the colours premultiplied by it."""
    layers = inputs["layers"].astype(numpy.int64)
    shape = (*layers.shape[:3], 1)
    alpha = numpy.clip(random.integers(-100, 356, shape), 0, 255)
    colors = numpy.roll(layers[..., :3], random.integers(0, 3), axis=3) + random.integers(-50, 50, shape)
    colors = numpy.clip(colors, 0, 255) * alpha // 255
    return {"layers": numpy.concatenate([colors, alpha], axis=3).astype(numpy.uint8)}


def blend(mode, s, b):
    """In 0..1, after the formulas of the standard, each product rounded to 8 bits."""

    def product(f, g):
        return numpy.rint(f * g * 255) / 255

    s_alpha, b_alpha = s[..., 3:], b[..., 3:]
    s_in, b_in = product(s, b_alpha), product(b, s_alpha)
    s_out, b_out = product(s, 1 - b_alpha), product(b, 1 - s_alpha)
    if mode == 0:
        return s + b_out
    if mode == 2:
        return s + b - product(s, b)
    if mode == 5:
        return s + b
    inside = {1: product(s, b), 3: numpy.minimum(s_in, b_in), 4: numpy.maximum(s_in, b_in)}[mode]
    return inside + s_out + b_out


def expected(inputs, scalars, shapes):
    layers = inputs.layers / 255.0
    below = layers[0]
    for layer, mode in zip(layers[1:], inputs.modes[1:], strict=True):
        below = numpy.clip(numpy.rint(blend(mode, layer, below) * 255), 0, 255) / 255
    return {"output": numpy.rint(below * 255).astype(numpy.uint8)}
