"""nestor examples and nestor train, and what takes the weights."""

import json

import pytest
from programs import TINY, fail, succeed


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """A folder with measured schedules, examples and weights. Schedules with an unrolled loop take three times as long
    as predicted."""
    folder = tmp_path_factory.mktemp("learned")
    source = [TINY, "-g", "blur", "-t", "x86-64-linux-avx2-fma-no_runtime", "autoscheduler.parallelism=2"]
    succeed("sample", *source, "--count", 60, "-o", folder / "schedules")
    files = sorted((folder / "schedules").glob("*.json"), key=lambda file: int(file.stem))
    words = [word for file in files for word in ("--schedule", file)]
    predicted = [row["seconds"]["total"] for row in json.loads(succeed("predict", *source, "--json", *words))]
    slow = [i for i, file in enumerate(files) if '"unroll"' in file.read_text()]
    assert 5 < len(slow) < len(files) - 5, "there are both kinds"
    lines = []
    for i, (file, seconds) in enumerate(zip(files, predicted, strict=True)):
        measured = seconds * (3 if i in slow else 1)
        row = {"schedule": json.loads(file.read_text()), "threads": 2, "outcome": "timed", "seconds": measured}
        lines.append(json.dumps(row) + "\n")
    lines.append(json.dumps({"schedule": row["schedule"], "threads": 2, "outcome": "crash", "seconds": 0}) + "\n")
    (folder / "data.jsonl").write_text("".join(lines))
    succeed("examples", *source, "--data", folder / "data.jsonl", "-o", folder / "blur.examples")
    assert len((folder / "blur.examples").read_text().splitlines()) == 1 + len(files), "a head, and what was timed"
    succeed("train", folder / "blur.examples", "-o", folder / "nestor.weights")
    return folder, source, words, predicted, slow


def test_predictions_are_corrected_by_what_was_learned(learned):
    folder, source, words, before, slow = learned
    asked = {}
    for name, weights in (
        ("file", ["--weights", folder / "nestor.weights"]),
        ("folder", ["--weights", folder]),
        ("parameter", [f"autoscheduler.weights_path={folder}"]),
    ):
        asked[name] = [row["seconds"]["total"] for row in json.loads(succeed("predict", *source, "--json", *weights, *words))]
    assert asked["file"] == asked["folder"] == asked["parameter"]
    factors = [after / was for after, was in zip(asked["file"], before, strict=True)]
    of_slow = [factor for i, factor in enumerate(factors) if i in slow]
    of_others = [factor for i, factor in enumerate(factors) if i not in slow]
    assert sum(of_slow) / len(of_slow) > 1.5 * sum(of_others) / len(of_others)
    assert all(0.25 <= factor <= 4 for factor in factors)


def test_the_search_uses_them(learned):
    folder, source, *_ = learned
    plain = json.loads(succeed("explain", *source, "--json"))
    corrected = json.loads(succeed("explain", *source, f"autoscheduler.weights_path={folder}", "--json"))
    assert corrected["predicted_seconds"] != plain["predicted_seconds"]
    told = succeed("explain", *source, "--json", env={"HL_WEIGHTS_DIR": str(folder)})
    assert json.loads(told)["predicted_seconds"] == corrected["predicted_seconds"]


def test_more_trees_are_added_to_those_that_there_are(learned, tmp_path):
    folder, *_ = learned
    before = (folder / "nestor.weights").read_bytes()
    succeed("train", folder / "blur.examples", "--from", folder / "nestor.weights", "-o", tmp_path / "more.weights", "--rounds", 7, "--folds", 1)
    assert (folder / "nestor.weights").read_bytes() == before
    count = before.count(b"\ntree ")
    assert (tmp_path / "more.weights").read_bytes().count(b"\ntree ") == count + 7


def test_other_examples_are_judged(learned):
    folder, _, _, before, _ = learned
    (rows,) = json.loads(succeed("train", folder / "blur.examples", "--test", folder / "blur.examples"))
    assert [model for model, *_ in rows] == pytest.approx(before)
    assert any(abs(corrected / model - 1) > 0.1 for model, corrected, _ in rows)


def test_other_files_are_refused(learned, tmp_path):
    folder, source, words, *_ = learned
    other = tmp_path / "other.weights"
    other.write_text((folder / "nestor.weights").read_text().replace("schema ", "schema 0", 1))
    assert "other features" in fail("predict", *source, "--weights", other, *words[:2])
    assert "not a Nestor weights file" in fail("train", folder / "blur.examples", "--from", folder / "data.jsonl")
    assert "examples" in fail("train", folder / "data.jsonl")
    assert "nestor.weights" in fail("predict", *source, "--weights", tmp_path, *words[:2])
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"outcome": "timed"}\n')
    assert "line 1" in fail("examples", *source, "--data", broken, "-o", tmp_path / "none")
    assert not (tmp_path / "none").exists()
