"""The console script ``nestor``: becomes the installed executable of that name."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> int:
    """Runs ``<this package>/bin/nestor`` with this process's arguments; returns only if it can't."""
    command = Path(__file__).resolve().parent / "bin" / "nestor"
    try:
        os.execv(command, ["nestor", *sys.argv[1:]])
    except OSError as problem:
        print(
            f"nestor: cannot run {command} ({problem.strerror}); install Nestor again with\n"
            "  python3 -m pip install --force-reinstall .",
            file=sys.stderr,
        )
        return 127
