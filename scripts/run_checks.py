#!/usr/bin/env python3
"""Runs the suites of ./check, goes on past failures, and prints a table at the end.

A suite is a check of the whole tree (build, format, syntax, layers, lint), the ctest entries
with one label, or the Python tests. The entries of all suites run side by side, so that no core waits for
the last of one; its seconds in the table are those of its entries, shared out over the cores. The output of
each goes to build/check/<suite>.log, and its end to the screen if the suite fails.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

from project_files import ROOT, files_of_project, is_shell

RELEASE = ROOT / "build" / "release"
CLANG = ROOT / "build" / "clang"
LOGS = ROOT / "build" / "check"
CMAKE = ROOT / ".venv" / "bin" / "cmake"
CTEST = ROOT / ".venv" / "bin" / "ctest"
TAIL_LINES = 80
BUILD_STEP = re.compile(r"^\[\d+/\d+\] ")
TEST_ENDED = re.compile(r"^ *\d+/\d+ Test ")


@dataclass
class Outcome:
    """What a suite counted. Skipped tests are neither passed nor failed."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0


class Checks:
    """The suites, each a method or a ctest label; every one returns an Outcome."""

    def __init__(self, jobs):
        self.jobs = jobs
        self.configured = {}
        self.fixed = {
            "build": self.build,
            "format": self.format,
            "syntax": self.syntax,
            "layers": lambda log: self.command(log, [sys.executable, "scripts/check_layers.py"]),
            "lint": self.lint,
        }

    # 1. What there is to run.

    def names(self):
        """Every suite, in order. Configures the release build, which knows the ctest labels."""
        names = [*self.fixed, *self.labels()]
        if (ROOT / "tests" / "python").is_dir():
            names.append("python")
        return names

    def labels(self):
        """Of ctest's entries, in order: whether they run alone."""
        with open(os.devnull, "w") as log:
            if not (RELEASE / "CTestTestfile.cmake").exists():
                self.configure(log, "release")
        answer = subprocess.run(
            [CTEST, "--test-dir", RELEASE, "--show-only=json-v1"], capture_output=True, text=True
        )
        if answer.returncode != 0:
            return {}
        labels = {}
        for test in json.loads(answer.stdout)["tests"]:
            properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
            for label in properties.get("LABELS", []):
                labels[label] = labels.get(label, False) or properties.get("RUN_SERIAL", False)
        return labels

    def is_of_ctest(self, name):
        return name not in self.fixed and name != "python"

    def run(self, name, log):
        return self.fixed[name](log) if name in self.fixed else self.python(log)

    # 2. Checks of the whole tree.

    def command(self, log, command):
        """One command, counted as one test."""
        ok = self.succeeds(log, command)
        return Outcome(passed=int(ok), failed=int(not ok))

    def succeeds(self, log, command):
        command = [str(word) for word in command]
        log.write("$ " + " ".join(command) + "\n")
        log.flush()
        return subprocess.run(command, cwd=ROOT, stdout=log, stderr=log).returncode == 0

    def configure(self, log, preset):
        if preset not in self.configured:
            self.configured[preset] = self.succeeds(log, [CMAKE, "--preset", preset])
        return self.configured[preset]

    def build(self, log):
        targets = ["all"]
        if (ROOT / "corpus" / "CMakeLists.txt").exists():
            targets.append("corpus")
        # "-k 0": what can be built is, and its tests run, whatever else fails.
        command = [CMAKE, "--build", "--preset", "release", "--parallel", self.jobs]
        ok = self.configure(log, "release") and self.succeeds(
            log, [*command, "--target", *targets, "--", "-k", "0"]
        )
        return Outcome(passed=int(ok), failed=int(not ok))

    def format(self, log):
        files = files_of_project(lambda path: path.suffix in (".h", ".cpp"))
        command = ["clang-format-19", "--dry-run", "-Werror", *map(str, files)]
        answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if not files or answer.returncode == 0:
            return Outcome(passed=1)
        # One line a file: scripts/format mends it, whatever the places.
        places = [line.split(":")[0] for line in answer.stderr.splitlines() if "error: code" in line]
        log.write("not formatted (scripts/format does it):\n")
        log.write("".join(f"  {path}\n" for path in dict.fromkeys(places)) or answer.stderr)
        return Outcome(failed=1)

    def syntax(self, log):
        outcome = Outcome()
        for path in files_of_project(lambda path: path.suffix == ".py" or is_shell(path)):
            if path.suffix == ".py":
                ok = self.compiles(log, path)
            else:
                ok = self.succeeds(log, ["bash", "-n", path])
            outcome.passed += ok
            outcome.failed += not ok
        return outcome

    def compiles(self, log, path):
        try:
            compile((ROOT / path).read_text(), str(path), "exec")
        except SyntaxError as error:
            log.write(f"{path}:{error.lineno}: {error.msg}\n")
            return False
        return True

    def lint(self, log):
        if not self.configure(log, "clang"):
            return Outcome(failed=1)
        return self.command(
            log, [sys.executable, "scripts/lint.py", "--build", CLANG, "--jobs", self.jobs]
        )

    # 3. Tests.

    def ctest(self, labels):
        """The entries of these suites, side by side as far as they may be; an Outcome for each suite."""
        for label in labels:
            results = RELEASE / "test-results" / label
            results.mkdir(parents=True, exist_ok=True)
            for old in results.glob("*.xml"):
                old.unlink()
        summary = RELEASE / "test-results" / "ctest.xml"
        summary.unlink(missing_ok=True)
        self.run_entries(labels, summary)
        alone = self.labels()
        outcomes = {label: Outcome() for label in labels}
        logs = {label: [] for label in labels}
        entries = ElementTree.parse(summary).iter("testcase") if summary.exists() else []
        for entry in entries:
            name = entry.get("name")
            label = name.split(".")[0]
            details = RELEASE / "test-results" / label / f"{name}.xml"
            seconds = float(entry.get("time") or 0)
            self.count_entry(outcomes[label], entry, details)
            outcomes[label].seconds += seconds / (1 if alone[label] else self.jobs)
            logs[label] += [f"{name}: {entry.get('status')}, {seconds:.1f} s", entry.findtext("system-out") or ""]
        for label in labels:
            if not logs[label]:
                outcomes[label].failed += 1
                logs[label] = [f"no entry has ended: see {LOGS / 'ctest.log'}"]
            (LOGS / f"{label}.log").write_text("\n".join(logs[label]))
        return outcomes

    def run_entries(self, labels, summary):
        command = [CTEST, "--test-dir", RELEASE, "--label-regex", f"^({'|'.join(labels)})$"]
        command += ["--no-tests=error", "--parallel", self.jobs, "--output-junit", summary]
        with open(LOGS / "ctest.log", "w") as log:
            child = subprocess.Popen(
                [str(word) for word in command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
            for line in child.stdout:
                log.write(line)
                if TEST_ENDED.match(line):
                    print(line.rstrip(), flush=True)
            child.wait()

    def count_entry(self, outcome, entry, details):
        """Counts an entry's own tests if it wrote `details`, and itself if it did not or crashed."""
        status, skipped = entry.get("status"), entry.find("skipped")
        if status == "notrun":
            # On purpose, or because its program could not be built.
            on_purpose = skipped is not None and skipped.get("message", "").startswith("SKIP_")
            outcome.skipped += on_purpose
            outcome.failed += not on_purpose
        elif status == "disabled":
            outcome.skipped += 1
        elif not details.exists():
            outcome.passed += status == "run"
            outcome.failed += status != "run"
        else:
            failed_before = outcome.failed
            count_testcases(outcome, details)
            if status != "run" and outcome.failed == failed_before:
                outcome.failed += 1

    def python(self, log):
        results = ROOT / "build" / "check" / "python.xml"
        results.unlink(missing_ok=True)
        ok = self.succeeds(
            log, [sys.executable, "-m", "pytest", "-q", "tests/python", f"--junit-xml={results}"]
        )
        outcome = Outcome()
        if results.exists():
            count_testcases(outcome, results)
        if not ok and outcome.failed == 0:
            outcome.failed = 1
        return outcome


def count_testcases(outcome, path):
    """Adds the tests of a JUnit file, as GoogleTest and pytest write them."""
    try:
        cases = list(ElementTree.parse(path).iter("testcase"))
    except ElementTree.ParseError:
        outcome.failed += 1
        return
    for case in cases:
        if case.find("failure") is not None or case.find("error") is not None:
            outcome.failed += 1
        elif case.get("status") == "notrun" or case.find("skipped") is not None:
            outcome.skipped += 1
        else:
            outcome.passed += 1


def read_budgets():
    budgets = {}
    for line in (ROOT / "tests" / "budgets.txt").read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            budgets[words[0]] = float(words[1])
    return budgets


def without_successes(lines):
    """Of a build's log, what failed; other logs as they are."""
    if not any(line.startswith("FAILED: ") for line in lines):
        return lines
    kept, inside, is_command = [], False, False
    for line in lines:
        # Ninja prints the command, a long line, after the name of what failed.
        is_command = bool(kept) and inside and kept[-1].startswith("FAILED: ") and not is_command
        if line.startswith("FAILED: "):
            inside, is_command = True, False
        elif BUILD_STEP.match(line):
            inside = False
        if inside and not is_command:
            kept.append(line)
    return kept


def print_end(path):
    lines = without_successes(path.read_text(errors="replace").splitlines())
    if len(lines) > TAIL_LINES:
        print(f"    ... {len(lines) - TAIL_LINES} lines more in {path.relative_to(ROOT)}")
    for line in lines[-TAIL_LINES:]:
        print(f"    {line}")


def print_table(outcomes, budgets, seconds):
    print(f"\n{'suite':<14}{'seconds':>9}{'budget':>9}{'passed':>9}{'failed':>9}  mark")
    rows = dict(outcomes)
    rows["total"] = Outcome(
        *(sum(getattr(o, field) for o in outcomes.values()) for field in Outcome.__dataclass_fields__)
    )
    rows["total"].seconds = seconds  # by the clock
    for name, outcome in rows.items():
        budget = budgets.get(name)
        marks = []
        if outcome.failed:
            marks.append("FAILED")
        if budget is None:
            marks.append("no budget")
        elif outcome.seconds > budget:
            marks.append("OVER")
        if outcome.skipped:
            marks.append(f"{outcome.skipped} skipped")
        shown = "-" if budget is None else f"{budget:.0f}"
        print(
            f"{name:<14}{outcome.seconds:>9.1f}{shown:>9}{outcome.passed:>9}{outcome.failed:>9}"
            f"  {', '.join(marks)}".rstrip()
        )
    return rows["total"]


def main():
    parser = argparse.ArgumentParser(prog="./check", description="Runs every check and test.")
    parser.add_argument("--only", metavar="SUITE[,SUITE...]", help="run these suites alone")
    parser.add_argument("--list", action="store_true", help="name the suites and stop")
    parser.add_argument("--setup-seconds", type=float, default=0.0, help=argparse.SUPPRESS)
    parser.add_argument(
        "--jobs",
        type=int,
        default=int(os.environ.get("NESTOR_JOBS", 0)) or len(os.sched_getaffinity(0)),
        help="processes at once (default: NESTOR_JOBS, or all cores)",
    )
    arguments = parser.parse_args()

    LOGS.mkdir(parents=True, exist_ok=True)
    checks = Checks(arguments.jobs)
    names = checks.names()
    if arguments.list:
        print("\n".join(names))
        return 0
    if arguments.only:
        wanted = arguments.only.split(",")
        if unknown := [name for name in wanted if name not in names]:
            print(f"./check: no suite {', '.join(unknown)}; see ./check --list", file=sys.stderr)
            return 2
        names = [name for name in names if name in wanted]
        if any(name not in checks.fixed for name in names) and "build" not in names:
            names.insert(0, "build")

    outcomes = {"setup": Outcome(passed=1, seconds=arguments.setup_seconds)}

    def tell(name, outcome):
        outcomes[name] = outcome
        word = "FAILED" if outcome.failed else "ok"
        print(f"{name}: {word} ({outcome.seconds:.1f} s)", flush=True)
        if outcome.failed:
            print_end(LOGS / f"{name}.log")

    def run_alone(name):
        start = time.monotonic()
        with open(LOGS / f"{name}.log", "w") as log:
            outcome = checks.run(name, log)
        outcome.seconds = time.monotonic() - start
        tell(name, outcome)

    begin = time.monotonic()
    for name in names:
        if name in checks.fixed:
            run_alone(name)
    if not arguments.only:
        names = checks.names()  # the build may have found new test folders
    if labels := [name for name in names if checks.is_of_ctest(name)]:
        for name, outcome in checks.ctest(labels).items():
            tell(name, outcome)
    if "python" in names:
        run_alone("python")
    seconds = arguments.setup_seconds + time.monotonic() - begin
    total = print_table(outcomes, read_budgets(), seconds)
    print(f"{total.passed} passed, {total.failed} failed")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
