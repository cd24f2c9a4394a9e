#!/usr/bin/env python3
"""Runs clang-tidy over the project's translation units, several at once, and remembers clean ones.

A unit is what the build compiles at once: a source, or several that CMake put together (NESTOR_UNITY);
of the corpus, several generators.
One that was clean is not looked at again until a source of it, a header of the project that it includes
(however indirectly), its compile command, .clang-tidy, the requirements or clang-tidy itself changes:
build/lint-cache/ holds one empty file for each clean state.
"""

import argparse
import hashlib
import json
import re
import shlex
import shutil
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
TOGETHER = 10  # generators of the corpus in a unit
INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def without_precompiled_header(arguments):
    """The compile command as it would be without the precompiled header, which may not be built yet."""
    kept, position = [], 0
    while position < len(arguments):
        words = arguments[position : position + 4]
        if words[:2] == ["-Xclang", "-include-pch"]:
            position += 4  # its text is included after it, by -include
        elif words[0] in ("-Winvalid-pch", "-fpch-instantiate-templates", "-Werror"):
            position += 1
        elif words[0] == "-Xclang" and words[1:2] == ["-fno-pch-timestamp"]:
            position += 2
        else:
            kept.append(words[0])
            position += 1
    return kept


def settings_files():
    return files_of_project(lambda path: path.name == ".clang-tidy")


def laid_beside(sources, name):
    """A copy of CMake's unit in a folder that has the settings of the sources': clang-tidy takes a unit's
    settings from where it lies."""
    folder = DATABASE / sources[0].parent.relative_to(ROOT)
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / f"{name}.cpp"
    mark = "  // NOLINT(bugprone-suspicious-include)"
    copy.write_text("".join(f'#include "{source}"{mark}\n' for source in sources))
    return copy


def read_units(build):
    """{unit: (folder, arguments)} for every unit of the project in the build's compile commands."""
    ours = {ROOT / path for path in files_of_project(lambda path: path.suffix == ".cpp")}
    shutil.rmtree(DATABASE, ignore_errors=True)
    for path in settings_files():
        (DATABASE / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, DATABASE / path)
    units = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        unit = Path(entry["directory"], entry["file"]).resolve()
        words = without_precompiled_header(shlex.split(entry["command"]))
        if unit.parent.name == "Unity":
            sources = [path for path in includes_of(unit) if path in ours]
            if not sources:
                continue
            whole = sources[0] if len(sources) == 1 else laid_beside(sources, f"{unit.parent.parent.stem}_{unit.stem}")
            words = [str(whole) if word == str(unit) else word for word in words]
            unit = whole
        elif unit not in ours:
            continue
        units.setdefault(unit, (entry["directory"], words))
    return with_corpus_together(units)


def with_corpus_together(units):
    """The corpus' generators are programs of a source each, which would all read Halide.h again."""
    corpus = sorted(path for path in units if ROOT / "corpus" in path.parents)
    together = {path: unit for path, unit in units.items() if path not in corpus}
    for first in range(0, len(corpus), TOGETHER):
        sources = corpus[first : first + TOGETHER]
        folder, words = units[sources[0]]
        whole = laid_beside(sources, f"generators_{first}")
        together[whole] = (folder, [str(whole) if word == str(sources[0]) else word for word in words])
    return together


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
    files = [*settings_files(), Path("scripts/requirements.txt"), Path("scripts/requirements-check.txt")]
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
    parser.add_argument(
        "files", nargs="*", type=Path, help="look at the units of these alone, remembered or not"
    )
    arguments = parser.parse_args()

    units = read_units(arguments.build)
    CACHE.mkdir(parents=True, exist_ok=True)
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
        unit_of = {path: source for source in units for path in (source, *includes_of(source))}
        wanted = [path.resolve() for path in arguments.files]
        if unknown := [str(path) for path in wanted if path not in unit_of]:
            parser.error(f"not compiled in {arguments.build}: {', '.join(unknown)}")
        waiting = list(dict.fromkeys(unit_of[path] for path in wanted))
    else:
        waiting = [source for source in units if not keys[source].exists()]
        for source in units.keys() - set(waiting):
            keys[source].touch()
    # The slow ones first, so that no core waits for one at the end.
    waiting.sort(key=lambda source: -sum(path.stat().st_size for path in closure_of(source)))

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
