import json
import os
import subprocess
from pathlib import Path

import pytest
from browser import Browser

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("NESTOR_BUILD", ROOT / "build/release")).absolute()
NESTOR = BUILD / "bin/nestor"
# Its generator `blur` is what is tuned.
TINY = BUILD / "tests/cli/tiny.generator"


def run(*arguments):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("HL_", "NESTOR_"))}
    command = [str(word) for word in (NESTOR, *arguments)]
    return subprocess.run(command, env=clean, capture_output=True, text=True, timeout=240)


def nestor(*arguments):
    """stdout of a `nestor` that must work."""
    answer = run(*arguments)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout


def refused(*arguments, status=1):
    """stderr of a `nestor` that must fail, with a message of its own."""
    answer = run(*arguments)
    assert answer.returncode == status and "nestor: " in answer.stderr, (answer.stdout, answer.stderr)
    return answer.stderr


class Records:
    """The lines of `nestor records export`, to change and to import into a file of their own."""

    def __init__(self, text):
        self.lines = [json.loads(line) for line in text.splitlines()]

    def copy(self):
        return Records("\n".join(map(json.dumps, self.lines)))

    def members(self, name):
        return [line[name] for line in self.lines if name in line]

    def add(self, like, **changes):
        self.lines.append({"record": {**like, **changes}})

    def leave_out(self, name):
        self.lines = [line for line in self.lines if name not in line]

    def rename(self, name):
        for member in self.members("record"):
            member["pipeline"] = name
        for member in self.members("pipeline"):
            member["name"] = name

    def write(self, folder):
        text, path = folder / "records.jsonl", folder / "tuned.db"
        text.write_text("".join(json.dumps(line) + "\n" for line in self.lines))
        nestor("records", "import", path, text)
        return path


@pytest.fixture(scope="session")
def tuned(tmp_path_factory):
    """What a short run of `nestor tune` records."""
    folder = tmp_path_factory.mktemp("tuned")
    path = folder / "tuned.db"
    nestor("tune", TINY, "-g", "blur", "-t", "host-no_runtime", "--trials", "14", "--final-seconds", "0.5", "--records", path, "--quiet", "--json")
    return Records(nestor("records", "export", path))


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()
