"""Applies every printed Python schedule of a folder to its deserialised pipeline: apply_python.py DIR

<case>.py with <pipeline>.hlpipe gives <case>.scheduled.hlpipe, or <case>.error with what was raised.
"""

import importlib.util
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
    function(pipeline, halide.get_host_target())
    return pipeline


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
