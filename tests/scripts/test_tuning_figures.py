"""scripts/tuning_figures.py: the table of scripts/tuning_board."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "tuning_figures.py"


def pipeline(name, expert, plain, tuned):
    labels = ["expert", "Nestor", "Nestor:autoscheduler.records=r.db"]
    versions = [
        {"label": label, "seconds": s, "speed": s and expert / s} for label, s in zip(labels, (expert, plain, tuned))
    ]
    return {"name": name, "versions": versions}


def told(folder, name, seconds, trials=3, elapsed=2.0):
    lines = [{"trial": i + 1, "elapsed_seconds": elapsed * (i + 1) / trials} for i in range(trials)]
    lines.append({"task": name, "seconds": seconds, "trials": trials})
    (folder / f"{name}.2.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def run(folder, *pipelines):
    (folder / "board.json").write_text(json.dumps({"pipelines": pipelines}))
    return subprocess.run(
        [sys.executable, SCRIPT, folder / "board.json", folder, "2"], capture_output=True, text=True
    )


def test_speeds_are_relative_to_the_expert_and_times_to_what_was_told(tmp_path):
    told(tmp_path, "blur", seconds=0.0020)
    told(tmp_path, "sharpen", seconds=0.0050)
    done = run(tmp_path, pipeline("blur", 0.004, 0.004, 0.0022), pipeline("sharpen", 0.004, 0.016, 0.005))
    assert done.returncode == 0
    assert "| blur | 3 | 90 | 1.00 | 1.82 | 1.82 | 2 | 2.2 | 1.10 |" in done.stdout
    assert "| sharpen | 3 | 90 | 0.25 | 0.80 | 3.20 | 5 | 5 | 1.00 |" in done.stdout
    # The roots of 0.25, 1.4545 and 5.818.
    assert "| geometric mean of 2 | | | 0.50 | 1.21 | 2.41 |" in done.stdout
    assert "differ by 5.0% (median)" in done.stdout


def test_what_has_no_figure_is_named(tmp_path):
    told(tmp_path, "blur", seconds=0.0020)
    done = run(tmp_path, pipeline("blur", 0.004, 0.004, 0.002), pipeline("sharpen", 0.004, 0.016, 0))
    assert "geometric mean of 1" in done.stdout and "without a figure: sharpen" in done.stdout


def test_nothing_to_tell_is_an_error(tmp_path):
    done = run(tmp_path, pipeline("blur", 0.004, 0.004, 0.002))
    assert done.returncode == 1 and "no pipeline" in done.stderr
