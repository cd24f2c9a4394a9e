"""scripts/spread.py: how far the figures of several runs lie apart."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "spread.py"


def board(*seconds):
    labels = ["expert", "Nestor", "Li2018"]
    versions = [{"label": label, "speed": s and seconds[0] / s} for label, s in zip(labels, seconds)]
    return {"pipelines": [{"name": "blur", "versions": versions}]}


def run(folder, *boards):
    names = []
    for i, each in enumerate(boards):
        names.append(folder / f"{i}.json")
        names[-1].write_text(json.dumps(each))
    return subprocess.run([sys.executable, SCRIPT, *names], capture_output=True, text=True)


def test_spread_is_of_ratios_and_not_of_times(tmp_path):
    done = run(tmp_path, board(1, 2, 4), board(2, 4, 10), board(3, 6, 12))
    assert done.returncode == 0
    assert "| Nestor | 1 | 0.0% | 0.0% |" in done.stdout
    # 0.25, 0.2, 0.25
    assert "| Li2018 | 1 | 20.0% | 20.0% |" in done.stdout
    assert "| all | 2 | 10.0% | 20.0% |" in done.stdout


def test_what_failed_in_one_run_is_named(tmp_path):
    done = run(tmp_path, board(1, 2, 0), board(1, 2, 5))
    assert "| all | 1 | 0.0% | 0.0% |" in done.stdout
    assert "not in every run: blur, Li2018" in done.stdout


def test_runs_without_a_common_figure_are_an_error(tmp_path):
    done = run(tmp_path, board(1, 2, 0), board(1, 0, 5))
    assert done.returncode == 1 and "no figure in common" in done.stderr


def test_one_run_has_no_spread(tmp_path):
    done = run(tmp_path, board(1, 2, 4))
    assert done.returncode == 2 and "usage" in done.stderr and done.stdout == ""
