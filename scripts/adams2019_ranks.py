#!/usr/bin/env python3
"""How well Adams2019's own predictions order the schedules that it draws at random, on the pipelines of the data set.

usage: adams2019_ranks.py [--count N] [--threads T] [--near FACTOR] [--folder FOLDER] [PIPELINE...]

It predicts no schedules but those of its own search, so these are drawn as its autotuning loop draws them (greedy, with
random_dropout=1 and seeds 1 to N; default: 50), built and timed by `nestor bench` in one run for each pipeline, and compared
with the cost that it printed. Columns as those of model_error.py. What was built stays in FOLDER (default: out/adams2019).
Nothing else may run meanwhile.
"""

import argparse
import os
import pathlib
import re
import subprocess
import tempfile

from collect import BUILD, PIPELINES, ROOT
from model_error import print_table, quality
from versions import seconds_of

LIBRARIES = ROOT / ".venv/lib"
DRAWN = ("autoscheduler.beam_size=1", "autoscheduler.random_dropout=1")


def plugin():
    (found,) = LIBRARIES.glob("python*/site-packages/halide/lib64/libautoschedule_adams2019.so")
    return found


def parameters(seed):
    return [*DRAWN, f"autoscheduler.random_dropout_seed={seed}"]


def predicted(pipeline, seed, threads):
    """What Adams2019 expects of that draw, in its milliseconds; None if it fails."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [BUILD / f"corpus/{pipeline}.generator", "-g", pipeline, "-o", scratch, "-f", "drawn", "-e", "schedule"]
        command += ["-p", plugin(), "target=host", "autoscheduler=Adams2019", f"autoscheduler.parallelism={threads}"]
        environment = {**os.environ, "HL_DEBUG_AUTOSCHEDULE": "1"}
        done = subprocess.run(
            [str(word) for word in (*command, *parameters(seed))], env=environment, capture_output=True, text=True
        )
    costs = re.findall(r"Best cost: (\S+)", done.stderr)
    return float(costs[-1]) if costs else None


def judge(pipeline, options):
    seeds = range(1, options.count + 1)
    costs = [predicted(pipeline, seed, options.threads) for seed in seeds]
    versions = ["expert"] + [":".join(["Adams2019", *parameters(seed)]) for seed in seeds]
    _, *measured = seconds_of(pipeline, versions, options, "--seconds", 0.3, "--passes", 2, "--rounds", 3)
    pairs = [pair for pair in zip(costs, measured, strict=True) if None not in pair]
    return quality([cost for cost, _ in pairs], [seconds for _, seconds in pairs], options.near)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pipelines", nargs="*", metavar="PIPELINE")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--near", type=float, default=4)
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "out/adams2019")
    options = parser.parse_args()
    print_table((name, judge(name, options)) for name in options.pipelines or PIPELINES)


if __name__ == "__main__":
    main()
