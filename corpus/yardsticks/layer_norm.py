"""ONNX Runtime's LayerNormalization: the same work. `pip install onnxruntime onnx`."""

MODEL = """
<ir_version: 8, opset_import: ["": 17]>
layer (float[ROWS, WIDTH] input) => (float[ROWS, WIDTH] output) {
    output = LayerNormalization <axis = 1> (input, scale, offset)
}
"""


def run(numpy, cv2, parameters=None):
    import onnx_runtime

    case = {"rows": 4096, "width": 1024} | (parameters or {})
    model = MODEL.replace("ROWS", str(case["rows"])).replace("WIDTH", str(case["width"]))
    random = numpy.random.default_rng(0)
    rows = random.random((case["rows"], case["width"]), numpy.float32)
    constants = {name: random.random(case["width"], numpy.float32) for name in ("scale", "offset")}
    return "ONNX Runtime", onnx_runtime.work(model, constants, {"input": rows}, {"output": numpy.empty_like(rows)})
