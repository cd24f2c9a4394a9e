"""ONNX Runtime's MatMul and Softmax: the same work. `pip install onnxruntime onnx`."""

MODEL = """
<ir_version: 8, opset_import: ["": 17]>
layer (float[SHAPE] query, float[SHAPE] key, float[SHAPE] value) => (float[SHAPE] output) {
    turned = Transpose <perm = [0, 2, 1]> (key)
    products = MatMul (query, turned)
    scores = Mul (products, scale)
    weights = Softmax <axis = 2> (scores)
    output = MatMul (weights, value)
}
"""


def run(numpy, cv2, parameters=None):
    import onnx_runtime

    case = {"heads": 8, "positions": 512, "depth": 64} | (parameters or {})
    shape = (case["heads"], case["positions"], case["depth"])
    random = numpy.random.default_rng(0)
    inputs = {name: random.random(shape, numpy.float32) for name in ("query", "key", "value")}
    constants = {"scale": numpy.float32(case["depth"] ** -0.5)}
    model = MODEL.replace("SHAPE", ", ".join(map(str, shape)))
    return "ONNX Runtime", onnx_runtime.work(model, constants, inputs, {"output": numpy.empty(shape, numpy.float32)})
