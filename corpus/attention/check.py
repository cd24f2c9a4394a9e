"""What attention computes, in NumPy."""

import numpy

SMALL = {"depth": 20, "positions": 70, "heads": 3}


def expected(inputs, scalars, shapes):
    # (head, position, number)
    query, key, value = (array.astype(numpy.float64) for array in (inputs.query, inputs.key, inputs.value))
    scores = query @ key.transpose(0, 2, 1) / numpy.sqrt(query.shape[2])
    exponentials = numpy.exp(scores - scores.max(axis=2, keepdims=True))
    weights = exponentials / exponentials.sum(axis=2, keepdims=True)
    return {"output": (weights @ value).astype(numpy.float32)}


def make_inputs(random, inputs):
    return {name: random.normal(0, 1.5, inputs[name].shape).astype(numpy.float32) for name in ("query", "key", "value")}
