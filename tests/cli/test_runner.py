"""Measuring and tuning by a runner's command."""

import json

import pytest
from programs import TINY, fail, succeed

BLUR = [TINY, "-g", "blur"]


def test_tunes_for_another_processor(tmp_path):
    """From the first batch to the finals, on ARM in its emulator."""
    records = tmp_path / "records.db"
    words = ["tune", *BLUR, "-t", "arm-64-linux", "--records", records, "--timing-seconds", "0.02"]
    words += ["--final-seconds", "0.2", "--runner", "qemu-aarch64 {binary}", "--json"]
    lines = [json.loads(line) for line in succeed(*words, "--trials", 3).splitlines()]
    assert [line["outcome"] for line in lines[:-1]] == ["timed"] * 3
    assert lines[-1]["seconds"] > 0
    exported = succeed("records", "export", records).splitlines()
    kept = [row["record"] for row in map(json.loads, exported) if "record" in row]
    finals = [record for record in kept if record["kind"] == "final"]
    assert finals and all(record["outcome"] == "timed" for record in finals), finals
    for record in kept:
        assert record["task"]["target"] == "arm-64-linux"
        assert record["task"]["machine"].endswith("runner: qemu-aarch64 {binary}")
    # Times of another machine are not this one's.
    assert "no such records" in fail("records", "best", records, "--machine", "host")


@pytest.mark.parametrize("runner", ["env", 'sh -c "{binary} {args}"'])
def test_measures_on_this_machine(runner):
    (row,) = json.loads(succeed("measure", *BLUR, "--schedule", "none", "--runner", runner, "--threads", 1, "--json"))
    assert row["outcome"] == "timed" and row["seconds"] > 0
    assert row["machine"]["threads"] == 1
    assert row["machine"]["cpu"].endswith(f"runner: {runner}")


@pytest.mark.parametrize(
    "options, words, code",
    [
        (["--runner", "sh {args}"], "{binary}", 2),
        (["--runner-copy", "scp {binary} board:"], "--runner", 2),
        (["--runner", "env", "--runner-copy", "scp bench board:"], "{binary}", 2),
        (["--runner", "env", "--load", "libfilter.so"], "--load", 2),
        (["-t", "arm-64-linux"], "--runner", 1),
        (["-t", "arm-64-android", "--runner", "adb shell /data/{name}"], "NDK", 1),
        (["--runner", "env", "--runner-cxx", "no-such-compiler"], "no-such-compiler", 1),
    ],
)
def test_senseless_wishes_are_refused(options, words, code):
    assert words in fail("measure", *BLUR, "--schedule", "none", *options, code=code)


def test_a_runner_that_never_works_is_said_before_anything_is_measured():
    errors = fail("measure", *BLUR, "--schedule", "none", "--runner", "echo no device >&2; exit 3;")
    assert "the runner exited with code 3: no device" in errors
