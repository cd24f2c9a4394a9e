#!/usr/bin/env python3
"""Is the learned correction of the cost model worth having? Judged on pipelines that it was not fitted to, and within one.

usage: judge_correction.py [--folder FOLDER] [--learn N] [--splits S] [OPTION=VALUE...] PIPELINE.examples...

The files are what `nestor examples` wrote (scripts/train_baseline makes them of data/). Two tables, of schedules within FACTOR
(default: 4) of the fastest: Spearman's rank correlation of predicted and measured times, and how much slower than the fastest
one the best of the first eighth by prediction is (regret); each by the analytic model and corrected.

1. Each pipeline by what was fitted to all others.
2. Each pipeline by what was fitted to N of its own schedules (default: 12) and judged on the others, as tuning does; the mean of
   S random splits (default: 20); with --from, on top of those weights.

OPTION=VALUE are options of `nestor train`: rounds=20.
"""

import argparse
import json
import math
import pathlib
import random
import statistics
import subprocess
import tempfile

from collect import BUILD
from model_error import rank_correlation


def train(files, tests, options):
    """[[(model, corrected, measured)]] of the tests."""
    words = [BUILD / "bin/nestor", "train", *files, *options]
    for test in tests:
        words += ["--test", test]
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def judge(times, near):
    """(rank, regret) by the model, and corrected."""
    fastest = min(measured for *_, measured in times)
    close = [row for row in times if row[2] <= near * fastest]
    result = []
    for by in (0, 1):
        rank = rank_correlation([row[by] for row in close], [row[2] for row in close])
        first = sorted(times, key=lambda row: row[by])[: max(1, len(times) // 8)]
        result.append((rank, min(row[2] for row in first) / fastest - 1))
    return result


def mean_of(results):
    """Over (rank, regret) by the model and corrected; ranks that are none apart."""
    means = []
    for by in (0, 1):
        ranks = [result[by][0] for result in results if not math.isnan(result[by][0])]
        means.append((statistics.mean(ranks) if ranks else math.nan, statistics.mean(result[by][1] for result in results)))
    return means


def leave_one_out(files, options):
    for file in files:
        (times,) = train([other for other in files if other != file], [file], options.train)
        yield file, len(times), judge(times, options.near)


def within_one(files, options, folder):
    for file in files:
        head, *lines = file.read_text().splitlines(keepends=True)
        # Too few are left to be ordered.
        if len(lines) < options.learn + 4:
            continue
        dice = random.Random(1)
        results = []
        for _ in range(options.splits):
            dice.shuffle(lines)
            learned, rest = folder / "learned", folder / "rest"
            learned.write_text(head + "".join(lines[: options.learn]))
            rest.write_text(head + "".join(lines[options.learn :]))
            (times,) = train([learned], [rest], options.train)
            results.append(judge(times, options.near))
        yield file, len(lines), mean_of(results)


def print_table(title, rows):
    print(f"\n{title}\n\n| pipeline | schedules | rank | corrected | regret of 1/8 | corrected |\n|---|---:|---:|---:|---:|---:|")
    rows = list(rows)
    for file, count, ((rank, regret), (new_rank, new_regret)) in rows:
        print(f"| {file.stem} | {count} | {rank:.2f} | {new_rank:.2f} | {regret:.1%} | {new_regret:.1%} |")
    (rank, regret), (new_rank, new_regret) = mean_of([result for *_, result in rows])
    print(f"| mean | | {rank:.3f} | {new_rank:.3f} | {regret:.1%} | {new_regret:.1%} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="+", metavar="FILE or OPTION=VALUE")
    parser.add_argument("--near", type=float, default=4)
    parser.add_argument("--learn", type=int, default=12)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--from", dest="prior")
    options = parser.parse_intermixed_args()
    files = [pathlib.Path(word) for word in options.words if "=" not in word]
    options.train = [f"--{word}" for word in options.words if "=" in word]
    if options.prior:
        options.train.append(f"--from={options.prior}")
    print_table("Fitted to all other pipelines:", leave_one_out(files, options))
    with tempfile.TemporaryDirectory() as folder:
        print_table(f"Fitted to {options.learn} of a pipeline's schedules:", within_one(files, options, pathlib.Path(folder)))


if __name__ == "__main__":
    main()
