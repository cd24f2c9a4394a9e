"""NumPy. Its sums of single-precision numbers are in single precision, pairwise; norms need squares of their own."""


def run(numpy, cv2, parameters=None):
    case = {"what": "sum", "width": 4096, "height": 4096} | (parameters or {})
    random = numpy.random.default_rng(0)
    picture, other = (random.random((case["height"], case["width"]), numpy.float32) for _ in range(2))
    works = {
        "sum": lambda: picture.sum(),
        "dot": lambda: picture.ravel().dot(other.ravel()),
        "row_norms": lambda: numpy.sqrt(numpy.einsum("yx,yx->y", picture, picture)),
        "column_norms": lambda: numpy.sqrt(numpy.einsum("yx,yx->x", picture, picture)),
        "argmax": lambda: picture.argmax(),
        "moments": lambda: (picture.mean(), picture.var()),
    }
    return "NumPy", works[case["what"]]
