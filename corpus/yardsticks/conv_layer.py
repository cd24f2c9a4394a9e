"""oneDNN's convolution with bias and rectifier.

Comparable: the same work on the same layout of pictures. oneDNN has its weights in a layout of its own choice, packed
beforehand. Needs libdnnl.so.3 (PyPI: onednn-cpu-gomp) where the loader finds it.
"""

import ctypes

PICTURES, CHANNELS, WIDTH, HEIGHT, WINDOW = 4, 64, 120, 100, 3

# From oneDNN's headers.
F32, LAYOUT_ANY, LAYOUT_A, LAYOUT_NHWC = 3, 1, 2, 22
CPU, DEFAULT_STREAM = 1, 1
INFERENCE, AUTO_ALGORITHM, RECTIFIER = 96, 3, 32
QUERY_WEIGHTS = 131
SOURCE, WEIGHTS, BIAS, DESTINATION = 1, 33, 41, 17


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


def run(numpy, cv2):
    dnnl = Library()
    engine = dnnl.create("engine_create", CPU, ctypes.c_size_t(0))
    stream = dnnl.create("stream_create", engine, DEFAULT_STREAM)

    def layout(tag, *shape):
        return dnnl.create("memory_desc_create_with_tag", len(shape), sizes(*shape), F32, tag)

    border = WINDOW - 1
    source = layout(LAYOUT_NHWC, PICTURES, CHANNELS, HEIGHT + border, WIDTH + border)
    weights = layout(LAYOUT_ANY, CHANNELS, CHANNELS, WINDOW, WINDOW)
    bias = layout(LAYOUT_A, CHANNELS)
    destination = layout(LAYOUT_NHWC, PICTURES, CHANNELS, HEIGHT, WIDTH)

    after = dnnl.create("post_ops_create")
    dnnl("post_ops_append_eltwise", after, RECTIFIER, ctypes.c_float(0), ctypes.c_float(0))
    attributes = dnnl.create("primitive_attr_create")
    dnnl("primitive_attr_set_post_ops", attributes, after)
    description = dnnl.create(
        "convolution_forward_primitive_desc_create",
        *(engine, INFERENCE, AUTO_ALGORITHM, source, weights, bias, destination),
        *(sizes(1, 1), sizes(0, 0), sizes(0, 0), sizes(0, 0), attributes),
    )
    convolution = dnnl.create("primitive_create", description)

    query = dnnl.library.dnnl_primitive_desc_query_md
    size_of = dnnl.library.dnnl_memory_desc_get_size
    query.restype, size_of.restype = ctypes.c_void_p, ctypes.c_size_t
    weights = ctypes.c_void_p(query(description, QUERY_WEIGHTS, 0))

    random = numpy.random.default_rng(1)
    arrays, arguments = [], []
    for index, described in ((SOURCE, source), (WEIGHTS, weights), (BIAS, bias), (DESTINATION, destination)):
        arrays.append(random.random(size_of(described) // 4, numpy.float32) - 0.5)
        memory = dnnl.create("memory_create", described, engine, ctypes.c_void_p(arrays[-1].ctypes.data))
        arguments.append(Argument(index, memory))
    arguments = (Argument * len(arguments))(*arguments)

    def call():
        dnnl("primitive_execute", convolution, stream, len(arguments), arguments)
        dnnl("stream_wait", stream)
        return arrays

    return "oneDNN 3.2 convolution", call
