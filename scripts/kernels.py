"""Called by scripts/kernels: the cases of corpus/kernels.json beside the libraries.

A case has a pipeline, parameters of its generator, what it computes or moves at least as a formula of these (`flops`,
with a multiplication and an addition of integers as two, or `bytes`), and which figure of the probe limits it (`peak`).
A library and the pipeline take turns, as in scripts/yardsticks.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROUNDS = 3
SECONDS = 0.5  # of the library, and of each version, in a round

# Operations of one 64-byte instruction, the row of the machine file with its cycles, and the type that it works on.
ARITHMETIC = {
    "float32": (32, "multiply_add.float32"),
    "float64": (16, "multiply_add.float64"),
    "int8": (128, "dot_product.int8"),
    "int16": (64, "dot_product.int16"),
}


@dataclass
class Case:
    name: str
    pipeline: str
    parameters: dict
    peak: str
    flops: str = ""
    bytes: str = ""

    @property
    def work(self):
        """Operations or bytes."""
        return eval(self.flops or self.bytes, {"__builtins__": {}}, self.parameters)

    @property
    def unit(self):
        return "GFLOP/s" if self.flops else "GB/s"

    def words(self):
        """For the generator's command line."""
        for key, value in self.parameters.items():
            yield from ("-p", f"{key}={str(value).lower() if isinstance(value, bool) else value}")


def load_cases(wanted):
    cases = [Case(**row) for row in json.loads((ROOT / "corpus" / "kernels.json").read_text())]
    names = [case.name for case in cases]

    def is_wanted(name):
        return any(word == name or (word in name and word not in names) for word in wanted)

    return [case for case in cases if not wanted or is_wanted(case.name)]


def peaks(machine, threads):
    """What the probe found for so many threads, per second: operations by type, bytes read from memory."""
    rows = {row[0]: row[1] for row in json.loads(machine.read_text())["quantities"]}
    threads = min(threads, int(rows["cores"]))
    vectors = rows["clock"] * threads
    found = {"memory": rows["dram.all.read" if threads == rows["cores"] else f"dram.{threads}.read"]}
    for name, (operations, row) in ARITHMETIC.items():
        found[name] = operations * vectors / rows[f"operation.{row}.64.cycles"]
    return found


def pipeline_seconds(options, case):
    """Samples by version, or the text of what failed."""
    folder = options.out / f"{options.threads}_threads" / re.sub(r"\W+", "_", case.name)
    folder.mkdir(parents=True, exist_ok=True)
    seconds = SECONDS * len(options.versions.split(","))
    subprocess.run(
        [
            *[options.build / "bin/nestor", "bench", options.build / f"corpus/{case.pipeline}.generator", "--quiet"],
            *["--versions", options.versions, "--inputs", ROOT / "corpus", "--folder", folder / "built", "--reuse"],
            *["--threads", str(options.threads), "--parallelism", str(options.threads)],
            *["--passes", "1", "--rounds", "20", "--seconds", str(seconds), "--json", folder / "board.json"],
            *case.words(),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    (board,) = json.loads((folder / "board.json").read_text())["pipelines"]
    return {row["label"]: row["failure"] or row["samples"] for row in board["versions"]}


def row_of(case, options, peak):
    """The table's row of a case, from turns."""
    import cv2
    import numpy
    import yardsticks

    cv2.setNumThreads(options.threads)
    samples = {}
    try:
        library, work = yardsticks.load(case.pipeline).run(numpy, cv2, case.parameters)
    except (ImportError, OSError) as error:
        library, work = f"not there: {error}", None
    for _ in range(ROUNDS):
        if work:
            samples.setdefault("library", []).extend(yardsticks.yardstick_seconds(work, SECONDS))
        for version, taken in pipeline_seconds(options, case).items():
            if isinstance(taken, str):
                samples[version] = taken
            else:
                samples.setdefault(version, []).extend(taken)

    milliseconds, rates, shares = [], [], []
    for key in [*options.versions.split(","), "library"]:
        taken = samples.get(key, "-")
        if isinstance(taken, str) or not taken:
            milliseconds.append(taken or "-")
            rates.append("-")
            shares.append("-")
            continue
        seconds = statistics.median(taken)
        milliseconds.append(f"{seconds * 1e3:.3g}")
        rates.append(f"{case.work / seconds / 1e9:.3g}")
        shares.append(f"{case.work / seconds / peak:.2f}")
    milliseconds.insert(-1, library)
    cells = [case.name, *milliseconds, f"{' / '.join(rates)} {case.unit}", " / ".join(shares)]
    return f"| {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print the cases")
    parser.add_argument("--pipelines", action="store_true", help="print the pipelines of the cases")
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--versions", default="expert,Nestor")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    # Read by the libraries when they are loaded.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = str(options.threads)
    cases = load_cases(options.cases)
    if options.list or options.pipelines:
        print("\n".join(dict.fromkeys(case.name if options.list else case.pipeline for case in cases)))
        return

    limits = peaks(options.out / "machine.json", options.threads)
    versions = options.versions.split(",")
    print(f"Peaks of {options.threads} threads together, by nestor probe: ", end="")
    print(", ".join(f"{name} {limit / 1e9:.0f} {'GB/s' if name == 'memory' else 'GOP/s'}" for name, limit in limits.items()))
    print()
    all_of_them = " / ".join([*versions, "library"])
    print(f"| case | {' ms | '.join(versions)} ms | library | its ms | rate: {all_of_them} | share of peak |")
    print(f"|---|{'---:|' * len(versions)}---|---:|---:|---:|")
    for case in cases:
        print(row_of(case, options, limits[case.peak]), flush=True)


if __name__ == "__main__":
    main()
