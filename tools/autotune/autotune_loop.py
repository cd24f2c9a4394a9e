#!/usr/bin/env python3
"""`nestor autotune` under the name that users of Adams2019's tuning loop know, with the same arguments."""

import os
import sys
from pathlib import Path

command = Path(__file__).resolve().parent / "nestor"
try:
    os.execv(command, ["nestor", "autotune", *sys.argv[1:]])
except OSError as problem:
    sys.exit(f"autotune_loop.py: cannot run {command}: {problem.strerror}")
