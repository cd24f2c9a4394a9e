"""`nestor bench`: what is right is timed; what is wrong, fails, hangs or crashes is said to be so.

On a generator that can be told to go wrong. ctest runs this with NESTOR_BUILD and NESTOR_CXX set.
"""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("NESTOR_BUILD", ROOT / "build/release")).absolute()
NESTOR = BUILD / "bin/nestor"
TINY = BUILD / "tests/bench/tiny.generator"

VERSIONS = {
    "expert": "",
    "Nestor": "",
    "unscheduled": "",
    "Mullapudi2016": "",
    "expert:wrong=1": "sum: 1 of 15360 elements are wrong",
    "Mullapudi2016:wrong=1": "sum: 1 of 15360 elements are wrong",
    "Nonesuch": "no plug-in",
    "Li2018:autoscheduler.nonsense=1": "scheduling: ",
    "Mullapudi2016:refuses=true": "told to refuse",
    "expert:refuses=true": "compiling: exited with code",
    "Mullapudi2016:crashes=true": "scheduling: was ended by signal 6",
    "Mullapudi2016:sleeps=60": "scheduling: time limit of 8 s",
    "expert:overreads=true": "running: Halide error",
    "expert:falters=true": "timing: Halide error",
}


def bench(*words):
    command = [NESTOR, "bench", *words, "--compiler", os.environ.get("NESTOR_CXX", "c++")]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=250)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "tiny").mkdir()
    pixels = numpy.random.default_rng(3).integers(0, 255, (3, 96, 160), numpy.uint8)
    numpy.save(folder / "tiny/input.npy", pixels)
    return folder


@pytest.fixture(scope="module")
def answer(tmp_path_factory, inputs):
    out = tmp_path_factory.mktemp("out")
    done = bench(
        TINY, "--versions", ",".join(VERSIONS), "--inputs", inputs, "--outputs", out, "--json", out / "board.json",
        "--time-limit", 8, "--seconds", 1, "--details",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads((out / "board.json").read_text()), out


def version_of(answer, label):
    (pipeline,) = answer[1]["pipelines"]
    return next(row for row in pipeline["versions"] if row["label"] == label)


@pytest.mark.parametrize("label", VERSIONS)
def test_each_version_is_judged(answer, label):
    row = version_of(answer, label)
    assert VERSIONS[label] in row["failure"]
    assert bool(row["failure"]) == bool(VERSIONS[label])
    assert row["wrong"] == ("wrong=" in label)
    assert bool(row["samples"]) == (not row["failure"])  # only what is right has a time


def test_right_versions_are_verified_and_timed_in_turns(answer):
    rounds = [set(version_of(answer, label)["rounds"]) for label in VERSIONS if not VERSIONS[label]]
    assert rounds[0] and all(some & rounds[0] for some in rounds)
    expert = version_of(answer, "expert")
    assert expert["speed"] == 1
    nestor = version_of(answer, "Nestor")
    at = dict(zip(expert["rounds"], expert["samples"]))
    ratios = [at[r] / s for r, s in zip(nestor["rounds"], nestor["samples"]) if r in at]
    assert nestor["speed"] == pytest.approx(numpy.median(ratios))
    assert version_of(answer, "expert")["verified"] == "reference"
    assert version_of(answer, "Nestor")["verified"] == "as expert"
    assert version_of(answer, "Mullapudi2016")["schedule_seconds"] > 0
    assert version_of(answer, "Mullapudi2016")["schedule_peak_bytes"] > 1 << 20
    assert answer[1]["machine"]["cores"] > 0


def test_integers_that_are_rounded_may_be_one_off(inputs, tmp_path):
    versions = {"expert": False, "expert:wrong=1": False, "expert:wrong=3": True}
    done = bench(
        TINY, "-p", "rounds=true", "--versions", ",".join(versions), "--inputs", inputs,
        "--json", tmp_path / "board.json", "--seconds", 0.2,
    )
    assert done.returncode == 0, done.stderr
    (pipeline,) = json.loads((tmp_path / "board.json").read_text())["pipelines"]
    assert {row["label"]: row["wrong"] for row in pipeline["versions"]} == versions


def test_tables_show_it(answer):
    assert "WRONG" in answer[0] and "failed" in answer[0] and "geometric mean" in answer[0]


def test_outputs_are_those_of_the_given_input(answer, inputs):
    pixels = numpy.load(inputs / "tiny/input.npy").astype(int)
    for slug in ("expert", "nestor", "mullapudi2016"):
        assert (numpy.load(answer[2] / "tiny" / slug / "sum.npy") == pixels.sum(axis=0) // 3).all()
    # The scalar has its estimate, 2, and not its default.
    total = pixels.sum(axis=0)[:, [0, *range(160), 159]]
    mean = 2 * (total[:, :-2] + total[:, 2:]) / 6
    assert numpy.allclose(numpy.load(answer[2] / "tiny/nestor/mean.npy"), mean)


def test_arguments_are_written_for_programs_that_make_inputs(tmp_path):
    done = bench(TINY, "--versions", "expert", "--arguments", tmp_path)
    assert done.returncode == 0, done.stderr
    arguments = {row["name"]: row for row in json.loads((tmp_path / "tiny/arguments.json").read_text())}
    assert arguments["input"] == {
        "name": "input", "kind": "input", "type": "uint8", "minima": [0, 0, 0], "extents": [160, 96, 3],
    }
    assert arguments["gain"]["value"] == 2
    assert arguments["sum"]["kind"] == "output"


def test_signature_is_the_same_twice_and_tells_pipelines_apart():
    first, second = bench(TINY, "--signature"), bench(TINY, "--signature")
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    assert "tiny" in first.stdout and "signature " in first.stdout
    other = bench(TINY, "--signature", "-p", "overreads=true")
    assert other.stdout.splitlines()[-1] != first.stdout.splitlines()[-1]


def test_an_interrupted_build_ends_the_run_and_is_not_remembered(tmp_path):
    words = [NESTOR, "bench", TINY, "--versions", "expert,Mullapudi2016:sleeps=60,Li2018", "--folder", tmp_path, "--reuse"]
    process = subprocess.Popen([str(word) for word in words], stderr=subprocess.PIPE, text=True)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    sleeping = False
    while not sleeping and process.poll() is None:
        time.sleep(0.02)
        commands = [Path(f"/proc/{child}/cmdline") for child in children.read_text().split()]
        # A word of its own: a child that has not yet become the generator shows its parent's words.
        sleeping = any(b"\0sleeps=60\0" in command.read_bytes() for command in commands if command.exists())
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 1 and "interrupted while building Mullapudi2016" in errors
    assert [path.parent.name for path in tmp_path.glob("tiny/*/build.json")] == ["expert"]


@pytest.mark.parametrize("versions", ["", "Nestor,Nestor", "expert,,Nestor"])
def test_nonsense_is_refused(versions):
    done = bench(TINY, "--versions", versions)
    assert done.returncode == 2
    assert "nestor: " in done.stderr
