"""What big_sums computes, in NumPy."""

import numpy

SMALL = {"width": 250, "height": 131}
VARIANTS = [{"what": what} for what in ("sum", "dot", "row_norms", "column_norms", "argmax", "moments")]


def expected(inputs, scalars, shapes):
    picture = inputs.picture.astype(numpy.float64)
    if "sum" in shapes:
        return {"sum": picture.sum()}
    if "dot" in shapes:
        return {"dot": (picture * inputs.other).sum()}
    if "norms" in shapes:
        rows = shapes["norms"] == picture.shape[:1]
        return {"norms": numpy.sqrt((picture * picture).sum(axis=int(rows))).astype(numpy.float32)}
    if "largest" in shapes:
        row, column = numpy.unravel_index(inputs.picture.argmax(), picture.shape)
        return {"largest": inputs.picture.max(), "column": numpy.int32(column), "row": numpy.int32(row)}
    return {"mean": picture.mean(), "variance": picture.var()}
