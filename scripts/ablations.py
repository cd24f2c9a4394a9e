#!/usr/bin/env python3
"""What each kind of move of the search is worth: speed without it, relative to the speed with all of them.

usage: ablations.py [--threads T] [--moves NAME,...] [--folder FOLDER] [PIPELINE...]

For each PIPELINE (a folder of corpus/; default: all), the schedules that are found with all moves and without each kind
(`autoscheduler.without`), and where another one is found, both timed in turns in one run of `nestor bench`. The table is
by move: pipelines that change, the geometric mean over all pipelines (1 where nothing changes), and the three that lose and
gain most. What was built and timed stays in FOLDER (default: out/ablations). Nothing else may run meanwhile.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess

from collect import BUILD, ROOT
from versions import seconds_of


def names_of_moves():
    """As the sources have them."""
    source = (ROOT / "src/search/move_set.cpp").read_text()
    return re.findall(r'"(\w+)"', source[source.index("kNames") : source.index("};")])


def schedule(pipeline, threads, *parameters):
    command = [BUILD / "bin/nestor", "schedule", BUILD / f"corpus/{pipeline}.generator", "-g", pipeline, "--format", "json"]
    words = [*command, f"autoscheduler.parallelism={threads}", *parameters]
    return json.loads(subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout)


def speeds(pipeline, moves, options):
    """Speed without each of these moves, relative to the speed with all."""
    versions = ["Nestor"] + [f"Nestor:autoscheduler.without={move}" for move in moves]
    base, *others = seconds_of(pipeline, versions, options, "--seconds", 2, "--passes", 4, "--rounds", 3)
    return {move: base / seconds for move, seconds in zip(moves, others, strict=True) if base and seconds}


def row_of(move, changed, count):
    """`changed`: speed by pipeline."""
    order = sorted(changed, key=changed.get)
    mean = statistics.geometric_mean([*changed.values(), *[1.0] * (count - len(changed))])
    text = [f"`{name}` {changed[name]:.2f}" for name in order]
    losing = [one for one, name in zip(text, order, strict=True) if changed[name] < 0.97][:3]
    gaining = [one for one, name in zip(text, order, strict=True) if changed[name] > 1.03][::-1][:3]
    return f"| {move} | {len(changed)} | {mean:.3f} | {', '.join(losing)} | {', '.join(gaining)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pipelines", nargs="*", metavar="PIPELINE")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--moves", type=lambda text: text.split(","), default=names_of_moves())
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "out/ablations")
    options = parser.parse_args()
    pipelines = options.pipelines or sorted(path.parent.name for path in (ROOT / "corpus").glob("*/*_generator.cpp"))
    by_move = {move: {} for move in options.moves}
    for pipeline in pipelines:
        base = schedule(pipeline, options.threads)
        changed = [
            move for move in options.moves if schedule(pipeline, options.threads, f"autoscheduler.without={move}") != base
        ]
        if changed:
            for move, speed in speeds(pipeline, changed, options).items():
                by_move[move][pipeline] = speed
    print("| without | pipelines that change | speed | losing most | gaining most |\n|---|---:|---:|---|---|")
    for move, changed in by_move.items():
        print(row_of(move, changed, len(pipelines)))


if __name__ == "__main__":
    main()
