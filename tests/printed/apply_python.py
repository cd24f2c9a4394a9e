"""Applies every printed Python schedule of a folder to its deserialised pipeline: apply_python.py DIR

<case>.py with <pipeline>.hlpipe gives <case>.scheduled.hlpipe, or <case>.error with what was raised.
"""

import importlib.util
import json
import re
import shutil
import sys
from pathlib import Path

import halide


def apply(module_path, pipeline_path):
    spec = importlib.util.spec_from_file_location(module_path.stem, module_path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (function,) = (value for name, value in vars(module).items() if name.startswith("apply_schedule_"))
    pipeline = halide.deserialize_pipeline(pipeline_path)
    function(pipeline, halide.get_host_target(), inputs_of(pipeline_path))
    return pipeline


def inputs_of(pipeline_path):
    """By name. Parameters of one name are one again when they have been written."""
    arguments = json.loads(pipeline_path.with_suffix(".args.json").read_text())
    return {
        each["name"]: (
            halide.ImageParam(type_of(each["type"]), len(each["dimensions"]), each["name"])
            if each["buffer"]
            else halide.Param(type_of(each["type"]), each["name"])
        )
        for each in arguments["inputs"]
    }


def type_of(text):
    """'uint8' as Halide prints it."""
    kinds = {"uint": halide.UInt, "int": halide.Int, "float": halide.Float, "bfloat": halide.BFloat}
    kind, bits = re.fullmatch(r"([a-z]+)([0-9]+)", text).groups()
    return kinds[kind](int(bits))


def main(folder):
    sys.dont_write_bytecode = True
    applied = refused = 0
    for old in [*folder.glob("*.scheduled.*"), *folder.glob("*.error")]:
        old.unlink()
    for module in sorted(folder.glob("*.py")):
        pipeline = folder / (module.stem.rpartition("_")[0] + ".hlpipe")
        try:
            scheduled = apply(module, pipeline)
            halide.serialize_pipeline(scheduled, module.with_suffix(".scheduled.hlpipe"))
            # Halide's own format loses the arguments' constraints once more.
            shutil.copy(pipeline.with_suffix(".args.json"), module.with_suffix(".scheduled.args.json"))
            applied += 1
        except halide.HalideError as error:  # Halide refuses; anything else is a fault of the printed code
            module.with_suffix(".error").write_text(str(error))
            refused += 1
    print(f"{applied} applied, {refused} refused by Halide")
    return 0 if applied else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
