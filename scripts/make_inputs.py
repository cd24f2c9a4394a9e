#!/usr/bin/env python3
"""Makes inputs for pipelines: FOLDER/NAME/ARGUMENT.npy for each FOLDER/NAME/arguments.json.

`nestor bench --arguments FOLDER` writes the latter, `nestor bench --inputs FOLDER` reads the former. Pictures come
from a photograph; WISHES/NAME/inputs.json says where an input is something else.
"""

import argparse
import json
import pathlib

import numpy
import pictures


def make_inputs(folder, picture, wishes):
    arguments = json.loads((folder / "arguments.json").read_text())
    file = wishes / folder.name / "inputs.json" if wishes else None
    wished = json.loads(file.read_text()).get("inputs", {}) if file and file.exists() else {}
    for argument in arguments:
        if argument["kind"] == "input":
            array = pictures.make_input(argument, picture, wished.get(argument["name"], {}))
            numpy.save(folder / f"{argument['name']}.npy", numpy.ascontiguousarray(array))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--picture", type=pathlib.Path, required=True, help="a photograph (JPEG, PNG...)")
    parser.add_argument("--wishes", type=pathlib.Path, help="folder with NAME/inputs.json")
    options = parser.parse_args()
    picture = pictures.load_picture(options.picture)
    files = sorted(options.folder.glob("*/arguments.json"))
    for file in files:
        make_inputs(file.parent, picture, options.wishes)
    if not files:
        parser.error(f"there is no NAME/arguments.json in {options.folder}")


if __name__ == "__main__":
    main()
