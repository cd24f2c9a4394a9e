"""nestor tune: records, resuming, being killed at any moment, several tasks.

NESTOR_KILLS=200 pytest tests/cli/test_tune.py -k killed: as many kills as docs/RESULTS.md has.
"""

import json
import os
import random
import signal
import sqlite3
import subprocess

import pytest
from programs import NESTOR, TINY, fail, succeed

QUICK = ["--timing-seconds", "0.05", "--final-seconds", "0.2", "--batch-size", "4"]
KILLS = int(os.environ.get("NESTOR_KILLS", "20"))


def rows(file):
    """(kind, schedule hash, outcome) of all records, in order, from a file that is whole."""
    database = sqlite3.connect(file)
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    lines = succeed("records", "export", file).splitlines()
    records = [row["record"] for row in map(json.loads, lines) if "record" in row]
    return [(r["kind"], r["schedule_hash"], r["outcome"]) for r in records]


def trials(file):
    return [row for row in rows(file) if row[0] == "trial"]


def tune(file, count, *more):
    return succeed("tune", TINY, "-g", "blur", "--trials", count, "--records", file, *QUICK, *more)


def test_tells_what_it_measures(tmp_path):
    file = tmp_path / "records.db"
    lines = [json.loads(line) for line in tune(file, 6, "--json").splitlines()]
    measured, summary = lines[:-1], lines[-1]
    assert [line["trial"] for line in measured] == [1, 2, 3, 4, 5, 6]
    assert all(line["seconds"] > 0 for line in measured if line["outcome"] == "timed")
    assert summary["trials"] == 6
    assert summary["schedule"]["format"] == "nestor-schedule"
    assert summary["stopped"] == "all trials were made"
    assert summary["schedule_hash"] in {line["schedule_hash"] for line in measured}


def test_writes_what_a_generator_can_emit(tmp_path):
    text = tune(tmp_path / "records.db", 5, "-o", tmp_path / "out", "-e", "object,c_header,schedule", "--quiet")
    assert sorted(path.suffix for path in (tmp_path / "out").iterdir()) == [".h", ".h", ".o"]
    assert "schedule.h" in text


def test_prints_a_schedule_that_can_be_applied(tmp_path):
    schedule = tmp_path / "best.json"
    schedule.write_text(tune(tmp_path / "records.db", 5, "--format", "json", "--quiet"))
    assert "output" in succeed("apply", schedule, "--to", TINY, "-g", "blur")


def test_goes_on_and_repeats_nothing(tmp_path):
    file = tmp_path / "records.db"
    tune(file, 5)
    before = trials(file)
    assert len(before) == 5
    tune(file, 9)
    after = trials(file)
    assert after[:5] == before and len(after) == 9
    assert len({schedule for _, schedule, _ in after}) == 9


def test_survives_being_killed(tmp_path):
    """KILLS kills at random moments: each time the file is whole and has all that it had, and in the end, ten
    trials later, every schedule was measured once."""
    file = tmp_path / "records.db"
    chance = random.Random(20)
    most = str(2 * KILLS)
    command = [NESTOR, "tune", TINY, "-g", "blur", "--trials", most, "--records", file, *QUICK, "--json"]
    known = []
    killed = 0
    for _ in range(KILLS):
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        # After so many measurements, and a moment that falls anywhere in the next one.
        told = [child.stdout.readline() for _ in range(chance.randint(0, 2))]
        try:
            child.wait(timeout=chance.uniform(0, 0.4))
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            killed += 1
        told += child.communicate()[0].splitlines()
        if not file.exists():
            continue
        now = trials(file)
        assert now[: len(known)] == known, "what was there stays"
        hashes = {schedule for _, schedule, _ in now}
        for line in filter(None, told):
            if line.endswith("}\n") or line.endswith("}"):
                assert json.loads(line)["schedule_hash"] in hashes, "what was told is in the file"
        known = now
    assert killed > KILLS / 2
    count = len(known) + 10
    tune(file, count)
    hashes = [schedule for _, schedule, _ in trials(file)]
    assert len(hashes) == count and len(set(hashes)) == count


def test_interrupted_it_says_what_is_best_so_far(tmp_path):
    file = tmp_path / "records.db"
    command = [NESTOR, "tune", TINY, "-g", "blur", "--trials", "1000", "--records", file, *QUICK, "--json"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    child.stdout.readline()
    child.send_signal(signal.SIGINT)
    out, errors = child.communicate(timeout=120)
    assert child.returncode == 0, errors
    summary = json.loads(out.splitlines()[-1])
    assert summary["stopped"] == "interrupted" and summary["seconds"] > 0
    assert len(trials(file)) < 1000


def test_several_tasks_share_the_trials(tmp_path):
    tasks = tmp_path / "tasks.yaml"
    tasks.write_text(
        f"tasks:\n  - {{generator: {TINY}, name: blur}}\n  - {{generator: {TINY}, name: total, weight: 2}}\n"
    )
    out = succeed(
        "tune", "--tasks", tasks, "--trials", 14, "--records", tmp_path / "records.db", *QUICK, "--json"
    )
    lines = [json.loads(line) for line in out.splitlines()]
    summaries = [line for line in lines if "stopped" in line]
    assert [line["task"] for line in summaries] == ["blur", "total"]
    assert all(line["trials"] > 0 for line in summaries)
    assert 14 <= sum(line["trials"] for line in summaries) < 18


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "no list of tasks"),
        ("tasks: []", "no list of tasks"),
        ("tasks: [{name: blur}]", "a generator or a pipeline"),
        ("tasks: [{generator: a, pipeline: b}]", "a generator or a pipeline"),
        ("tasks: [{generator: a, wight: 2}]", "no key wight"),
        ("tasks: [{generator: a, weight: -2}]", "a number above 0"),
        ("tasks: [{generator: a, name: x}, {generator: b, name: x}]", "two tasks x"),
        ("tasks: [{", "line 1"),
    ],
)
def test_bad_tasks_are_refused(tmp_path, text, words):
    tasks = tmp_path / "tasks.yaml"
    tasks.write_text(text)
    assert words in fail("tune", "--tasks", tasks, "--records", tmp_path / "records.db")


def test_a_build_can_measure_first(tmp_path):
    """autoscheduler.trials: once, since the next build finds everything measured."""
    file = tmp_path / "records.db"
    words = ["schedule", TINY, "-g", "blur", "autoscheduler.trials=5", f"autoscheduler.records={file}"]
    text = succeed(*words)
    assert "apply_schedule_blur" in text
    assert len(trials(file)) == 5
    assert succeed(*words) == text
    assert len(trials(file)) == 5


def test_bad_wishes_are_refused(tmp_path):
    records = ["--records", tmp_path / "records.db"]
    assert "generator" in fail("tune", *records, code=2)
    assert "no time" in fail("tune", TINY, "-g", "blur", "--time", "soon", *records, code=2)
    (tmp_path / "text.db").write_text("not a database, but long enough to be read as one" * 40)
    assert "text.db" in fail("tune", TINY, "-g", "blur", "--records", tmp_path / "text.db")
