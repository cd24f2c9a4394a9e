"""ONNX Runtime's convolutions, channels outermost: the same work.

`pip install onnxruntime onnx`. The runtime rearranges the channels on the way in and out.
"""

MODEL = """
<ir_version: 8, opset_import: ["": 17]>
block (float[4, 64, 56, 56] input) => (float[4, 64, 56, 56] output) {
    first = Conv <pads = [1, 1, 1, 1]> (input, first_weights, first_bias)
    hidden = Relu (first)
    second = Conv <pads = [1, 1, 1, 1]> (hidden, second_weights, second_bias)
    sum = Add (second, input)
    output = Relu (sum)
}
"""


def run(numpy, cv2):
    import onnx
    import onnxruntime

    random = numpy.random.default_rng(0)
    model = onnx.parser.parse_model(MODEL)
    shapes = {"weights": (64, 64, 3, 3), "bias": (64,)}
    for layer in ("first", "second"):
        for name, shape in shapes.items():
            array = random.random(shape, numpy.float32)
            model.graph.initializer.append(onnx.numpy_helper.from_array(array, f"{layer}_{name}"))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    pictures = random.random((4, 64, 56, 56), numpy.float32)
    return "ONNX Runtime", lambda: session.run(None, {"input": pictures})
