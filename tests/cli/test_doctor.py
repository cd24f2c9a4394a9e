"""nestor doctor: what it finds, and what it says about what it does not find."""

import json
import os
import shutil

import pytest
from programs import BUILD, NESTOR, PLUGIN, fail, nestor, run, succeed


def findings(*arguments, code=0, **options):
    answer = nestor("doctor", "--json", *arguments, **options)
    assert answer.returncode == code, answer.stdout + answer.stderr
    report = json.loads(answer.stdout)
    assert report["ok"] == (code == 0)
    return {finding["what"]: finding for finding in report["findings"]}


def test_all_is_well():
    found = findings()
    assert found["Halide"]["path"].endswith("libHalide.so")
    assert found["Halide"]["built_for"] == "21.0.0"
    assert found["plug-in"]["path"] == str(PLUGIN) and found["plug-in"]["scheduler"] == "Nestor"
    assert found["older name"]["scheduler"] == "Adams2019"
    assert found["host target"]["target"].startswith(("x86-64-", "arm-64-"))
    assert found["processor"]["cores"] >= 1
    assert found["processor"]["cores_for_this_process"] == len(os.sched_getaffinity(0))


def test_text():
    lines = succeed("doctor").splitlines()
    for what in ("nestor", "Halide", "plug-in", "host target", "processor", "environment", "Python", "scratch"):
        assert any(what in line for line in lines), what


def test_environment_is_shown():
    found = findings(env={"HL_SEED": "7", "HL_NUM_THREADS": "2"})
    assert found["environment"]["variables"] == ["HL_NUM_THREADS=2", "HL_SEED=7"]


def test_bad_environment_is_missing_something():
    found = findings(env={"HL_BEAM_SIZE": "wide"}, code=1)
    assert found["environment"]["state"] == "MISSING" and "HL_BEAM_SIZE" in found["environment"]["text"]


def test_no_plugin(tmp_path):
    assert "1 thing is missing" in fail("doctor", env={"NESTOR_PLUGIN": str(tmp_path / "none.so")})


def test_the_command_alone(tmp_path):
    """Copied away from its plug-in."""
    copy = tmp_path / "bin" / "nestor"
    copy.parent.mkdir()
    shutil.copy(NESTOR, copy)
    answer = run(copy, "doctor")
    assert answer.returncode == 1
    assert "was not found" in answer.stdout and "NESTOR_PLUGIN" in answer.stdout


@pytest.mark.parametrize("kind", ["empty", "truncated", "foreign"])
def test_broken_plugin(kind, tmp_path):
    path = tmp_path / PLUGIN.name
    contents = {
        "empty": b"",
        "truncated": PLUGIN.read_bytes()[:5000],
        "foreign": (BUILD / "tests/cli/tiny.generator").read_bytes(),
    }[kind]
    path.write_bytes(contents)
    found = findings("--plugin", path, code=1)
    assert found["plug-in"]["state"] == "MISSING"
    assert "Install Nestor again" in found["plug-in"]["remedy"]


def test_no_python():
    found = findings(env={"PATH": "/nowhere", "VIRTUAL_ENV": "/nowhere"})
    assert found["Python"]["state"] == "note"
