#!/usr/bin/env python3
"""How well predicted times order measured ones: by pipeline, and by cost term.

usage: model_error.py [--data FOLDER] [--near FACTOR] [PIPELINE...]

Of each PIPELINE, by default every one of FOLDER/PIPELINE.jsonl.gz (default: data/zen_4; see scripts/collect.py).

Columns: schedules; Spearman's rank correlation of predicted and measured time, of all and of those within FACTOR (default: 4)
of the fastest; the share of pairs that differ by more than 10 % and are ordered wrongly; how much slower than the fastest
measured one the first, and the best of the first eight, by prediction are (regret); the median of predicted / measured; and
the terms whose share of the prediction goes with its error (correlation of the share with log(predicted / measured) beyond
0.3).
"""

import argparse
import itertools
import json
import math
import pathlib
import statistics
import subprocess
import tempfile

from collect import BUILD, DATA, read, source


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    for _, group in itertools.groupby(enumerate(order), key=lambda pair: values[pair[1]]):
        group = list(group)
        for _, i in group:
            result[i] = statistics.mean(position for position, _ in group)
    return result


def correlation(xs, ys):
    if len(xs) < 3 or len(set(xs)) == 1 or len(set(ys)) == 1:
        return math.nan
    return statistics.correlation(xs, ys)


def rank_correlation(xs, ys):
    return correlation(ranks(xs), ranks(ys))


def wrong_pairs(predicted, measured):
    wrong = pairs = 0
    for (p, m), (q, n) in itertools.combinations(zip(predicted, measured, strict=True), 2):
        if max(m, n) > 1.1 * min(m, n):
            pairs += 1
            wrong += (p < q) != (m < n)
    return wrong / pairs if pairs else math.nan


def predictions(pipeline, rows, options=()):
    """Seconds by term of each row's schedule, None if a rule that is newer than the row refuses it. `options` of `nestor predict`."""
    with tempfile.TemporaryDirectory() as scratch:
        words = []
        for i, row in enumerate(rows):
            file = pathlib.Path(scratch, f"{i}.json")
            file.write_text(json.dumps(row["schedule"]))
            words += ["--schedule", file]
        command = [BUILD / "bin/nestor", "predict", *source(pipeline, scratch), "--json", *options]
        parallelism = f"autoscheduler.parallelism={rows[0]['threads']}"
        done = subprocess.run([str(w) for w in (*command, parallelism, *words)], stdout=subprocess.PIPE, text=True, check=True)
    return [answer.get("seconds") for answer in json.loads(done.stdout)]


def names_of_data(data):
    return sorted(path.name.split(".")[0] for path in data.glob("*.jsonl.gz"))


def predicted_and_measured(pipeline, data, options=()):
    """Of the schedules that were timed and are legal: seconds by term, and seconds."""
    rows = [row for row in read(data / f"{pipeline}.jsonl.gz") if row["outcome"] == "timed"]
    pairs = [(cost, row["seconds"]) for cost, row in zip(predictions(pipeline, rows, options), rows, strict=True) if cost]
    return [cost for cost, _ in pairs], [seconds for _, seconds in pairs]


def rank_near_the_best(predicted, measured, near=4):
    """Of those within so many times of the fastest; and how many these are."""
    close = [i for i, m in enumerate(measured) if m <= near * min(measured)]
    return rank_correlation([predicted[i] for i in close], [measured[i] for i in close]), len(close)


def quality(predicted, measured, near):
    """The columns that need nothing but the order of the predictions."""
    best = min(measured)
    rank, count = rank_near_the_best(predicted, measured, near)
    order = sorted(range(len(measured)), key=predicted.__getitem__)
    return {
        "schedules": str(len(measured)),
        "rank": f"{rank_correlation(predicted, measured):.2f}",
        f"within {near:g}x": f"{rank:.2f} ({count})",
        "wrong pairs": f"{wrong_pairs(predicted, measured):.2f}",
        "regret": f"{measured[order[0]] / best - 1:.0%}",
        "of 8": f"{min(measured[i] for i in order[:8]) / best - 1:.0%}",
    }


def judge(pipeline, near, data):
    costs, measured = predicted_and_measured(pipeline, data)
    predicted = [cost["total"] for cost in costs]
    errors = [math.log(p / m) for p, m in zip(predicted, measured, strict=True)]
    guilty = []
    for term in costs[0]:
        shares = [cost[term] / cost["total"] for cost in costs]
        r = correlation(shares, errors) if term != "total" else 0
        if abs(r) > 0.3:
            guilty.append((-abs(r), f"{term} {r:+.2f}"))
    return quality(predicted, measured, near) | {
        "bias": f"{math.exp(statistics.median(errors)):.2f}",
        "terms": ", ".join(text for _, text in sorted(guilty)),
    }


def print_table(rows):
    """Names with columns, each line as soon as it is known."""
    for i, (name, row) in enumerate(rows):
        if i == 0:
            print("| pipeline | " + " | ".join(row) + " |\n|---|" + "".join("---|" if column == "terms" else "---:|" for column in row))
        print(f"| {name} | " + " | ".join(row.values()) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pipelines", nargs="*", metavar="PIPELINE")
    parser.add_argument("--data", type=pathlib.Path, default=DATA, metavar="FOLDER")
    parser.add_argument("--near", type=float, default=4)
    options = parser.parse_args()
    names = options.pipelines or names_of_data(options.data)
    print_table((name, judge(name, options.near, options.data)) for name in names)


if __name__ == "__main__":
    main()
