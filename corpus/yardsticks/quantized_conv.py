"""oneDNN's 8-bit convolution with bias, scales by channel and a zero point: the same work on the same layout of pictures.
oneDNN has its weights in a layout of its own choice, packed beforehand.

Its weights are always signed: where the pipeline's are not, ONNX Runtime's QLinearConv (`pip install onnxruntime
onnx`), which has the channel outermost.
"""

DEFAULTS = {"channels_in": 128, "channels_out": 128, "window": 3, "stride": 1}
DEFAULTS |= {"width": 100, "height": 80, "pictures": 5, "operands": "unsigned_signed"}

MODEL = """
<ir_version: 8, opset_import: ["": 17]>
layer (uint8[PICTURES] input) => (uint8[RESULT] output) {
    output = QLinearConv (input, input_scale, input_zero, weights, weight_scales, weight_zeros, output_scale, output_zero,
                          bias)
}
"""


def run_unsigned(numpy, shape):
    import onnx_runtime

    random = numpy.random.default_rng(1)
    window, channels_out = shape["window"], shape["channels_out"]
    pictures = (shape["pictures"], shape["channels_in"], shape["height"] + window - 1, shape["width"] + window - 1)
    result = (shape["pictures"], channels_out, shape["height"], shape["width"])
    constants = {
        "input_scale": numpy.float32(0.02),
        "input_zero": numpy.uint8(0),
        "weights": random.integers(0, 256, (channels_out, shape["channels_in"], window, window)).astype(numpy.uint8),
        "weight_scales": numpy.float32(0.01),
        "weight_zeros": numpy.uint8(0),
        "output_scale": numpy.float32(20),
        "output_zero": numpy.uint8(3),
        "bias": random.integers(0, 256, channels_out).astype(numpy.int32),
    }
    model = MODEL
    for name, lengths in (("PICTURES", pictures), ("RESULT", result)):
        model = model.replace(name, ", ".join(map(str, lengths)))
    inputs = {"input": random.integers(0, 256, pictures).astype(numpy.uint8)}
    return onnx_runtime.work(model, constants, inputs, {"output": numpy.empty(result, numpy.uint8)})


def run(numpy, cv2, parameters=None):
    shape = DEFAULTS | (parameters or {})
    if shape["operands"] == "unsigned_unsigned":
        return "ONNX Runtime", run_unsigned(numpy, shape)
    import onednn

    source = onednn.U8 if shape["operands"] == "unsigned_signed" else onednn.S8
    work = onednn.convolution(numpy, shape, source=source, weights=onednn.S8, scaled=True)
    return "oneDNN 3.2 convolution", work
