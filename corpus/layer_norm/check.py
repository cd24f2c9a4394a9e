"""What layer_norm computes, in NumPy."""

import numpy

SMALL = {"width": 250, "rows": 131}


def expected(inputs, scalars, shapes):
    values = inputs.input.astype(numpy.float64)
    deviation = numpy.sqrt(values.var(axis=1, keepdims=True) + scalars.epsilon)
    normal = (values - values.mean(axis=1, keepdims=True)) / deviation
    return {"output": (normal * inputs.scale + inputs.offset).astype(numpy.float32)}


def make_inputs(random, inputs):
    return {"input": random.normal(1, 4, inputs["input"].shape).astype(numpy.float32)}
