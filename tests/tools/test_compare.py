"""tools/compare: what is right is timed; what is wrong, fails, hangs or crashes is said to be so.

ctest runs this with NESTOR_BUILD and NESTOR_CXX set (tests/tools/CMakeLists.txt).
"""

import json
import os
import sys
from pathlib import Path

import numpy
import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("NESTOR_BUILD", ROOT / "build/release")).absolute()
sys.path.insert(0, str(ROOT / "tools/compare"))

import compare
import pictures
import verify
from limited import run_limited
from versions import parse_versions

VERSIONS = {
    "none": "",
    "Mullapudi2016": "",
    "none:wrong=1": "WRONG: sum: 1 of 15360 wrong, by up to 1",
    "Mullapudi2016:wrong=1": "WRONG: sum: 1 of 15360 wrong, by up to 1",
    "Nonesuch": "no plug-in",
    "Li2018:autoscheduler.nonsense=1": "scheduling: ",
    "Mullapudi2016:refuses=true": "told to refuse",
    "none:refuses=true": "compiling: exit code",
    "Mullapudi2016:crashes=true": "scheduling: ended by SIGABRT",
    "Mullapudi2016:sleeps=60": "scheduling: time limit of 4 s",
    "none:overreads=true": "running: exit code 1: Halide error",
}


@pytest.fixture(scope="module")
def photograph(tmp_path_factory):
    """Noise does as well as a mountain here."""
    path = tmp_path_factory.mktemp("picture") / "photograph.png"
    pixels = numpy.random.default_rng(3).integers(0, 255, (120, 200, 3), numpy.uint8)
    Image.fromarray(pixels).save(path)
    return path


@pytest.fixture(scope="module")
def answer(tmp_path_factory, photograph):
    """One comparison of everything, as (exit code, JSON, folder)."""
    out = tmp_path_factory.mktemp("out")
    words = [BUILD / "tests/tools/tiny.generator", "--versions", ",".join(VERSIONS)]
    words += ["--build", BUILD, "--picture", photograph, "--out", out, "--json", out / "answer.json"]
    words += ["--time-limit", 4, "--seconds", 1, "--png", "Mullapudi2016", "--quiet"]
    words += ["--compiler", os.environ.get("NESTOR_CXX", "c++")]
    code = compare.main([str(word) for word in words])
    return code, json.loads((out / "answer.json").read_text()), out


@pytest.fixture
def version_of(answer):
    rows = {row["label"].replace(" ", ":"): row for row in answer[1]["pipelines"]["tiny"]}
    return lambda name: rows[name]


@pytest.mark.parametrize("name", VERSIONS)
def test_each_version_is_judged(version_of, name):
    row = version_of(name)
    assert VERSIONS[name] in row["failure"]
    assert bool(row["failure"]) == bool(VERSIONS[name])
    # Only what is right has a time.
    assert bool(row["samples"]) == (not row["failure"])


def test_right_versions_are_verified_and_timed(answer, version_of):
    code, result, _ = answer
    assert code == 0
    assert version_of("none")["verified"] == "reference"
    assert version_of("Mullapudi2016")["verified"] == "yes"
    assert len(version_of("none")["samples"]) == len(version_of("Mullapudi2016")["samples"])
    assert version_of("Mullapudi2016")["schedule_seconds"] > 0
    assert result["machine"]["cores"] > 0


def test_pipeline_ran_on_the_picture(answer, photograph):
    folder = answer[2] / "tiny/mullapudi2016/outputs"
    pixels = pictures.fit(pictures.load_picture(photograph), 160, 96).astype(int)
    assert (numpy.load(folder / "sum.npy") == pixels.sum(axis=2) // 3).all()
    total = pixels.sum(axis=2)[:, [0, *range(160), 159]]
    # The scalar has its estimate, 2, and not its default.
    mean = 2 * (total[:, :-2] + total[:, 2:]) / 6
    assert verify.difference(mean.astype("float32"), numpy.load(folder / "mean.npy")) == ""
    assert (answer[2] / "tiny/mullapudi2016_sum.png").exists()


def test_nothing_right_is_an_error(photograph, tmp_path):
    words = [BUILD / "tests/tools/tiny.generator", "--versions", "none:refuses=true"]
    words += ["--build", BUILD, "--picture", photograph, "--out", tmp_path, "--quiet"]
    assert compare.main([str(word) for word in words]) == 1


def test_memory_limit_is_reported():
    command = [sys.executable, "-c", "b = bytearray(1 << 30)"]
    outcome = run_limited(command, 20, memory_limit=512 << 20)
    assert "MemoryError" in outcome.failure or outcome.failure == "memory limit"


def test_peak_memory_and_time_are_measured():
    command = [sys.executable, "-c", "import time; b = b'x' * (300 << 20); time.sleep(0.3)"]
    outcome = run_limited(command, 20)
    assert outcome.failure == ""
    assert outcome.peak_bytes > 300 << 20
    assert 0.3 < outcome.seconds < 10


@pytest.mark.parametrize(
    "expected, actual, slack, right",
    [
        ([1, 2, 3], [1, 2, 3], 0, True),
        ([1, 2, 3], [1, 2, 4], 0, False),
        ([1, 2, 3], [1, 2, 4], 1, True),
        ([1.0, 1000.0], [1.001, 1000.05], 0, True),
        ([1.0, 1000.0], [1.1, 1000.0], 0, False),
        ([1.0, float("nan")], [1.0, float("nan")], 0, True),
        ([1.0, float("nan")], [1.0, 2.0], 0, False),
        ([1.0, 2.0], [1.0, float("nan")], 0, False),
        ([1.0, float("inf")], [1.0, float("inf")], 0, True),
        ([1.0, 2.0], [1.0], 0, False),
    ],
)
def test_difference(expected, actual, slack, right):
    kind = "int32" if isinstance(expected[0], int) else "float32"
    difference = verify.difference(numpy.array(expected, kind), numpy.array(actual, kind), slack)
    assert (difference == "") == right


def test_wide_integers_are_compared_exactly():
    expected = numpy.array([2**63 + 1], "uint64")
    assert verify.difference(expected, expected.copy()) == ""
    assert verify.difference(expected, expected + numpy.uint64(1)) != ""


@pytest.mark.parametrize(
    "shape, kind", [((90, 70), "uint16"), ((3, 90, 70), "float32"), ((90, 70, 4), "uint8"), ((2, 5, 90, 70), "int16")]
)
def test_pictures_fill_inputs_of_every_layout(shape, kind):
    picture = numpy.random.default_rng(1).integers(0, 255, (64, 64, 3), numpy.uint8)
    argument = {"name": "input", "extents": list(reversed(shape)), "type": kind}
    made = pictures.make_input(argument, picture, {})
    assert made.shape == shape and made.dtype == kind
    assert made.std() > 0


def test_other_inputs_are_random_and_always_the_same():
    argument = {"name": "weights", "extents": [3, 3, 8], "type": "float32"}
    first = pictures.make_input(argument, None, {})
    assert (first == pictures.make_input(argument, None, {})).all()
    assert first.std() > 0.1


def test_greedy_versions():
    labels = [version.label for version in parse_versions("none,Adams2019,Li2018", greedy=True)]
    assert labels == ["none", "Adams2019", "Adams2019 greedy", "Li2018"]
    with pytest.raises(ValueError):
        parse_versions("none,none")
