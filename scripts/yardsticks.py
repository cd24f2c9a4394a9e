"""Called by scripts/yardsticks: BUILD OUT PIPELINE...

A yardstick and the expert cannot run in one process (both keep pools of threads that spin); they take turns instead:
each of some rounds times the one for a second and then the other.
"""

import importlib.util
import json
import pathlib
import statistics
import subprocess
import sys
import time

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[1]
YARDSTICKS = ROOT / "corpus" / "yardsticks"
ROUNDS = 3

# What several yardsticks share.
sys.path.insert(0, str(YARDSTICKS / "support"))


def load(name):
    """The module whose `run(numpy, cv2)` returns the library's name and a function that does the work once. Those of
    pipelines in corpus/kernels.json take the generator's parameters, too, as a dictionary."""
    spec = importlib.util.spec_from_file_location(name, YARDSTICKS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def yardstick_seconds(work, seconds=1.0, least=3):
    """Samples of single calls."""
    work()
    samples, start = [], time.perf_counter()
    while time.perf_counter() - start < seconds or len(samples) < least:
        before = time.perf_counter()
        work()
        samples.append(time.perf_counter() - before)
    return samples


def expert_seconds(build, out, name):
    board = out / f"{name}.json"
    subprocess.run(
        [
            *[build / "bin/nestor", "bench", build / f"corpus/{name}.generator", "--versions", "expert", "--quiet"],
            *["--inputs", ROOT / "corpus", "--inputs", out / "inputs", "--folder", out / "built", "--reuse"],
            *["--seconds", "1", "--json", board],
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    (pipeline,) = json.loads(board.read_text())["pipelines"]
    return pipeline["versions"][0]["samples"]


def main():
    build, out = (pathlib.Path(word) for word in sys.argv[1:3])
    import cv2

    print("| pipeline | expert ms | yardstick | its ms | expert's speed, yardstick = 1 |")
    print("|---|---:|---|---:|---:|")
    for name in sys.argv[3:]:
        try:
            label, work = load(name).run(numpy, cv2)
        except (ImportError, OSError) as error:
            print(f"| {name} | - | not there: {error} | - | - |", flush=True)
            continue
        theirs, ours = [], []
        for _ in range(ROUNDS):
            theirs += yardstick_seconds(work)
            ours += expert_seconds(build, out, name)
        yardstick, expert = statistics.median(theirs) * 1e3, statistics.median(ours) * 1e3
        print(f"| {name} | {expert:.3g} | {label} | {yardstick:.3g} | {yardstick / expert:.2f} |", flush=True)


if __name__ == "__main__":
    main()
