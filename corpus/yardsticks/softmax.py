"""ONNX Runtime's Softmax: the same work. `pip install onnxruntime onnx`."""

MODEL = """
<ir_version: 8, opset_import: ["": 17]>
layer (float[ROWS, WIDTH] input) => (float[ROWS, WIDTH] output) {
    output = Softmax <axis = 1> (input)
}
"""


def run(numpy, cv2, parameters=None):
    import onnx_runtime

    case = {"rows": 4096, "width": 1024} | (parameters or {})
    model = MODEL.replace("ROWS", str(case["rows"])).replace("WIDTH", str(case["width"]))
    rows = numpy.random.default_rng(0).random((case["rows"], case["width"]), numpy.float32)
    return "ONNX Runtime", onnx_runtime.work(model, {}, {"input": rows}, {"output": numpy.empty_like(rows)})
