"""Runs a model by ONNX Runtime, on OMP_NUM_THREADS threads (two if that is not set), into memory that is there already."""

import os


def work(model, constants, inputs, outputs):
    """A function that runs it. `model`: ONNX's text; the others: arrays by name."""
    import numpy
    import onnx
    import onnxruntime

    parsed = onnx.parser.parse_model(model)
    for name, array in constants.items():
        parsed.graph.initializer.append(onnx.numpy_helper.from_array(numpy.asarray(array), name))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS", "2"))
    session = onnxruntime.InferenceSession(parsed.SerializeToString(), options)
    binding = session.io_binding()
    for name, array in inputs.items():
        binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(array))
    for name, array in outputs.items():
        binding.bind_ortvalue_output(name, onnxruntime.OrtValue.ortvalue_from_numpy(array))
    return lambda: session.run_with_iobinding(binding)
