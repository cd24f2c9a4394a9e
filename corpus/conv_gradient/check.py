"""What conv_gradient computes, in NumPy."""

import numpy

SMALL = {"width": 250, "height": 130}


def expected(inputs, scalars, shapes):
    picture = inputs.input.astype(numpy.float64)
    channels, height, width = inputs.wanted.shape
    window = inputs.weights.shape[-1]
    # (channel, y, x, down, across)
    windows = numpy.lib.stride_tricks.sliding_window_view(picture, (window, window), axis=(1, 2))
    prediction = numpy.einsum("cyxji,ocji->oyx", windows, inputs.weights, optimize=True)
    error = prediction + inputs.bias[:, None, None] - inputs.wanted
    slope = 2 * error / (channels * height * width)
    return {
        "weights_gradient": numpy.einsum("cyxji,oyx->ocji", windows, slope, optimize=True).astype(numpy.float32),
        "bias_gradient": slope.sum(axis=(1, 2)).astype(numpy.float32),
    }
