"""What quantized_matmul computes, in NumPy."""

import numpy

SMALL = {"rows": 130, "columns": 250, "depth": 64}
VARIANTS = [{}, {"operands": "signed_signed"}]


def expected(inputs, scalars, shapes):
    # Four numbers of a column together: (depth / 4, column, 4) as (depth, column).
    weights = inputs.weights.astype(numpy.int64).transpose(0, 2, 1).reshape(-1, inputs.weights.shape[1])
    values = inputs.input.astype(numpy.int64)
    total = (values - scalars.input_zero) @ (weights - scalars.weight_zero) + inputs.bias
    scales = scalars.input_scale * inputs.weight_scales.astype(numpy.float64)
    rounded = numpy.rint(total * scales / scalars.output_scale)
    return {"output": numpy.clip(rounded + scalars.output_zero, 0, 255).astype(numpy.uint8)}


def make_inputs(random, inputs):
    limits = numpy.iinfo(inputs["weights"].dtype)
    weights = random.integers(limits.min, limits.max, inputs["weights"].shape, limits.dtype, endpoint=True)
    scales = random.uniform(0.2, 0.8, inputs["weight_scales"].shape)
    return {"weights": weights, "weight_scales": scales.astype(numpy.float32)}
