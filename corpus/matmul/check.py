"""What matmul computes, in NumPy."""

import numpy

SMALL = {"m": 130, "n": 251, "k": 70}
VARIANTS = [
    {},
    {"batch": 3, "m": 37, "k": 19},
    {"transpose_a": "true", "transpose_b": "true", "type": "float64"},
]


def expected(inputs, scalars, shapes):
    # (which, row, column); a transposed one has the length of the sums where the other has its rows or columns.
    _, m, n = shapes["c"]
    a, b, bias = (array.astype(numpy.float64) for array in (inputs.a, inputs.b, inputs.bias))
    a = a if a.shape[1] == m else a.transpose(0, 2, 1)
    b = b if b.shape[2] == n else b.transpose(0, 2, 1)
    return {"c": (a @ b + bias).astype(inputs.a.dtype)}
