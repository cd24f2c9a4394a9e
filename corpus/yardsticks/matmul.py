"""NumPy's matmul (OpenBLAS) and an addition in place: the same work."""

DEFAULTS = {"m": 1000, "n": 1001, "k": 37, "batch": 1, "transpose_a": False, "transpose_b": False, "type": "float32"}


def run(numpy, cv2, parameters=None):
    case = DEFAULTS | (parameters or {})
    m, n, k = (case[length] for length in "mnk")
    random = numpy.random.default_rng(0)

    def matrix(rows, columns, transposed=False):
        made = random.random((case["batch"], *((columns, rows) if transposed else (rows, columns)))).astype(case["type"])
        return made.transpose(0, 2, 1) if transposed else made

    left, right = matrix(m, k, case["transpose_a"]), matrix(k, n, case["transpose_b"])
    bias, output = random.random(n).astype(case["type"]), matrix(m, n)

    def work():
        numpy.matmul(left, right, out=output)
        numpy.add(output, bias, out=output)

    return "NumPy's matmul", work
