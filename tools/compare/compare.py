#!/usr/bin/env python3
"""Compares schedulers on pipelines: schedules, compiles, verifies and times them against each other.

For each generator: (1) every version is scheduled and compiled under limits; (2) each runs once in a process of
its own, on a photograph, and its outputs are compared with those of the unscheduled version; (3) those that are
right are timed, interleaved, in one process. What fails or computes something else is listed as such and has no
time. All building is over before the first timing.

example: compare.py build/release/corpus/harris.generator --versions none,Nestor,Adams2019 --picture photo.jpg
"""

import argparse
import json
import os
import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import pictures
import report
import verify
from limited import run_limited
from versions import Limits, build_runtime, build_version, find_plugin, parse_versions

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Driver:
    """Calls compare_driver, which loads the compiled versions."""

    def __init__(self, program, runtime, folder, threads):
        self.program = program
        self.runtime = runtime
        self.folder = folder
        self.environment = {"HL_NUM_THREADS": str(threads)}

    def call(self, command, versions, seconds_limit, **job):
        """Returns (answer, ""), or (None, what failed)."""
        job["runtime"] = str(self.runtime)
        job["versions"] = [
            {"name": v.label, "library": str(v.library), "function": v.function} for v in versions
        ]
        file = self.folder / f"{command}.json"
        file.write_text(json.dumps(job, indent=1))
        done = run_limited([self.program, command, file], seconds_limit, environment=self.environment)
        return (None, done.failure) if done.failure else (json.loads(done.stdout), "")


class Comparison:
    """One pipeline's versions, step by step."""

    def __init__(self, generator, name, options):
        self.generator = generator
        self.name = name
        self.options = options
        self.folder = options.out / name
        self.versions = parse_versions(options.versions, options.greedy)
        self.wishes = {}
        self.driver = None
        self.inputs = {}
        self.reference = None
        wishes = options.inputs / name / "inputs.json"
        if wishes.exists():
            self.wishes = json.loads(wishes.read_text())

    @property
    def healthy(self):
        return [version for version in self.versions if not version.failure]

    def say(self, text):
        if not self.options.quiet:
            print(f"{self.name}: {text}", file=sys.stderr, flush=True)

    def build(self):
        options = self.options
        runtime = build_runtime(self.generator, self.folder, options.compiler)
        self.driver = Driver(options.driver, runtime, self.folder, options.threads)
        limits = Limits(options.time_limit, options.unscheduled_time_limit, int(options.memory_limit * 2**30))
        for version in self.versions:
            self.say(f"building {version.label}")
            plugin = find_plugin(version.scheduler, options.build, options.plugins)
            build_version(
                version,
                self.generator,
                self.name,
                self.folder,
                plugin,
                options.param,
                options.parallelism,
                limits,
                options.compiler,
            )
            if version.failure:
                self.say(f"{version.label} failed: {version.failure}")

    def make_inputs(self):
        """From what the first version that was built says about its arguments."""
        answer, failure = self.driver.call("describe", self.healthy[:1], 60, scalars=self.wishes.get("scalars", {}))
        if failure:
            raise RuntimeError(f"{self.name}: cannot read the arguments: {failure}")
        picture = pictures.load_picture(self.options.picture)
        for argument in answer["arguments"]:
            if argument["kind"] == "input":
                wish = self.wishes.get("inputs", {}).get(argument["name"], {})
                array = pictures.make_input(argument, picture, wish)
                path = self.folder / f"input_{argument['name']}.npy"
                numpy.save(path, numpy.ascontiguousarray(array))
                self.inputs[argument["name"]] = {"file": str(path), "minima": argument["minima"]}

    def verify(self):
        """Runs each version once; the first to finish (unscheduled, as a rule) is what the others must agree with."""
        for version in self.healthy:
            self.say(f"running {version.label}")
            outputs = version.folder / "outputs"
            outputs.mkdir(exist_ok=True)
            answer, failure = self.driver.call(
                "run",
                [version],
                self.options.slow,
                inputs=self.inputs,
                scalars=self.wishes.get("scalars", {}),
                outputs=str(outputs),
            )
            if failure:
                version.failure = f"running: {failure}"
                self.say(f"{version.label} failed: {version.failure}")
                continue
            version.run_seconds, version.run_peak_bytes = answer["seconds"], answer["peak_bytes"]
            if self.reference is None:
                self.reference = version
                version.verified = "reference"
            else:
                self.compare_outputs(version)

    def compare_outputs(self, version):
        for expected in sorted((self.reference.folder / "outputs").glob("*.npy")):
            wrong = verify.difference(
                numpy.load(expected),
                numpy.load(version.folder / "outputs" / expected.name),
                self.wishes.get("integer_slack", 0),
            )
            if wrong:
                version.failure = f"WRONG: {expected.stem}: {wrong}"
                self.say(f"{version.label} is {version.failure}")
                return
        reference = self.reference
        version.verified = "yes" if reference.scheduler == "none" else f"as {reference.label}"

    def show_schedule(self, label, lines):
        """The end of what a version's scheduler wrote: before it stands how functions are found."""
        for version in self.versions:
            if version.label == label and version.folder and version.schedule_file.exists():
                text = version.schedule_file.read_text().rstrip().splitlines()
                while text and (text[-1].strip() in ("", "}") or text[-1].startswith("#endif")):
                    del text[-1]
                print(f"\n{self.name}: the schedule of {label}, {version.schedule_file}:")
                if len(text) > lines:
                    print(f"    ... after {len(text) - lines} lines:")
                print("\n".join(f"    {line}" for line in text[-lines:]))
                sys.stdout.flush()

    def write_picture(self, label):
        """The outputs of one version as PNG; returns their paths."""
        written = []
        for version in self.versions:
            if version.label == label and version.run_seconds is not None:
                for array in sorted((version.folder / "outputs").glob("*.npy")):
                    path = self.folder / f"{version.slug}_{array.stem}.png"
                    if pictures.write_picture(numpy.load(array), path):
                        written.append(path)
        return written

    def time(self):
        healthy = self.healthy
        if not healthy:
            return
        self.say(f"timing {', '.join(version.label for version in healthy)}")
        answer, failure = self.driver.call(
            "time",
            healthy,
            self.options.seconds + 3 * sum(max(v.run_seconds, 1) for v in healthy) + 60,
            inputs=self.inputs,
            scalars=self.wishes.get("scalars", {}),
            seconds=self.options.seconds,
        )
        for i, version in enumerate(healthy):
            if failure:
                version.failure = f"timing: {failure}"
            else:
                version.timing = answer["versions"][i]


def plugin_pair(text):
    scheduler, _, path = text.partition("=")
    if not path:
        raise argparse.ArgumentTypeError(f"{text} is not SCHEDULER=FILE")
    return scheduler, path


def parse_options(words):
    cores = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("generators", nargs="+", type=pathlib.Path, help="generator executables, each named NAME.generator")
    add("--versions", default="none,Nestor,Adams2019,Mullapudi2016,Li2018",
        help="schedulers, each with parameters for the generator: NAME[:PARAM=VALUE]... (default %(default)s)")
    add("--greedy", action="store_true", help="also with a beam one wide, where there is a beam")
    add("--param", action="append", default=[], help="PARAM=VALUE for every version; repeatable")
    add("--picture", type=pathlib.Path, required=True, help="a photograph (JPEG, PNG...)")
    add("--inputs", type=pathlib.Path, default=ROOT / "corpus", help="folder with NAME/inputs.json")
    add("--build", type=pathlib.Path, default=ROOT / "build/release", help="where Nestor was built")
    add("--driver", type=pathlib.Path, help="compare_driver (default BUILD/tools/compare_driver)")
    add("--plugin", action="append", default=[], type=plugin_pair, metavar="SCHEDULER=FILE")
    add("--out", type=pathlib.Path, default=ROOT / "out/compare", help="folder for everything (default %(default)s)")
    add("--json", type=pathlib.Path, help="the results as JSON")
    add("--markdown", action="store_true", help="print one Markdown table instead of one plain table each")
    add("--png", metavar="VERSION", help="write the outputs of this version as PNG")
    add("--show-schedule", metavar="VERSION", help="print the end of this version's schedule")
    add("--require", metavar="VERSION", help="exit code 1 unless this version is right everywhere")
    add("--threads", type=int, default=cores, help="HL_NUM_THREADS (default %(default)s)")
    add("--parallelism", type=int, default=cores, help="autoscheduler.parallelism (default %(default)s)")
    add("--time-limit", type=float, default=300, help="seconds for one call of a generator (default %(default)s)")
    add("--unscheduled-time-limit", type=float, default=60, help="... without a scheduler (default %(default)s)")
    add("--memory-limit", type=float, default=6, help="GiB for one call of a generator (default %(default)s)")
    add("--slow", type=float, default=30, help="seconds after which a single run is given up (default %(default)s)")
    add("--seconds", type=float, default=20, help="of timing, for each pipeline (default %(default)s)")
    add("--compiler", default="c++", help="links the libraries (default %(default)s)")
    add("--quiet", action="store_true", help="no progress on stderr")
    options = parser.parse_args(words)
    options.driver = options.driver or options.build / "tools/compare_driver"
    options.plugins = dict(options.plugin)
    for file in [*options.generators, options.driver, options.picture]:
        if not file.exists():
            parser.error(f"{file} does not exist")
    return options


def main(words):
    options = parse_options(words)
    comparisons = [Comparison(file.resolve(), file.name.split(".")[0], options) for file in options.generators]
    for comparison in comparisons:
        comparison.build()
        if options.show_schedule:
            comparison.show_schedule(options.show_schedule, 40)
    for comparison in comparisons:
        if comparison.healthy:
            comparison.make_inputs()
            comparison.verify()
    for comparison in comparisons:
        comparison.time()
    results = [(comparison.name, comparison.versions) for comparison in comparisons]
    if options.markdown:
        print(report.as_markdown(results))
    for comparison in comparisons:
        if not options.markdown:
            print(f"\n{comparison.name}\n{report.as_text(comparison.versions)}")
        for path in comparison.write_picture(options.png) if options.png else []:
            print(f"picture of {options.png}: {path}")
    if options.json:
        settings = {"threads": options.threads, "parallelism": options.parallelism, "picture": str(options.picture)}
        options.json.write_text(json.dumps(report.as_json(results, settings), indent=1))
    if options.require:
        right = [any(v.label == options.require for v in comparison.healthy) for comparison in comparisons]
        return 0 if all(right) else 1
    # A wrong result or a failure is an answer, not an error of the comparison; nothing to compare is one.
    return 0 if any(comparison.healthy for comparison in comparisons) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
