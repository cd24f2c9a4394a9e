"""nestor records, and autoscheduler.records in the plug-in and in the tool."""

import json
import shutil
from pathlib import Path

import pytest
from programs import NESTOR, PLUGIN, TINY, fail, nestor, run, succeed

SIZES = "640x480;641x481"
QUICK = "num_passes=0"
WHEN = "2026-11-23T11:20:05Z"


def cpu():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(": ", 1)[1]
    return "unknown"


@pytest.fixture(scope="session")
def pipeline(tmp_path_factory):
    folder = tmp_path_factory.mktemp("host")
    succeed("schedule", TINY, "-g", "blur", "-t", "host", f"autoscheduler.save={folder}")
    return folder / "output.hlpipe"


@pytest.fixture(scope="session")
def target(pipeline):
    return json.loads(succeed("explain", pipeline, "-t", "host", "--json"))["target"]


@pytest.fixture(scope="session")
def tuned(pipeline):
    """A schedule that no search with the usual parallelism chooses."""
    text = succeed("schedule", pipeline, "-t", "host", "--format", "json", QUICK, "parallelism=1")
    assert text != succeed("schedule", pipeline, "-t", "host", "--format", "json", QUICK)
    return text


@pytest.fixture
def record(tuned, target):
    """A record of `tuned`, as a function of what differs."""

    def make(seconds=0.001, **changes):
        task = {
            "algorithm": json.loads(tuned)["algorithm"],
            "sizes": SIZES,
            "target": target,
            "machine": cpu(),
            "threads": 2,
        }
        task.update({key: changes.pop(key) for key in list(changes) if key in task})
        made = {
            "run": 0,
            "kind": "trial",
            "task": task,
            "pipeline": "blur",
            "schedule_hash": "00000000000000a1",
            "seconds": seconds,
            "uncertainty": 0.0123,
            "predicted": 2 * seconds,
            "outcome": "timed",
            "message": "",
            "origin": "search: from tiles",
            "created": WHEN,
            "versions": "nestor 0.1.0, halide 21.0.0",
            "measurement": "",
            "plan": "",
            "schedule": tuned,
        }
        assert not set(changes) - set(made)
        return {**made, **changes}

    return make


def lines(path, *records):
    path.write_text("".join(json.dumps(line) + "\n" for line in [{"nestor_records": 1}, *[{"record": r} for r in records]]))
    return path


@pytest.fixture
def store(tmp_path):
    def make(*records, name="r.db"):
        succeed("records", "import", tmp_path / name, lines(tmp_path / "r.jsonl", *records))
        return tmp_path / name

    return make


# 1. The commands.


def test_list(store, record):
    path = store(record(0.002), record(0, outcome="crash", schedule_hash="b"), record(0.004, threads=8))
    rows = json.loads(succeed("records", "list", path, "--json"))
    assert [(r["pipeline"], r["threads"], r["records"], r["timed"], r["best_seconds"]) for r in rows] == [
        ("blur", 2, 2, 1, 0.002),
        ("blur", 8, 1, 1, 0.004),
    ]
    assert rows[0]["machine"] == cpu() and rows[0]["last"] == WHEN
    text = succeed("records", "list", path)
    assert "2 ms" in text and SIZES in text
    assert len(json.loads(succeed("records", "list", path, "--json", "--threads", "8"))) == 1
    assert json.loads(succeed("records", "list", path, "--json", "--machine", "another")) == []


def test_top(store, record):
    path = store(
        record(0.001), record(0.003, schedule_hash="b", kind="final"), record(0.002, schedule_hash="c", origin="mutation")
    )
    best = json.loads(succeed("records", "top", path, "--json"))["best"]
    assert [(row["schedule_hash"], row["kind"]) for row in best] == [
        ("b", "final"),
        ("00000000000000a1", "trial"),
        ("c", "trial"),
    ]
    assert best[2] == {
        "seconds": 0.002,
        "uncertainty": 0.0123,
        "predicted": 0.004,
        "kind": "trial",
        "created": WHEN,
        "schedule_hash": "c",
        "origin": "mutation",
    }
    text = succeed("records", "top", path, "-n", "1")
    assert "3 ms" in text and "1.2%" in text and "mutation" not in text


def test_best_prints_what_apply_takes(store, record, tuned, pipeline, tmp_path):
    path = store(record(0.002), record(0.001, schedule_hash="b", outcome="wrong"))
    assert succeed("records", "best", path) == tuned
    (tmp_path / "best.json").write_text(succeed("records", "best", path))
    assert succeed("apply", tmp_path / "best.json", "--to", pipeline, "-t", "host", "--format", "json") == tuned


def test_best_as_source_needs_the_pipeline(store, record):
    message = fail("records", "best", store(record()), "--format", "cpp")
    assert "the pipeline is not in the file" in message and "nestor apply" in message


def test_best_as_source(store, record, pipeline, tuned, tmp_path):
    import base64

    kept = {
        "task": record()["task"],
        "name": "blur",
        "hlpipe": base64.b64encode(pipeline.read_bytes()).decode(),
        "side": pipeline.with_name("output.args.json").read_text(),
    }
    path = store(record())
    (tmp_path / "p.jsonl").write_text('{"nestor_records": 1}\n' + json.dumps({"pipeline": kept}) + "\n")
    succeed("records", "merge", path, tmp_path / "p.jsonl")
    (tmp_path / "tuned.json").write_text(tuned)
    for form in ("python", "cpp"):
        text = succeed("records", "best", path, "--format", form)
        expected = succeed("apply", tmp_path / "tuned.json", "--to", pipeline, "-t", "host", "--format", form)
        if form == "cpp":  # the function is called after the pipeline
            assert "apply_schedule_blur" in text
            expected = expected.replace("apply_schedule_output", "apply_schedule_blur")
            text, expected = (t[t.index("using ::Halide::Var;") :].split("#endif")[0] for t in (text, expected))
        assert text == expected


def test_several_tasks_ask_for_a_choice(store, record, tuned):
    path = store(record(0.002), record(0.004, threads=8), record(0.004, threads=8, sizes="1x1;2x2"))
    for command in ("best", "top"):
        message = fail("records", command, path)
        assert "--threads 2" in message and "--threads 8" in message and "--sizes '1x1;2x2'" in message
        assert "--machine" not in message, "they have it in common"
    assert succeed("records", "best", path, "--threads", "2") == tuned
    assert succeed("records", "best", path, "--sizes", "1x1;2x2") == tuned
    assert "blur 1x1;2x2" in fail("records", "best", path, "--pipeline", "harris")


def test_targets_are_compared_without_what_has_no_part_in_speed(store, record, target, tuned):
    path = store(record())
    assert succeed("records", "best", path, "--target", "host-no_runtime-user_context") == tuned
    assert "there are no such records" in fail("records", "best", path, "--target", "x86-64-linux-sse41")
    assert "no Halide target" in fail("records", "best", path, "--target", "nonsense")


def test_near_threads(store, record):
    path = store(*[record(threads / 1000, threads=threads) for threads in (2, 8, 32)])

    def chosen(threads):
        return json.loads(succeed("records", "best", path, "--near-threads", threads, "--json"))["threads"]

    assert [chosen(n) for n in (1, 2, 5, 8, 15, 17, 100)] == [2, 2, 8, 8, 8, 32, 32]


def test_compare(store, record, tmp_path):
    a = store(record(0.002), record(0.009, threads=8), name="a.db")
    b = store(record(0.001), record(0.001, threads=4), name="b.db")
    (row,) = json.loads(succeed("records", "compare", a, b, "--json"))
    assert (row["threads"], row["first_seconds"], row["second_seconds"], row["speed_up"]) == (2, 0.002, 0.001, 2)
    assert "geometric mean of 1: 2.000" in succeed("records", "compare", a, b)
    assert "nothing was timed in both" in fail("records", "compare", a, b, "--threads", "8")


def test_prune(store, record):
    path = store(
        record(0.001),
        record(0.002, schedule_hash="b", created="2020-01-01T00:00:00Z"),
        record(0, schedule_hash="c", outcome="crash"),
        record(0.009, threads=8),
    )
    assert "--keep" in fail("records", "prune", path, code=2)
    assert succeed("records", "prune", path, "--failed") == "removed 1 of 4 records\n"
    assert succeed("records", "prune", path, "--older-than", "365", "--threads", "8") == "removed 0 of 1 records\n"
    assert succeed("records", "prune", path, "--older-than", "365") == "removed 1 of 3 records\n"
    assert succeed("records", "prune", path, "--keep", "1") == "removed 0 of 2 records\n"
    assert "no records file" in fail("records", "prune", path.with_name("none.db"), "--failed")
    assert not path.with_name("none.db").exists()


def test_export_and_import(store, record, tmp_path):
    path = store(record(), record(0.004, threads=8))
    printed = succeed("records", "export", path)
    assert [list(json.loads(line))[0] for line in printed.splitlines()] == ["nestor_records", "record", "record"]
    assert json.loads(printed.splitlines()[1])["record"] == record()
    assert succeed("records", "export", path, "-o", tmp_path / "out.jsonl") == ""
    assert (tmp_path / "out.jsonl").read_text() == printed
    assert len(succeed("records", "export", path, "--threads", "8").splitlines()) == 2
    new = tmp_path / "new.db"
    assert "added 2 records, 0 were there already" in succeed("records", "import", new, tmp_path / "out.jsonl")
    assert "added 0 records, 2 were there already" in succeed("records", "merge", new, path)
    assert succeed("records", "export", new) == printed


def test_an_export_that_fails_leaves_no_file(store, record, tmp_path):
    fail("records", "export", store(record()), "-o", tmp_path / "none" / "out.jsonl")
    fail("records", "export", tmp_path / "none.db", "-o", tmp_path / "out.jsonl")
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize("command", ["list", "best", "top", "prune", "export"])
def test_other_files_are_refused(command, tmp_path, pipeline):
    options = ["--failed"] if command == "prune" else []
    assert "no records file" in fail("records", command, tmp_path / "none.db", *options)
    assert "is not a records file" in fail("records", command, pipeline, *options)


@pytest.mark.parametrize("words", [[], ["nonsense"], ["list"], ["best", "x.db", "--format", "fortran"], ["import", "x.db"]])
def test_usage(words):
    assert "--help" in fail("records", *words, code=2)


@pytest.mark.parametrize("words", [[], ["list"], ["best"], ["merge"]])
def test_help(words):
    assert "nestor records list" in succeed("records", *words, "--help").split("Examples:")[-1]


# 2. Records as wisdom.


@pytest.fixture(params=["plug-in", "tool"])
def schedule(request, pipeline, tmp_path):
    """Schedules `blur` with these parameters: in a generator, which loads the plug-in, or from its pipeline."""

    def with_plugin(*params, target="host", **options):
        out = tmp_path / "out"
        out.mkdir(exist_ok=True)
        words = ["-g", "blur", "-o", out, "-e", "schedule", "-p", options.pop("plugin", PLUGIN), f"target={target}"]
        saving = ["autoscheduler=Nestor", f"autoscheduler.save={out}", f"autoscheduler.{QUICK}"]
        answer = run(TINY, *words, *saving, *[f"autoscheduler.{p}" for p in params], **options)
        if answer.returncode == 0:
            answer.stdout = (out / "output.schedule.json").read_text()
        return answer

    def with_tool(*params, target="host", **options):
        return nestor("schedule", pipeline, "-t", target, "--format", "json", QUICK, *params, **options)

    return with_plugin if request.param == "plug-in" else with_tool


def test_the_best_record_is_used(schedule, store, record, tuned):
    answer = schedule(f"records={store(record())}")
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == tuned
    assert "Nestor" not in answer.stderr and "nestor" not in answer.stderr, "silent unless asked"
    report = schedule(f"records={store(record())}", "verbosity=1").stderr
    assert "1 ms with 2 threads on " in report and "chosen: recorded in " in report


def test_a_build_without_runtime_is_the_same_task(schedule, store, record, tuned):
    assert schedule(f"records={store(record())}", target="host-no_runtime").stdout == tuned


def test_threads_as_asked_for_or_the_nearest(schedule, store, record, tuned):
    slow = json.loads(tuned)
    slow["functions"]["output"]["stages"] = {}
    path = store(record(), record(0.0001, threads=16, schedule=json.dumps(slow), schedule_hash="b"))
    assert schedule(f"records={path}", "parallelism=3").stdout == tuned
    assert schedule(f"records={path}", "parallelism=16").stdout != tuned


@pytest.mark.parametrize(
    "change, why",
    [
        ({"machine": "Another Processor"}, "measured on another processor (Another Processor)"),
        ({"sizes": "64x48;65x49"}, "no records of this pipeline, these sizes"),
        ({"target": "x86-64-linux-sse41"}, "no records of this pipeline, these sizes"),
        ({"algorithm": "0000000000000001"}, "no records of this pipeline, these sizes"),
        ({"outcome": "crash"}, "none of the schedules that were measured"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_search_where_there_is_none(schedule, store, record, change, why):
    path = store(record(**change))
    answer = schedule(f"records={path}")
    assert answer.returncode == 0 and answer.stdout == schedule().stdout
    assert "records" not in answer.stderr, "which is no news to who asked for nothing"
    told = [line for line in schedule(f"records={path}", "verbosity=1").stderr.splitlines() if why in line]
    assert len(told) == 1 and "searching instead" in told[0]


def test_a_refused_schedule_is_told_and_searched(schedule, store, record, tuned):
    stale = tuned.replace(json.loads(tuned)["algorithm"], "0000000000000001")
    answer = schedule(f"records={store(record(schedule=stale))}")
    assert answer.returncode == 0 and answer.stdout == schedule().stdout
    assert "its best schedule is refused: " in answer.stderr


def test_a_file_that_cannot_be_used_is_an_error(schedule, tmp_path, pipeline):
    answer = schedule(f"records={tmp_path / 'none.db'}")
    assert answer.returncode != 0 and "no records file" in answer.stderr
    answer = schedule(f"records={pipeline}")
    assert answer.returncode != 0 and "is not a records file" in answer.stderr


def test_a_schedule_comes_before_records(schedule, store, record, tmp_path):
    (tmp_path / "other.json").write_text(schedule().stdout)
    answer = schedule(f"records={store(record())}", f"schedule={tmp_path / 'other.json'}")
    assert answer.stdout == (tmp_path / "other.json").read_text()


def test_explain_shows_the_recorded_one(store, record, pipeline, tuned):
    path = store(record())
    for source in ([pipeline], [TINY, "-g", "blur"]):
        assert f"recorded in {path}" in succeed("explain", *source, "-t", "host", f"autoscheduler.records={path}")


# 3. Where the plug-in finds `nestor`.


@pytest.fixture
def lonely(tmp_path):
    """The plug-in in a folder without the command."""
    (tmp_path / "alone").mkdir()
    return shutil.copy(PLUGIN, tmp_path / "alone")


@pytest.mark.parametrize("schedule", ["plug-in"], indirect=True)
def test_nestor_is_found(schedule, lonely, store, record, tuned, tmp_path):
    path = f"records={store(record())}"
    nowhere = {"PATH": str(tmp_path)}
    answer = schedule(path, plugin=lonely, env=nowhere)
    assert answer.returncode == 0 and answer.stdout == schedule().stdout
    assert "the command nestor was not found" in answer.stderr and "autoscheduler.nestor=PATH" in answer.stderr
    assert schedule(path, f"nestor={NESTOR}", plugin=lonely, env=nowhere).stdout == tuned
    assert schedule(path, plugin=lonely, env={"PATH": f"{tmp_path}:{NESTOR.parent}"}).stdout == tuned
    assert schedule(path, env=nowhere).stdout == tuned, "beside the plug-in"
    answer = schedule(path, f"nestor={tmp_path / 'none'}")
    assert answer.returncode != 0 and "which `nestor` names" in answer.stderr


@pytest.mark.parametrize("schedule", ["plug-in"], indirect=True)
@pytest.mark.parametrize(
    "script, told",
    [
        ("kill -9 $$", "ended by signal 9"),
        ("echo nestor: no such option >&2; exit 2", "exited with code 2: no such option"),
        ("echo garbage", "can't be read"),
    ],
)
def test_a_nestor_that_fails_is_told_and_searched(schedule, store, record, tmp_path, script, told):
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\n" + script + "\n")
    broken.chmod(0o755)
    answer = schedule(f"records={store(record())}", f"nestor={broken}")
    assert answer.returncode == 0 and answer.stdout == schedule().stdout
    assert told in answer.stderr
