#!/usr/bin/env python3
"""How far the figures of several runs of the board lie apart.

usage: scripts/spread.py BOARD.json BOARD.json...     (copies of scripts/board's out/board.json, or `nestor bench --json`)

A figure is a version's speed relative to the first version of its pipeline (the expert), in one run. Its spread is the
difference between its largest and its smallest value, as a part of its median. Only what has a figure in every run
counts; what has it in some is named.
"""

import json
import statistics
import sys
from pathlib import Path


def figures(board):
    """{(pipeline, version): speed relative to the pipeline's first version}"""
    speeds = {}
    for pipeline in board["pipelines"]:
        for version in pipeline["versions"][1:]:
            if version["speed"] > 0:
                speeds[pipeline["name"], version["label"]] = version["speed"]
    return speeds


def spreads(runs):
    """{key: spread} of the figures that all runs have, and the keys that only some have."""
    everywhere = set.intersection(*(set(run) for run in runs))
    somewhere = set.union(*(set(run) for run in runs))
    result = {}
    for key in everywhere:
        values = [run[key] for run in runs]
        result[key] = (max(values) - min(values)) / statistics.median(values)
    return result, sorted(somewhere - everywhere)


def report(result, partly):
    lines = []
    for label in sorted({label for _, label in result}):
        mine = [spread for (_, other), spread in result.items() if other == label]
        lines.append(f"| {label} | {len(mine)} | {statistics.median(mine):.1%} | {max(mine):.1%} |")
    everything = list(result.values())
    lines.append(f"| all | {len(everything)} | {statistics.median(everything):.1%} | {max(everything):.1%} |")
    head = ["| version | figures | median spread | largest |", "|---|---:|---:|---:|"]
    missing = [f"not in every run: {pipeline}, {label}" for pipeline, label in partly]
    return "\n".join(head + lines + missing)


def main(arguments):
    if any(a in ("-h", "--help") for a in arguments):
        print(__doc__)
        return 0
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    result, partly = spreads([figures(json.loads(Path(name).read_text())) for name in arguments])
    if not result:
        print("spread: the runs have no figure in common", file=sys.stderr)
        return 1
    print(report(result, partly))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
