"""Every pipeline of corpus/ computes what its check.py says, scheduled by its expert and by Nestor: `nestor bench`
runs them, NumPy says what is right.

Of one pipeline only: pytest tests/corpus/test_corpus.py -k harris
"""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import types

import numpy
import pytest
import verify

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import pictures

BUILD = pathlib.Path(os.environ.get("NESTOR_BUILD", ROOT / "build/release"))
COMPILER = os.environ.get("NESTOR_CXX", "c++")
SHARD, SHARDS = (int(part) for part in os.environ.get("NESTOR_SHARD", "0/1").split("/"))
NAMES = sorted(path.parent.name for path in (ROOT / "corpus").glob("*/*_generator.cpp"))[SHARD::SHARDS]
VERSIONS = ("expert", "Nestor")


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


def variants(names):
    """(name, parameters of the generator) for each of check.VARIANTS: check.SMALL, and what is special about it."""
    result = []
    for name in names:
        check = load_check(name)
        for variant in getattr(check, "VARIANTS", [{}]):
            words = [f"{key}={value}" for key, value in variant.items()]
            result.append(pytest.param(name, check.SMALL | variant, id="-".join([name, *words])))
    return result


class Bench:
    """`nestor bench` on one pipeline at a small size."""

    def __init__(self, name, parameters, folder):
        self.name = name
        self.folder = folder
        generator = BUILD / "corpus" / f"{name}.generator"
        self.command = [BUILD / "bin/nestor", "bench", generator, "--versions", ",".join(VERSIONS), "--quiet"]
        self.command += ["--compiler", COMPILER, "--folder", folder / "built", "--reuse", "--inputs", ROOT / "corpus"]
        for key, value in parameters.items():
            self.command += ["-p", f"{key}={value}"]

    def call(self, *words):
        done = subprocess.run(
            [str(word) for word in [*self.command, *words]], capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def arguments(self):
        self.call("--arguments", self.folder)
        return json.loads((self.folder / self.name / "arguments.json").read_text())

    def run(self, inputs):
        """The outputs of each version by name, or the text of what failed."""
        for name, array in inputs.items():
            numpy.save(self.folder / self.name / f"{name}.npy", numpy.ascontiguousarray(array))
        outputs, board = self.folder / "outputs", self.folder / "board.json"
        self.call("--inputs", self.folder, "--outputs", outputs, "--json", board, "--seconds", "0.01")
        (pipeline,) = json.loads(board.read_text())["pipelines"]
        return {
            row["label"]: row["failure"]
            or {file.stem: numpy.load(file) for file in (outputs / self.name / row["label"].lower()).glob("*.npy")}
            for row in pipeline["versions"]
        }


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


@pytest.mark.parametrize("name, parameters", variants(NAMES))
def test_computes_what_numpy_does(name, parameters, tmp_path):
    check, wishes = load_check(name), load_wishes(name)
    bench = Bench(name, parameters, tmp_path)
    arguments = bench.arguments()
    inputs = make_inputs(arguments, wishes, check)
    results = bench.run(inputs)

    values = {a["name"]: a["value"] for a in arguments if a["kind"] == "scalar"}
    shapes = {a["name"]: tuple(reversed(a["extents"])) for a in arguments if a["kind"] == "output"}
    expected = check.expected(types.SimpleNamespace(**inputs), types.SimpleNamespace(**values), shapes)
    for output, array in expected.items():
        assert array.shape == shapes[output], "check.py made another size"
        assert array.ndim == 0 or numpy.unique(array).size > 1, "a constant result says nothing"
    for version in VERSIONS:
        actual = results[version]
        assert not isinstance(actual, str), f"{version}: {actual}"
        assert expected.keys() == actual.keys(), version
        for output, array in expected.items():
            wrong = verify.difference(array, actual[output], wishes.get("integer_slack", 0))
            assert not wrong, f"{version}: {output}: {wrong}"
