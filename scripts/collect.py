#!/usr/bin/env python3
"""The data that the cost model is judged by: random legal schedules of pipelines, measured.

usage: collect.py [--data FOLDER] [--count N] [--frontier F] [--seed S] [--threads T] [--seconds S] [PIPELINE...]

For each PIPELINE (a folder of corpus/, or random_SEED for one of the fuzzer's, as large as a picture; default: those of PIPELINES below) F
schedules (default: 25) of those that the search looks at and N random ones (default: 200) are drawn (`nestor sample`), built, checked and timed (`nestor measure`), and appended to
FOLDER/PIPELINE.jsonl.gz (default: data/zen_4; one folder for each machine), a line each:
{"schedule", "outcome", "seconds", "uncertainty", "drift", "threads"}. What is there already is not measured again, so that
an interrupted run goes on, also with another state of the search, which draws others: until there are N + F. About a minute for 50 schedules; nothing else may run meanwhile. NESTOR_BUILD names another build
folder than build/release.
"""

import argparse
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / os.environ.get("NESTOR_BUILD", "build/release")
# Of different kinds: stencils, pyramids, chains, gathers, narrow integers, channels, reductions.
PIPELINES = (
    "harris", "unsharp", "gaussian_blur", "camera_pipe", "interpolate", "wavelet", "warp", "resample",
    "fixed_filters", "optical_flow", "upsample_interleaved", "depthwise_conv",
)  # fmt: skip
# The first twelve of six functions or more that take from 0.2 to 20 ms (predicted, as Nestor schedules them).
RANDOM = tuple(f"random_{seed}" for seed in (2, 3, 6, 7, 8, 13, 14, 16, 17, 21, 22, 26))
BATCH = 25
DATA = ROOT / "data/zen_4"


def source(pipeline, scratch):
    """What `nestor` takes as the pipeline."""
    if not pipeline.startswith("random_"):
        return [BUILD / f"corpus/{pipeline}.generator", "-g", pipeline]
    saved = pathlib.Path(scratch, pipeline + ".hlpipe")
    seed = pipeline.removeprefix("random_")
    subprocess.run([BUILD / "tools/fuzz/fuzz", "--seed", seed, "--pictures", "--save", saved], check=True)
    return [saved]


def read(path):
    if not path.exists():
        return []
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row, separators=(",", ":"), sort_keys=True) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def text_of(schedule):
    """The same for equal schedules."""
    return json.dumps(schedule, sort_keys=True)


def nestor(*words):
    done = subprocess.run([str(word) for word in (BUILD / "bin/nestor", *words)], stdout=subprocess.PIPE, text=True)
    return done.stdout


def collect(pipeline, options, folder):
    program = source(pipeline, folder)
    parallelism = f"autoscheduler.parallelism={options.threads}"
    drawn = folder / "drawn"
    nestor("sample", *program, parallelism, "--frontier", options.frontier, "--count", options.count, "--seed", options.seed, "-o", drawn)
    path = options.data / f"{pipeline}.jsonl.gz"
    rows = read(path)
    known = {text_of(row["schedule"]) for row in rows if row["threads"] == options.threads}
    files = sorted(drawn.glob("*.json"), key=lambda file: int(file.stem))
    missing = [f for f in files if text_of(json.loads(f.read_text())) not in known]
    missing = missing[: max(0, options.count + options.frontier - len(known))]
    for begin in range(0, len(missing), BATCH):
        batch = missing[begin : begin + BATCH]
        schedules = [word for file in batch for word in ("--schedule", file)]
        answer = nestor(
            "measure", *program, "--threads", options.threads, "--timing-seconds", options.seconds, "--precision", 0.02, "--json", *schedules
        )
        for file, result in zip(batch, json.loads(answer), strict=True):
            row = {key: result.get(key) for key in ("outcome", "seconds", "uncertainty", "drift")}
            rows.append({"schedule": json.loads(file.read_text()), "threads": options.threads, **row})
        write(path, rows)
        print(f"{pipeline}: {len(rows)} schedules in {path}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pipelines", nargs="*", metavar="PIPELINE", default=PIPELINES + RANDOM)
    parser.add_argument("--data", type=pathlib.Path, default=DATA, metavar="FOLDER")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--frontier", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1, help="of timing, at most, for each schedule")
    options = parser.parse_args()
    for pipeline in options.pipelines:
        with tempfile.TemporaryDirectory() as scratch:
            collect(pipeline, options, pathlib.Path(scratch))


if __name__ == "__main__":
    main()
