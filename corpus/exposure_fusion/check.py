"""What exposure_fusion computes, in NumPy."""

import numpy

SMALL = {"width": 250, "height": 130, "depth": 5}  # each level takes seconds to compile
DEPTH = SMALL["depth"]
OFFSET = 1 / 128


def make_inputs(random, inputs):
    """Three exposures of the same picture, cut off at white."""
    picture = inputs["input"] / 65535
    gains = numpy.array([0.4, 1.0, 2.5]).reshape(3, 1, 1, 1)
    exposures = numpy.clip(picture * gains + random.normal(0, 0.01, picture.shape), 0, 1)
    return {"input": numpy.rint(exposures * 65535).astype(numpy.uint16)}


def padded(f, border):
    return numpy.pad(f, [(0, 0)] * (f.ndim - 2) + [(border, border)] * 2, mode="edge")


def blurred(f):
    """5 x 5, with the edge repeated."""
    height, width = f.shape[-2:]
    f = padded(f, 2)
    binomial = numpy.array([1, 4, 6, 4, 1]) / 16
    f = sum(w * f[..., i : i + height, :] for i, w in enumerate(binomial))
    return sum(w * f[..., i : i + width] for i, w in enumerate(binomial))


def reduced(f):
    return blurred(f)[..., ::2, ::2]


def expanded(f, shape):
    """Zeros between all pixels, blurred, times four."""
    f = padded(f, 2)
    spread = numpy.zeros((*f.shape[:-2], 2 * f.shape[-2], 2 * f.shape[-1]))
    spread[..., ::2, ::2] = f
    return 4 * blurred(spread)[..., 4 : 4 + shape[-2], 4 : 4 + shape[-1]]


def pyramid(f):
    levels = [f]
    for _ in range(DEPTH - 1):
        levels.append(reduced(levels[-1]))
    return levels


def weights_of(colors):
    gray = padded(numpy.einsum("c,kcyx->kyx", [0.299, 0.587, 0.114], colors), 1)
    around = gray[:, :-2, 1:-1] + gray[:, 2:, 1:-1] + gray[:, 1:-1, :-2] + gray[:, 1:-1, 2:]
    contrast = abs(around - 4 * gray[:, 1:-1, 1:-1])
    exposedness = numpy.exp(-((colors - 0.5) ** 2) / (2 * 0.2**2)).prod(axis=1)
    product = (contrast + OFFSET) * (colors.std(axis=1) + OFFSET) * (exposedness + OFFSET)
    return product / product.sum(axis=0)


def expected(inputs, scalars, shapes):
    colors = inputs.input / 65535
    weights = pyramid(weights_of(colors))
    colors = pyramid(colors)
    result = 0
    for j in reversed(range(DEPTH)):
        detail = colors[j]
        if j + 1 < DEPTH:
            detail = detail - expanded(colors[j + 1], detail.shape)
            result = expanded(result, detail.shape)
        result = result + (weights[j][:, None] * detail).sum(axis=0)
    return {"output": numpy.rint(numpy.clip(result, 0, 1) * 65535).astype(numpy.uint16)}
