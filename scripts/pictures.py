"""Inputs for pipelines from a photograph, and pictures from their outputs.

Arrays have NumPy's order of axes, the reverse of Halide's: (channel, y, x).
"""

import hashlib

import numpy
from PIL import Image

SMALLEST_PICTURE = 64


def load_picture(path):
    """As 8-bit RGB, (y, x, channel)."""
    with Image.open(path) as image:
        return numpy.asarray(image.convert("RGB"))


def fit(picture, width, height):
    """Scaled to cover the size, with what stands out cut off at both ends."""
    image = Image.fromarray(picture)
    scale = max(width / image.width, height / image.height)
    if scale != 1:
        size = (max(round(image.width * scale), width), max(round(image.height * scale), height))
        image = image.resize(size, Image.Resampling.LANCZOS)
    left, top = (image.width - width) // 2, (image.height - height) // 2
    return numpy.asarray(image.crop((left, top, left + width, top + height)))


def to_type(picture, dtype):
    """8-bit values as another type: integers spread over its range, floats in 0..1."""
    dtype = numpy.dtype(dtype)
    if dtype == numpy.uint8:
        return picture
    if dtype == numpy.bool_:
        return picture > 127
    if dtype.kind == "f":
        return (picture / 255.0).astype(dtype)
    if dtype == numpy.uint16:
        return picture.astype(dtype) * 257
    if dtype == numpy.int8:
        return (picture >> 1).astype(dtype)
    if dtype == numpy.int16:
        return picture.astype(dtype) * 128
    return picture.astype(dtype)


def picture_input(picture, shape, dtype):
    """For (y, x), (channel, y, x), (n, channel, y, x) and the same with the channel last."""
    interleaved = len(shape) >= 3 and shape[-1] <= 4
    height, width, channels = shape[-3:] if interleaved else (*shape[-2:], 1)
    if not interleaved and len(shape) >= 3:
        channels = shape[-3]
    image = fit(picture, width, height)
    if len(shape) == 2:
        planes = numpy.rint(image @ [0.299, 0.587, 0.114]).astype(numpy.uint8)
    else:
        opaque = numpy.full((height, width, 1), 255, numpy.uint8)
        pool = numpy.concatenate([image, opaque], axis=2) if channels == 4 else image
        planes = pool[:, :, numpy.arange(channels) % pool.shape[2]]
        planes = planes if interleaved else planes.transpose(2, 0, 1)
    return to_type(numpy.broadcast_to(planes, shape), dtype)


def bayer_input(picture, shape, dtype, bits=10, black=25):
    """What a sensor behind a mosaic of G R / B G would have seen, in linear light."""
    height, width = shape
    light = (fit(picture, width, height) / 255.0) ** 2.2
    mosaic = light[:, :, 1].copy()
    mosaic[0::2, 1::2] = light[0::2, 1::2, 0]
    mosaic[1::2, 0::2] = light[1::2, 0::2, 2]
    return numpy.rint(black + mosaic * ((1 << bits) - 1 - black)).astype(dtype)


def random_input(name, shape, dtype):
    """The same numbers for the same name and shape, everywhere."""
    digest = hashlib.sha256(f"{name}{tuple(shape)}".encode()).digest()
    generator = numpy.random.default_rng(int.from_bytes(digest[:8], "little"))
    dtype = numpy.dtype(dtype)
    if dtype.kind == "f":
        return (generator.random(shape) - 0.5).astype(dtype)
    if dtype == numpy.bool_:
        return generator.random(shape) < 0.5
    return generator.integers(0, min(numpy.iinfo(dtype).max, 255), shape, endpoint=True).astype(dtype)


def make_input(argument, picture, wish):
    """An input's array. `argument`: a row of arguments.json; `wish`: its entry in inputs.json, or {}."""
    shape = tuple(reversed(argument["extents"]))
    dtype = argument["type"]
    if "values" in wish:
        values = numpy.array(wish["values"]).astype(dtype)
        if values.shape != shape:
            raise ValueError(f"input {argument['name']} has the shape {shape}, its values {values.shape}")
        return values
    sides = shape[-3:-1] if len(shape) >= 3 and shape[-1] <= 4 else shape[-2:]
    like_picture = len(sides) == 2 and min(sides) >= SMALLEST_PICTURE
    role = wish.get("role", "picture" if like_picture else "random")
    if role == "bayer":
        return bayer_input(picture, shape, dtype, **wish.get("sensor", {}))
    if role == "picture":
        return picture_input(picture, shape, dtype)
    if role == "random":
        return random_input(argument["name"], shape, dtype)
    raise ValueError(f"unknown role {role!r}: picture, bayer, random")


def to_picture(array):
    """8-bit (y, x) or (y, x, channel) from an output, or None if it is none."""
    if array.ndim == 3 and array.shape[0] in (3, 4):
        array = array.transpose(1, 2, 0)
    elif array.ndim != 2 and not (array.ndim == 3 and array.shape[2] in (3, 4)):
        return None
    if array.dtype == numpy.uint8:
        return array
    if array.dtype == numpy.uint16:
        return (array >> 8).astype(numpy.uint8)
    values = array.astype(numpy.float64)
    high = numpy.percentile(values, 99.9)
    # Beyond a picture's range it is a measure, like a corner's strength: show roots, so that the weak remain seen.
    if array.dtype.kind != "f" or not 0.05 < high <= 1.5 or numpy.percentile(values, 0.1) < -0.05:
        values = numpy.sqrt(numpy.clip(values, 0, None) / max(high, 1e-30))
    return numpy.rint(numpy.clip(values, 0, 1) * 255).astype(numpy.uint8)


def write_picture(array, path):
    """Writes an output as a PNG; returns whether it is a picture at all."""
    pixels = to_picture(array)
    if pixels is None:
        return False
    Image.fromarray(pixels).save(path, compress_level=3)
    return True
