"""oneDNN's convolution, by ctypes. Needs libdnnl.so.3 (PyPI: onednn-cpu-gomp) where the loader finds it."""

import ctypes

# From oneDNN's headers.
F32, S32, S8, U8 = 3, 4, 5, 6
LAYOUT_ANY, LAYOUT_A, LAYOUT_NHWC = 1, 2, 22
CPU, DEFAULT_STREAM = 1, 1
INFERENCE, AUTO_ALGORITHM, RECTIFIER = 96, 3, 32
QUERY_WEIGHTS = 131
SOURCE, WEIGHTS, BIAS, DESTINATION = 1, 33, 41, 17
SCALES, ZERO_POINTS = 4096, 8192
EACH_OUTPUT_CHANNEL = 1


class Argument(ctypes.Structure):
    _fields_ = [("index", ctypes.c_int), ("memory", ctypes.c_void_p)]


class Library:
    def __init__(self):
        self.library = ctypes.CDLL("libdnnl.so.3")

    def __call__(self, function, *arguments):
        status = getattr(self.library, f"dnnl_{function}")(*arguments)
        if status != 0:
            raise RuntimeError(f"dnnl_{function}: status {status}")

    def create(self, function, *arguments):
        made = ctypes.c_void_p()
        self(function, ctypes.byref(made), *arguments)
        return made


def sizes(*numbers):
    return (ctypes.c_int64 * 12)(*numbers)


def convolution(numpy, shape, *, source=F32, weights=F32, scaled=False):
    """A function that convolves, adds a bias and rectifies, on pictures with the channel innermost. The weights have a
    layout of oneDNN's own choice, packed beforehand.

    `shape`: a dictionary of pictures, channels_in, channels_out, width, height (of the output), window, stride. With
    `scaled`, the result is of the source's type: scaled by channel, with a zero point, and not rectified.
    """
    dnnl = Library()
    engine = dnnl.create("engine_create", CPU, ctypes.c_size_t(0))
    stream = dnnl.create("stream_create", engine, DEFAULT_STREAM)
    window, stride, channels_out = shape["window"], shape["stride"], shape["channels_out"]
    width, height = (stride * (shape[side] - 1) + window for side in ("width", "height"))

    def layout(kind, tag, *lengths):
        return dnnl.create("memory_desc_create_with_tag", len(lengths), sizes(*lengths), kind, tag)

    described = {
        SOURCE: layout(source, LAYOUT_NHWC, shape["pictures"], shape["channels_in"], height, width),
        WEIGHTS: layout(weights, LAYOUT_ANY, channels_out, shape["channels_in"], window, window),
        BIAS: layout(F32, LAYOUT_A, channels_out),
        DESTINATION: layout(source, LAYOUT_NHWC, shape["pictures"], channels_out, shape["height"], shape["width"]),
    }
    attributes = dnnl.create("primitive_attr_create")
    if scaled:
        dnnl("primitive_attr_set_scales_mask", attributes, WEIGHTS, EACH_OUTPUT_CHANNEL)
        dnnl("primitive_attr_set_zero_points_mask", attributes, DESTINATION, 0)
    else:
        after = dnnl.create("post_ops_create")
        dnnl("post_ops_append_eltwise", after, RECTIFIER, ctypes.c_float(0), ctypes.c_float(0))
        dnnl("primitive_attr_set_post_ops", attributes, after)
    description = dnnl.create(
        "convolution_forward_primitive_desc_create",
        *(engine, INFERENCE, AUTO_ALGORITHM, *(described[part] for part in (SOURCE, WEIGHTS, BIAS, DESTINATION))),
        *(sizes(stride, stride), sizes(0, 0), sizes(0, 0), sizes(0, 0), attributes),
    )
    primitive = dnnl.create("primitive_create", description)

    query = dnnl.library.dnnl_primitive_desc_query_md
    size_of = dnnl.library.dnnl_memory_desc_get_size
    query.restype, size_of.restype = ctypes.c_void_p, ctypes.c_size_t
    described[WEIGHTS] = ctypes.c_void_p(query(description, QUERY_WEIGHTS, 0))
    if scaled:
        described[SCALES | WEIGHTS] = layout(F32, LAYOUT_A, channels_out)
        described[ZERO_POINTS | DESTINATION] = layout(S32, LAYOUT_A, 1)

    random = numpy.random.default_rng(1)
    arrays, arguments = [], []
    for index, form in described.items():
        array = random.integers(0, 128, size_of(form)).astype(numpy.uint8)
        if index in (BIAS, SCALES | WEIGHTS) or (index in (SOURCE, WEIGHTS, DESTINATION) and source == F32):
            array = (random.random(size_of(form) // 4, numpy.float32) - 0.5) * (0.01 if scaled else 1)
        arrays.append(array.astype(numpy.float32) if array.dtype.kind == "f" else array)
        memory = dnnl.create("memory_create", form, engine, ctypes.c_void_p(arrays[-1].ctypes.data))
        arguments.append(Argument(index, memory))
    arguments = (Argument * len(arguments))(*arguments)

    def call():
        dnnl("primitive_execute", primitive, stream, len(arguments), arguments)
        dnnl("stream_wait", stream)
        return arrays

    return call
