#!/usr/bin/env python3
"""The table of scripts/tuning_board.

usage: scripts/tuning_figures.py BOARD.json FOLDER THREADS

BOARD.json is of `nestor bench` with three versions: the expert's schedule, Nestor's, and the tuned one. FOLDER has what
`nestor tune --json` said of each pipeline, as NAME.THREADS.jsonl. "told" is the time that tuning reported, "later" that of
the independent run of `nestor bench`; both are seconds of one machine at two times.
"""

import json
import math
import statistics
import sys
from pathlib import Path


def tuning(path):
    """What `nestor tune --json` said: the summary of its last line, and how fast trials were."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    summary = lines[-1]
    trials = [line for line in lines[:-1] if "trial" in line]
    elapsed = trials[-1]["elapsed_seconds"] if trials else 0
    summary["per_minute"] = 60 * len(trials) / elapsed if elapsed > 0 else 0
    return summary


def figures(board, folder, threads):
    """A dictionary for each pipeline of which all three versions were timed; names of the others."""
    rows, missing = [], []
    for pipeline in board["pipelines"]:
        told = folder / f"{pipeline['name']}.{threads}.jsonl"
        expert, plain, tuned = pipeline["versions"]
        if not told.is_file() or min(expert["seconds"], plain["speed"], tuned["speed"]) <= 0:
            missing.append(pipeline["name"])
            continue
        summary = tuning(told)
        rows.append(
            {
                "name": pipeline["name"],
                "trials": summary["trials"],
                "per_minute": summary["per_minute"],
                "plain": plain["speed"],
                "tuned": tuned["speed"],
                "gain": tuned["speed"] / plain["speed"],
                "told": summary["seconds"],
                "later": tuned["seconds"],
            }
        )
    return rows, missing


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def report(rows, missing):
    lines = [
        "| pipeline | trials | a minute | untuned | tuned | tuned / untuned | told, ms | later, ms | later / told |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        lines.append(
            f"| {row['name']} | {row['trials']} | {row['per_minute']:.0f} | {row['plain']:.2f} | {row['tuned']:.2f} "
            f"| {row['gain']:.2f} | {row['told'] * 1e3:.3g} | {row['later'] * 1e3:.3g} | {row['later'] / row['told']:.2f} |"
        )
    means = [geometric_mean([row[key] for row in rows]) for key in ("plain", "tuned", "gain")]
    lines.append(f"| geometric mean of {len(rows)} | | | {means[0]:.2f} | {means[1]:.2f} | {means[2]:.2f} | | | |")
    apart = statistics.median(abs(row["later"] / row["told"] - 1) for row in rows)
    lines.append(f"\nReported and later times differ by {apart:.1%} (median).")
    lines += [f"without a figure: {name}" for name in missing]
    return "\n".join(lines)


def main(arguments):
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    rows, missing = figures(json.loads(Path(arguments[0]).read_text()), Path(arguments[1]), arguments[2])
    if not rows:
        print("tuning_figures: no pipeline has all three versions", file=sys.stderr)
        return 1
    print(report(rows, missing))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
