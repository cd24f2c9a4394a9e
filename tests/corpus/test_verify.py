"""tests/corpus/verify.py sees what is wrong, and nothing else."""

import numpy
import pytest
import verify


def test_a_wrong_result_would_be_seen():
    for dtype in (numpy.uint8, numpy.float32):
        right = numpy.random.default_rng(7).integers(1, 200, (40, 60)).astype(dtype)
        wrong = right.copy()
        wrong[20, 30] = 201
        assert verify.difference(right, wrong)


@pytest.mark.parametrize(
    "expected, actual, slack, right",
    [
        ([1, 2, 3], [1, 2, 3], 0, True),
        ([1, 2, 3], [1, 2, 4], 0, False),
        ([1, 2, 3], [1, 2, 4], 1, True),
        ([1.0, 1000.0], [1.001, 1000.05], 0, True),
        ([1.0, 1000.0], [1.1, 1000.0], 0, False),
        ([1.0, float("nan")], [1.0, float("nan")], 0, True),
        ([1.0, float("nan")], [1.0, 2.0], 0, False),
        ([1.0, 2.0], [1.0, float("nan")], 0, False),
        ([1.0, float("inf")], [1.0, float("inf")], 0, True),
        ([1.0, 2.0], [1.0], 0, False),
    ],
)
def test_difference(expected, actual, slack, right):
    kind = "int32" if isinstance(expected[0], int) else "float32"
    difference = verify.difference(numpy.array(expected, kind), numpy.array(actual, kind), slack)
    assert (difference == "") == right


def test_wide_integers_are_compared_exactly():
    expected = numpy.array([2**63 + 1], "uint64")
    assert verify.difference(expected, expected.copy()) == ""
    assert verify.difference(expected, expected + numpy.uint64(1)) != ""
