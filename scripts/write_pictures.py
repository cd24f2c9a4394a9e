#!/usr/bin/env python3
"""Writes what is a picture among the .npy files of a folder and its folders as a PNG beside it; prints the paths."""

import pathlib
import sys

import numpy
import pictures


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(f"usage: write_pictures.py FOLDER\n\n{__doc__}")
    for file in sorted(pathlib.Path(sys.argv[1]).rglob("*.npy")):
        picture = file.with_suffix(".png")
        if pictures.write_picture(numpy.load(file), picture):
            print(picture)


if __name__ == "__main__":
    main()
