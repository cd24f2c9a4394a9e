"""The files of the project: what git tracks, and what it does not ignore."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SKIPPED_FOLDERS = {".git", ".venv", "build", "dist", "out"}


def files_of_project(wanted):
    """Paths relative to ROOT for which wanted(path) holds, sorted. Works in an unpacked archive, too."""
    answer = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if answer.returncode == 0:
        paths = [Path(name) for name in answer.stdout.split("\0") if name]
    else:
        paths = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
        paths = [path for path in paths if path.parts[0] not in SKIPPED_FOLDERS]
    return sorted({path for path in paths if (ROOT / path).is_file() and wanted(path)})


def is_shell(path):
    """Whether a file is a shell script, by its name or its first line."""
    if path.suffix in (".sh", ".bash"):
        return True
    if path.suffix:
        return False
    with open(ROOT / path, "rb") as file:
        first = file.readline(100)
    return first.startswith(b"#!") and (b"bash" in first or first.rstrip().endswith(b"/sh"))
