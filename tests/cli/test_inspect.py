"""nestor dag and nestor explain."""

import json
import re

import pytest
from programs import BUILD, TINY, fail, nestor, succeed


@pytest.fixture(params=["generator", "pipeline"])
def source(request):
    if request.param == "generator":
        return [TINY, "-g", "blur"]
    return [request.getfixturevalue("pipeline")]


def test_dag(source):
    text = succeed("dag", *source)
    assert "rows(x, y) = " in text
    assert "input" in text and "641" in text, "inputs show with their sizes"
    assert "generator's own words" not in text


def test_dag_json(source):
    graph = json.loads(succeed("dag", *source, "--json"))
    assert [f["name"] for f in graph["functions"]][-1] == "output"
    assert graph["inputs"][0]["name"] == "input"
    assert re.fullmatch(r"\d+x\d+;\d+x\d+", graph["sizes"]), "of the output and the input, as records have them"
    assert re.fullmatch(r"[0-9a-f]{16}", graph["algorithm"])


def test_dag_without_estimates(tmp_path):
    words = ["dag", TINY, "-g", "blur", "estimates=false"]
    assert "estimates are missing" in fail(*words)
    assert "100" in succeed(*words, "autoscheduler.default_extent=100")


def test_dag_of_a_reduction():
    assert "+=" in succeed("dag", TINY, "-g", "total")


def test_explain(source):
    text = succeed("explain", *source)
    assert "chosen: " in text and "predicted at" in text
    assert "<- chosen" in text
    assert "for " in text.split("loop nest")[1].split("scheduling took")[0]
    assert "total" in text.split("scheduling took")[1]
    assert int(re.search(r"(\d+) schedules were looked at", text)[1]) > 100


def test_explain_json(source):
    facts = json.loads(succeed("explain", *source, "--json"))
    assert facts["chosen"] in [c["name"] for c in facts["candidates"]]
    assert facts["predicted_seconds"] > 0
    assert sum(step["seconds"] for step in facts["steps"]) > 0
    assert all(f["pinned"] is None for f in facts["functions"])
    assert facts["loop_nest"].endswith("\n")
    assert facts["schedules_looked_at"] > 100


def test_explain_has_the_schedules_that_were_compared(source, tmp_path):
    """Each can be replayed, and is the schedule that was meant."""
    candidates = json.loads(succeed("explain", *source, "--json"))["candidates"]
    assert len(candidates) > 2
    other = tmp_path / "other.json"
    other.write_text(json.dumps(candidates[-1]["replay"]))
    replayed = json.loads(succeed("explain", *source, "--schedule", other, "--json"))
    named = json.loads(succeed("explain", *source, "--proposal", candidates[-1]["name"], "--json"))
    assert replayed["loop_nest"] == named["loop_nest"]


def test_explain_a_schedule(source, schedule):
    facts = json.loads(succeed("explain", *source, "--schedule", schedule, "--json"))
    assert facts["chosen"] == f"replayed from {schedule}"


def test_explain_says_what_is_pinned(tmp_path):
    """The pipeline that a generator emits without a scheduler holds its own schedule."""
    import subprocess

    words = [TINY, "-g", "blur", "-o", tmp_path, "-e", "hlpipe", "target=host"]
    subprocess.run([str(word) for word in words], check=True, capture_output=True)
    text = succeed("explain", tmp_path / "blur.hlpipe", "autoscheduler.default_extent=100")
    assert "rows: " in text.split("left as they are:")[1].split("loop nest")[0]


def test_explain_verbose(pipeline):
    answer = nestor("explain", pipeline, "verbosity=2")
    assert answer.returncode == 0
    assert "predicted" in answer.stderr


def test_predict_says_what_is_not_legal(tmp_path):
    import subprocess

    words = [TINY, "-g", "blur", "-o", tmp_path, "-e", "hlpipe", "target=host"]
    subprocess.run([str(word) for word in words], check=True, capture_output=True)
    pipeline = [tmp_path / "blur.hlpipe", "autoscheduler.default_extent=100"]
    good = json.loads(succeed("schedule", *pipeline, "--format", "json"))
    bad = json.loads(json.dumps(good))
    for function in bad["functions"].values():
        for stage in function.get("stages", {}).values():
            stage["order"] = stage.get("order", ["x", "y"])[:1] * 2
    files = []
    for name, schedule in (("good", good), ("bad", bad)):
        files += ["--schedule", tmp_path / f"{name}.json"]
        files[-1].write_text(json.dumps(schedule))
    rows = json.loads(succeed("predict", *pipeline, "--json", *files))
    assert rows[0]["seconds"]["total"] > 0 and "illegal" not in rows[0] and "nests" not in rows[0]
    assert rows[1]["illegal"] and "seconds" not in rows[1]
    refused = nestor("predict", *pipeline, *files)
    assert refused.returncode == 1 and "is not legal" in refused.stderr


def test_predict_says_what_each_nest_takes(pipeline, tmp_path):
    schedule = tmp_path / "root.json"
    schedule.write_text(succeed("schedule", pipeline, "--format", "json"))
    words = ["predict", pipeline, "autoscheduler.parallelism=1", "--nests", "--schedule", schedule]
    (row,) = json.loads(succeed(*words, "--json"))
    nests = {nest["function"]: nest for nest in row["nests"]}
    assert nests["output"]["stage"] == 0 and nests["output"]["threads"] == 1
    for nest in row["nests"]:
        units = {unit: seconds for unit, seconds in nest["seconds"].items() if unit != "total"}
        # Units work side by side, and none of them for longer than the nest takes.
        assert 0 < max(units.values()) <= nest["seconds"]["total"] <= sum(units.values()) * 1.0001
        assert nest["innermost_iterations"] >= 1
    # All nests together are what is executed, of which memory hides a part where it takes longer.
    executed = sum(row["seconds"][term] for term in ("compute", "latency", "loops"))
    assert executed <= sum(nest["seconds"]["total"] for nest in row["nests"]) * 1.0001
    text = succeed(*words)
    assert "each nest by itself" in text and "arithmetic" in text


@pytest.mark.parametrize("name", ["depthwise_conv", "compositing", "optical_flow"])
def test_explain_chooses_what_the_plug_in_chooses(name):
    """One reads a pipeline from a file, in which equal expressions are no longer the same object."""
    words = [BUILD / f"corpus/{name}.generator", "-g", name, "autoscheduler.beam_size=1", "autoscheduler.parallelism=2"]
    chosen = nestor("schedule", *words, "autoscheduler.verbosity=1")
    assert chosen.returncode == 0, chosen.stderr
    explained = json.loads(succeed("explain", *words, "--json"))["schedule"]
    assert f"schedule {explained}" in chosen.stderr
