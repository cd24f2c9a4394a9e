"""What quantized_conv computes, in NumPy."""

import numpy

SMALL = {"width": 21, "height": 11, "pictures": 2, "channels_in": 40, "channels_out": 72}
VARIANTS = [{}, {"operands": "unsigned_unsigned"}, {"operands": "signed_signed"}]


def expected(inputs, scalars, shapes):
    _, height, width, channels_out = shapes["output"]
    values = inputs.input.astype(numpy.int64)
    # Four numbers of a channel together: (y, x, channel in / 4, channel out, 4) as (y, x, channel in, channel out).
    weights = inputs.weights.astype(numpy.int64).transpose(0, 1, 2, 4, 3)
    weights = weights.reshape(*weights.shape[:2], -1, channels_out)
    total = numpy.zeros(shapes["output"], numpy.int64) + inputs.bias
    for dy in range(weights.shape[0]):
        for dx in range(weights.shape[1]):
            total += values[:, dy : dy + height, dx : dx + width] @ weights[dy, dx]
    rounded = numpy.rint(total.astype(numpy.float32) * inputs.scales) + scalars.output_zero
    limits = numpy.iinfo(inputs.input.dtype)
    return {"output": numpy.clip(rounded, limits.min, limits.max).astype(inputs.input.dtype)}


def make_inputs(random, inputs):
    made = {
        name: random.integers(
            numpy.iinfo(inputs[name].dtype).min,
            numpy.iinfo(inputs[name].dtype).max,
            inputs[name].shape,
            inputs[name].dtype,
            endpoint=True,
        )
        for name in ("input", "weights")
    }
    # Sums over unsigned numbers all have about the same size: the scales leave most of them within the range.
    largest = numpy.abs(inputs["weights"].astype(float)).mean() * 360 * 127
    made["scales"] = random.uniform(0.3, 0.9, inputs["scales"].shape).astype(numpy.float32) * numpy.float32(255 / largest)
    return made
