"""Every pipeline of corpus/ computes what its check.py says, scheduled by its expert and by Nestor.

Of one pipeline only: pytest tests/corpus/test_corpus.py -k harris
"""

import importlib.util
import inspect
import json
import os
import pathlib
import sys
import types

import numpy
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/compare"))

import pictures
import verify
from limited import run_limited
from versions import Limits, build_runtime, build_version, find_plugin, parse_versions

BUILD = pathlib.Path(os.environ.get("NESTOR_BUILD", ROOT / "build/release"))
COMPILER = os.environ.get("NESTOR_CXX", "c++")
NAMES = sorted(path.parent.name for path in (ROOT / "corpus").glob("*/*_generator.cpp"))


def load_check(name):
    path = ROOT / "corpus" / name / "check.py"
    spec = importlib.util.spec_from_file_location(f"check_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_wishes(name):
    path = ROOT / "corpus" / name / "inputs.json"
    return json.loads(path.read_text()) if path.exists() else {}


def smooth_picture(seed=7):
    """Gentle slopes, edges and some noise, as a photograph has."""
    generator = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[0:400, 0:600] / 100.0
    planes = [numpy.sin(x * a + y * b) + numpy.sign(numpy.cos(x * b - y * a)) for a, b in ((1, 2), (3, 1), (2, 3))]
    picture = numpy.stack(planes, axis=2) * 50 + 128 + generator.normal(0, 6, (400, 600, 3))
    return numpy.clip(picture, 0, 255).astype(numpy.uint8)


class Driver:
    def __init__(self, folder, runtime):
        self.folder = folder
        self.runtime = runtime

    def call(self, command, version, **job):
        job["runtime"] = str(self.runtime)
        job["versions"] = [{"name": version.label, "library": str(version.library), "function": version.function}]
        file = self.folder / f"{command}.json"
        file.write_text(json.dumps(job))
        done = run_limited([BUILD / "tools/compare_driver", command, file], 120)
        assert not done.failure, done.failure
        return json.loads(done.stdout)


def make_inputs(arguments, wishes, check):
    """By check.make_inputs if there is one, else pictures and random numbers as for the board."""
    inputs = {}
    for argument in arguments:
        if argument["kind"] == "input":
            wish = wishes.get("inputs", {}).get(argument["name"], {})
            inputs[argument["name"]] = pictures.make_input(argument, smooth_picture(), wish)
    if hasattr(check, "make_inputs"):
        inputs.update(check.make_inputs(numpy.random.default_rng(3), inputs))
    return inputs


def result_of(version, driver, inputs, minima, scalars):
    outputs = version.folder / "outputs"
    outputs.mkdir()
    files = {}
    for name, array in inputs.items():
        file = version.folder / f"{name}.npy"
        numpy.save(file, numpy.ascontiguousarray(array))
        files[name] = {"file": str(file), "minima": minima[name]}
    driver.call("run", version, inputs=files, scalars=scalars, outputs=str(outputs))
    return {path.stem: numpy.load(path) for path in outputs.glob("*.npy")}


@pytest.mark.parametrize("scheduler", ["expert", "Nestor"])
@pytest.mark.parametrize("name", NAMES)
def test_computes_what_numpy_does(name, scheduler, tmp_path):
    check, wishes = load_check(name), load_wishes(name)
    generator = BUILD / "corpus" / f"{name}.generator"
    params = [f"{key}={value}" for key, value in check.SMALL.items()]
    (version,) = parse_versions(scheduler)
    build_version(
        version, generator, name, tmp_path, find_plugin(scheduler, BUILD, {}), params, 2, Limits(), COMPILER
    )
    assert not version.failure, version.failure

    driver = Driver(tmp_path, build_runtime(generator, tmp_path, COMPILER))
    scalars = wishes.get("scalars", {})
    arguments = driver.call("describe", version, scalars=scalars)["arguments"]
    inputs = make_inputs(arguments, wishes, check)
    minima = {a["name"]: a["minima"] for a in arguments if a["kind"] == "input"}
    actual = result_of(version, driver, inputs, minima, scalars)

    values = {a["name"]: a["value"] for a in arguments if a["kind"] == "scalar"}
    shapes = {a["name"]: tuple(reversed(a["extents"])) for a in arguments if a["kind"] == "output"}
    expected = check.expected(types.SimpleNamespace(**inputs), types.SimpleNamespace(**values), shapes)
    assert expected.keys() == actual.keys()
    for output, array in expected.items():
        assert array.shape == shapes[output], "check.py made another size"
        assert numpy.unique(array).size > 1, "a constant result says nothing"
        assert not verify.difference(array, actual[output], wishes.get("integer_slack", 0))


def test_a_wrong_result_would_be_seen():
    for dtype in (numpy.uint8, numpy.float32):
        right = pictures.to_type(smooth_picture(), dtype)
        wrong = right.copy()
        wrong[200, 300, 1] = 0 if right[200, 300, 1] > right.max() / 2 else right.max()
        assert verify.difference(right, wrong)
