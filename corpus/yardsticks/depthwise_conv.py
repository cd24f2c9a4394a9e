"""ONNX Runtime's convolutions, channels outermost: the same work.

`pip install onnxruntime onnx`. The runtime rearranges the channels on the way in and out.
"""

MODEL = """
<ir_version: 8, opset_import: ["": 17]>
layer (float[4, 64, 114, 114] input) => (float[4, 128, 112, 112] output) {
    filtered = Conv <group = 64> (input, depthwise_weights)
    mixed = Conv (filtered, pointwise_weights, bias)
    output = Relu (mixed)
}
"""


def run(numpy, cv2):
    import onnx
    import onnxruntime

    random = numpy.random.default_rng(0)
    model = onnx.parser.parse_model(MODEL)
    shapes = {"depthwise_weights": (64, 1, 3, 3), "pointwise_weights": (128, 64, 1, 1), "bias": (128,)}
    for name, shape in shapes.items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(random.random(shape, numpy.float32), name))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    pictures = random.random((4, 64, 114, 114), numpy.float32)
    return "ONNX Runtime", lambda: session.run(None, {"input": pictures})
