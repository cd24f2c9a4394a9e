#!/usr/bin/env python3
"""Runs clang-tidy over the project's translation units, several at once, and remembers clean ones.

A unit that was clean is not looked at again until it, a header of the project that it includes
(however indirectly), its compile command, .clang-tidy, the requirements or clang-tidy itself changes:
build/lint-cache/ holds one empty file for each clean state.
"""

import argparse
import hashlib
import json
import re
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

from project_files import ROOT, files_of_project

CACHE = ROOT / "build" / "lint-cache"
DATABASE = ROOT / "build" / "lint"
TIDY = ROOT / ".venv" / "bin" / "clang-tidy"
KEEP_DAYS = 30
INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def without_precompiled_header(arguments):
    """The compile command as it would be without the precompiled header, which may not be built yet."""
    kept, position = [], 0
    while position < len(arguments):
        words = arguments[position : position + 4]
        if words[:1] == ["-Xclang"] and "cmake_pch" in words[3:4].__str__():
            position += 4
        elif words[0] in ("-Winvalid-pch", "-fpch-instantiate-templates", "-Werror"):
            position += 1
        elif words[0] == "-Xclang" and words[1:2] == ["-fno-pch-timestamp"]:
            position += 2
        else:
            kept.append(words[0])
            position += 1
    return kept


def read_units(build):
    """{source: (folder, arguments)} for every unit of the project in the build's compile commands."""
    ours = {ROOT / path for path in files_of_project(lambda path: path.suffix == ".cpp")}
    units = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = Path(entry["directory"], entry["file"]).resolve()
        if source in ours and source not in units:
            units[source] = (entry["directory"], without_precompiled_header(shlex.split(entry["command"])))
    return units


@lru_cache(maxsize=None)
def includes_of(path):
    """The project's own headers that a file names."""
    found = []
    for name in INCLUDE.findall(path.read_bytes()):
        name = name.decode()
        for base in (path.parent, ROOT / "src", ROOT / "include", ROOT / "tests", ROOT / "tools", ROOT):
            candidate = (base / name).resolve()
            if candidate.is_file():
                found.append(candidate)
                break
    return found


def closure_of(source):
    """A source and all of the project's headers that it reaches, sorted."""
    reached, waiting = set(), [source]
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached.add(path)
            waiting += includes_of(path)
    return sorted(reached)


@lru_cache(maxsize=None)
def digest_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def key_of(source, arguments, common):
    text = [common, " ".join(arguments)]
    text += [f"{path.relative_to(ROOT)} {digest_of(path)}" for path in closure_of(source)]
    return hashlib.sha256("\n".join(text).encode()).hexdigest()


def common_key():
    version = subprocess.run([TIDY, "--version"], capture_output=True, text=True, check=True).stdout
    files = files_of_project(lambda path: path.name == ".clang-tidy")
    files.append(Path("scripts/requirements.txt"))
    files.append(Path("scripts/requirements-check.txt"))
    return "\n".join([version, *(digest_of(ROOT / path) for path in files)])


def lint(source):
    """(seconds, clean, report) of one unit."""
    start = time.monotonic()
    answer = subprocess.run(
        [TIDY, "--quiet", "-p", str(DATABASE), str(source)], cwd=ROOT, capture_output=True, text=True
    )
    clean = answer.returncode == 0
    report = answer.stdout if clean or answer.stdout else answer.stderr
    return time.monotonic() - start, clean, report


def forget_old():
    limit = time.time() - KEEP_DAYS * 86400
    for path in CACHE.iterdir():
        if path.stat().st_mtime < limit:
            path.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "clang", help="a build by clang")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--times", action="store_true", help="print the seconds that each unit took")
    parser.add_argument("files", nargs="*", type=Path, help="look at these alone, remembered or not")
    arguments = parser.parse_args()

    units = read_units(arguments.build)
    CACHE.mkdir(parents=True, exist_ok=True)
    DATABASE.mkdir(parents=True, exist_ok=True)
    (DATABASE / "compile_commands.json").write_text(
        json.dumps(
            [
                {"directory": folder, "file": str(source), "arguments": command}
                for source, (folder, command) in units.items()
            ]
        )
    )
    common = common_key()
    keys = {source: CACHE / key_of(source, command, common) for source, (_, command) in units.items()}
    if arguments.files:
        waiting = [path.resolve() for path in arguments.files]
        if unknown := [str(path) for path in waiting if path not in units]:
            parser.error(f"not compiled in {arguments.build}: {', '.join(unknown)}")
    else:
        waiting = [source for source in units if not keys[source].exists()]
        for source in units.keys() - set(waiting):
            keys[source].touch()
    # The slow ones first, so that no core waits for one at the end.
    waiting.sort(key=lambda source: (b"Halide.h" not in source.read_bytes(), -source.stat().st_size))

    dirty = 0
    with ThreadPoolExecutor(max_workers=arguments.jobs) as pool:
        for source, (seconds, clean, report) in zip(waiting, pool.map(lint, waiting)):
            if clean:
                keys[source].touch()
            else:
                dirty += 1
                print(report, flush=True)
            if arguments.times:
                print(f"{seconds:6.1f} s  {source.relative_to(ROOT)}", flush=True)
    forget_old()
    print(f"lint: {len(units)} units, {len(waiting)} looked at, {dirty} with findings")
    return 1 if dirty else 0


if __name__ == "__main__":
    sys.exit(main())
