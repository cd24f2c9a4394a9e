"""Every example, from an installation outside of the tree.

ctest sets NESTOR_BUILD, see CMakeLists.txt.
"""

import os
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
BUILD = Path(os.environ.get("NESTOR_BUILD", ROOT / "build/release")).absolute()
BIN = Path(sys.executable).parent
HALIDE = Path(metadata.distribution("halide").locate_file("halide"))


def run(*command, check=True, **more):
    """stdout of a process, or the finished process of one that may fail."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=500, **more)
    if not check:
        return done
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """site-packages with Nestor as pip installs it, beside Halide."""
    folder = tmp_path_factory.mktemp("site")
    run(BIN / "cmake", "--install", BUILD, "--prefix", folder / "nestor")
    shutil.copytree(ROOT / "python/nestor", folder / "nestor", dirs_exist_ok=True)
    (folder / "halide").symlink_to(HALIDE)
    return folder


def check_matmul(text, trials, resumed):
    """What both forms of the example print."""
    assert re.search(r"^product\(column, row\) = .*0", text, re.MULTILINE)
    assert "produce out" in text
    assert re.search(r"Time of this program: \d+\.\d+ ms", text)
    assert "Schedule of" in text  # the equivalent one
    counts = re.findall(r"(\d+) trials; all trials were made", text)
    assert counts == [str(trials), str(trials + resumed)]


def test_matmul_bias_in_python(site, tmp_path):
    command = [sys.executable, EXAMPLES / "matmul_bias.py", "--size", "64", "--trials", "8", "--resume", "2"]
    text = run(*command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(site)})
    assert "The result is NumPy's." in text
    check_matmul(text, 8, 2)
    assert (tmp_path / "matmul_bias.db").is_file()


def test_matmul_bias_in_cpp(site, tmp_path):
    build = tmp_path / "build"
    configure = [BIN / "cmake", "-S", EXAMPLES, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug"]
    run(*configure, f"-DCMAKE_PREFIX_PATH={site / 'nestor'}")
    run(BIN / "cmake", "--build", build)
    text = run(build / "matmul_bias", "8", "64", cwd=tmp_path)
    assert f"0 of {64 * 64} elements are wrong." in text
    check_matmul(text, 8, 4)
    assert run(build / "matmul_bias", "none", check=False).returncode == 2


@pytest.fixture
def schedule_files(site, tmp_path):
    """Runs `make` in a copy of the example, with variables of the environment; a finished process."""
    folder = tmp_path / "schedule_files"
    shutil.copytree(EXAMPLES / "schedule_files", folder, ignore=shutil.ignore_patterns("build", "schedules"))

    def make(*words, **variables):
        settings = [f"PYTHON={sys.executable}", "PARALLELISM=2", "SIZE=300 200", "CXXFLAGS=-O1"]
        environment = {**os.environ, "PYTHONPATH": str(site), **variables}
        return run("make", "-C", folder, *settings, *words, check=False, env=environment)

    return make


def result(done):
    assert done.returncode == 0, done.stdout + done.stderr
    return re.search(r"^(\w+) schedule: (\d+) wrong, \d+\.\d+ ms$", done.stdout, re.MULTILINE).groups()


def test_schedule_files(schedule_files, tmp_path):
    header = tmp_path / "schedule_files/schedules/blur.schedule.h"
    early = schedule_files("run", USE_SCHEDULE="true")
    assert early.returncode != 0
    assert "AUTOSCHEDULE=true make run writes it" in early.stderr

    # 1. By hand: no scheduler is asked. 2. Automatic. 3. From the file, without the plug-in.
    assert result(schedule_files("run", "PLUGIN=/nowhere.so")) == ("manual", "0")
    assert not header.exists()
    assert result(schedule_files("run", AUTOSCHEDULE="true")) == ("automatic", "0")
    assert "apply_schedule_blur(" in header.read_text()
    assert result(schedule_files("run", "PLUGIN=/nowhere.so", USE_SCHEDULE="true")) == ("saved", "0")

    # Different code from the schedule by hand.
    sizes = {
        kind: (tmp_path / f"schedule_files/build/{kind}/blur.a").stat().st_size
        for kind in ("manual", "automatic", "saved")
    }
    assert sizes["saved"] != sizes["manual"] != sizes["automatic"]

    # It may be edited: a build follows.
    broken = header.read_text().replace("apply_schedule_blur(", "apply_schedule_other(")
    header.write_text(broken)
    os.utime(header, (2**31, 2**31))
    assert schedule_files("run", USE_SCHEDULE="true").returncode != 0
    assert schedule_files("run", USE_SCHEDULE="true", AUTOSCHEDULE="true").returncode != 0
