"""Is an output what it should be? Integers exactly, floating-point numbers up to rounding."""

import numpy

RELATIVE = 1e-4  # of the number itself
OF_LARGEST = 1e-5  # of the largest number in the output: what remains where large numbers cancel


def difference(expected, actual, integer_slack=0):
    """Empty if the arrays agree, else what is wrong.

    `integer_slack`: for integers rounded from floating-point numbers, which another order of the same
    operations can tip over; how far they may be off.
    """
    if expected.shape != actual.shape or expected.dtype != actual.dtype:
        return f"{actual.dtype}{actual.shape} instead of {expected.dtype}{expected.shape}"
    if expected.dtype.kind == "f":
        return _float_difference(expected, actual)
    off = numpy.abs(expected.astype(numpy.float64) - actual.astype(numpy.float64))
    if expected.dtype.itemsize == 8:
        off = numpy.where(expected == actual, 0, numpy.maximum(off, 1))
    wrong = int(numpy.count_nonzero(off > integer_slack))
    return f"{wrong} of {off.size} wrong, by up to {off.max():g}" if wrong else ""


def _float_difference(expected, actual):
    expected, actual = expected.astype(numpy.float64), actual.astype(numpy.float64)
    finite = numpy.isfinite(expected)
    same = (expected == actual) | (numpy.isnan(expected) & numpy.isnan(actual))
    largest = numpy.abs(expected[finite]).max(initial=0.0)
    with numpy.errstate(invalid="ignore"):
        off = numpy.where(same, 0, numpy.abs(expected - actual))
    close = same | (finite & (off <= RELATIVE * numpy.abs(expected) + OF_LARGEST * largest))
    wrong = int(numpy.count_nonzero(~close))
    return f"{wrong} of {off.size} wrong, by up to {off.max():g} of {largest:g}" if wrong else ""
