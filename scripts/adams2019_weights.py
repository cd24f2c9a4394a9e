#!/usr/bin/env python3
"""The weights that Adams2019 has inside of its library, as the file that its autotune loop wants to begin with.

usage: scripts/adams2019_weights.py LIBRARY.so FILE.weights

Halide's package has no such file. A weights file is, in 32-bit words: a signature, two versions of its features, the number of
arrays, and for each array the number of dimensions, the extents and the floats; the library holds the same words as data.
"""

import struct
import sys
from math import prod
from pathlib import Path

SIGNATURE = b"1fwh"
WORD = 4
MOST_ARRAYS, MOST_DIMENSIONS, MOST_WORDS = 64, 4, 1 << 20


def length_at(data, start):
    """Bytes of the weights file that begins there; 0: none does."""

    def words(at, count):
        return struct.unpack_from(f"<{count}I", data, at) if at + count * WORD <= len(data) else (0,) * count

    (arrays,) = words(start + 3 * WORD, 1)
    at = start + 4 * WORD
    if not 0 < arrays <= MOST_ARRAYS:
        return 0
    for _ in range(arrays):
        (dimensions,) = words(at, 1)
        if dimensions > MOST_DIMENSIONS:
            return 0
        extents = words(at + WORD, dimensions)
        size = prod(extents)
        if not 0 < size <= MOST_WORDS:
            return 0
        at += (1 + dimensions + size) * WORD
    return at - start if at <= len(data) else 0


def find(data):
    start = data.find(SIGNATURE)
    while start >= 0:
        if length := length_at(data, start):
            return data[start : start + length]
        start = data.find(SIGNATURE, start + 1)
    return None


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    weights = find(Path(arguments[0]).read_bytes())
    if weights is None:
        print(f"adams2019_weights: there are none in {arguments[0]}", file=sys.stderr)
        return 1
    Path(arguments[1]).write_bytes(weights)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
