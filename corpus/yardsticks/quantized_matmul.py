"""ONNX Runtime's QLinearMatMul, a scale for each column, without a bias: the same work.

`pip install onnxruntime onnx`.
"""

MODEL = """
<ir_version: 8, opset_import: ["": 17]>
layer (uint8[2048, 1024] input) => (uint8[2048, 1024] output) {
    output = QLinearMatMul (input, input_scale, input_zero, weights, weight_scales, weight_zeros,
                            output_scale, output_zero)
}
"""


def run(numpy, cv2):
    import onnx
    import onnxruntime

    random = numpy.random.default_rng(0)
    model = onnx.parser.parse_model(MODEL)
    arrays = {
        "input_scale": numpy.float32(0.02),
        "input_zero": numpy.uint8(120),
        "weights": random.integers(-127, 128, (1024, 1024)).astype(numpy.int8),
        "weight_scales": random.random(1024, numpy.float32) * 0.01,
        "weight_zeros": numpy.zeros(1024, numpy.int8),
        "output_scale": numpy.float32(0.5),
        "output_zero": numpy.uint8(128),
    }
    for name, array in arrays.items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(numpy.asarray(array), name))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    rows = random.integers(0, 256, (2048, 1024)).astype(numpy.uint8)
    return "ONNX Runtime", lambda: session.run(None, {"input": rows})
