#!/usr/bin/env python3
"""Where the cost model is most wrong: what it predicts of each schedule of a board, beside what was timed.

usage: board_error.py BOARD.json [--programs FOLDER] [--parallelism N]

BOARD.json is what `nestor bench --json` wrote, of the present state, with a version Nestor; FOLDER has its generators (default:
build/release/corpus). Prints a line for each pipeline, the lowest predicted / measured first: what is predicted at less than
the others, relative to its time, is what to look at (`nestor predict --nests` beside Halide's profiler, docs/cost-model.md).
NESTOR_BUILD names another build folder than build/release.
"""

import argparse
import json
import pathlib

from collect import BUILD, nestor


def measured(board):
    """Pipeline and seconds of each that Nestor scheduled right."""
    for pipeline in json.loads(board.read_text())["pipelines"]:
        for version in pipeline["versions"]:
            if version["label"] == "Nestor" and not version["failure"] and not version["wrong"]:
                yield pipeline["name"], version["seconds"]


def predicted(program, name, parallelism):
    """Seconds, and what was chosen."""
    facts = json.loads(nestor("explain", program, "-g", name, f"autoscheduler.parallelism={parallelism}", "--json"))
    return facts["predicted_seconds"], facts["chosen"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board", type=pathlib.Path)
    parser.add_argument("--programs", type=pathlib.Path, default=BUILD / "corpus")
    parser.add_argument("--parallelism", type=int, default=2, help="that the board's schedules were made for (default: 2)")
    options = parser.parse_args()
    rows = []
    for name, seconds in measured(options.board):
        expected, chosen = predicted(options.programs / f"{name}.generator", name, options.parallelism)
        rows.append((expected / seconds, name, expected, seconds, chosen))
    print("| pipeline | predicted / measured | predicted ms | measured ms | chosen |")
    print("|---|---:|---:|---:|---|")
    for ratio, name, expected, seconds, chosen in sorted(rows):
        print(f"| {name} | {ratio:.2f} | {expected * 1e3:.3g} | {seconds * 1e3:.3g} | {chosen} |")


if __name__ == "__main__":
    main()
