"""The programs under test, and how the tests run them.

ctest sets NESTOR_BUILD; NESTOR_BIN names another `nestor`.
"""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("NESTOR_BUILD", ROOT / "build/release")).absolute()
NESTOR = Path(os.environ.get("NESTOR_BIN", BUILD / "bin/nestor"))
# Two generators, `blur` and `total`.
TINY = BUILD / "tests/cli/tiny.generator"
PLUGIN = BUILD / "lib/libautoschedule_nestor.so"


def run(*command, **options):
    """A finished process, without the variables that Halide and Nestor read; keywords as subprocess.run's."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("HL_", "NESTOR_"))}
    clean.update(options.pop("env", {}))
    options = {"capture_output": True, "text": True, "timeout": 120, **options}
    return subprocess.run([str(word) for word in command], env=clean, **options)


def nestor(*arguments, **options):
    return run(NESTOR, *arguments, **options)


def succeed(*arguments, **options):
    """stdout of a `nestor` that must work."""
    answer = nestor(*arguments, **options)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout


def fail(*arguments, code=1, **options):
    """stderr of a `nestor` that must fail, with a message of its own and without a crash."""
    answer = nestor(*arguments, **options)
    assert answer.returncode == code, (answer.returncode, answer.stdout, answer.stderr)
    assert any(line.startswith("nestor: ") for line in answer.stderr.splitlines()), answer.stderr
    return answer.stderr


def names(folder):
    """Everything in a folder, hidden files too."""
    return sorted(path.name for path in Path(folder).iterdir())
