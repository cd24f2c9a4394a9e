"""The package as it is in the tree, beside the built command and plug-in: what an installation looks like."""

import os
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("NESTOR_BUILD", ROOT / "build/release")).absolute()


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """A folder for PYTHONPATH; also searched by this process."""
    folder = tmp_path_factory.mktemp("site")
    package = folder / "nestor"
    shutil.copytree(ROOT / "python/nestor", package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("bin", "lib"):
        (package / name).symlink_to(BUILD / name)
    sys.path.insert(0, str(folder))
    return folder
