"""`-e schedule`, then `#include` and `apply_schedule_x(get_pipeline(), target)`, then a build: the same results.

For corpus/harris. The first generator asks the scheduler and writes the schedule; the second is the same source,
compiled with that file, and asks nobody. Both results run on the same input; the object files are compared, too.
ctest runs this with NESTOR_BUILD, NESTOR_CXX and NESTOR_HALIDE_DIR set (tests/schedule_header/CMakeLists.txt).
"""

import os
import subprocess
from pathlib import Path

import numpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("NESTOR_BUILD", ROOT / "build/release")).absolute()
HALIDE = Path(os.environ["NESTOR_HALIDE_DIR"]).parents[2]  # of <prefix>/lib64/cmake/Halide
CXX = os.environ.get("NESTOR_CXX", "c++")
PLUGINS = {
    "Nestor": BUILD / "lib/libautoschedule_nestor.so",
    "Adams2019": HALIDE / "lib64/libautoschedule_adams2019.so",
}
GENERATOR = BUILD / "corpus/harris.generator"
SOURCE = ROOT / "corpus/harris/harris_generator.cpp"
TARGET = "target=host-no_runtime"


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def generate(generator, folder, outputs, *arguments):
    """Compiles the pipeline as the function `harris`."""
    run(generator, "-g", "harris", "-f", "harris", "-o", folder, "-e", outputs, TARGET, *arguments)


def compile_generator(header, output):
    """The same source with the schedule built in."""
    library = HALIDE / "lib64"
    run(
        *[CXX, "-std=c++20", "-O0", "-isystem", HALIDE / "include", "-I", header.parent],
        *[f'-DHARRIS_SCHEDULE="{header.name}"', SOURCE, library / "libHalide_GenGen.a"],
        *["-L", library, "-lHalide", f"-Wl,-rpath,{library}", "-ldl", "-lpthread", "-o", output],
    )


def run_pipeline(generator, version, inputs, outputs):
    """The output of one version of a generator's pipeline."""
    run(
        *[BUILD / "bin/nestor", "bench", generator, "--versions", version, "--compiler", CXX],
        *["--parallelism", "2", "--inputs", inputs, "--outputs", outputs, "--seconds", "0.01", "--require", version],
    )
    (output,) = (outputs / "harris").glob("*/output.npy")
    return numpy.load(output)


@pytest.mark.parametrize("scheduler, params", [("Nestor", []), ("Adams2019", ["autoscheduler.beam_size=2"])])
def test_schedule_header_round(scheduler, params, tmp_path):
    asked, included, plain = (tmp_path / name for name in ("asked", "included", "plain"))
    for folder in (asked, included, plain):
        folder.mkdir()

    # 1. Ask the scheduler; keep what it wrote.
    asking = ["-p", PLUGINS[scheduler], f"autoscheduler={scheduler}", "autoscheduler.parallelism=2", *params]
    generate(GENERATOR, asked, "object,schedule,stmt", *asking)
    header = asked / "harris.schedule.h"
    assert "inline void apply_schedule_harris(" in header.read_text()

    # 2. Build the generator with it; nobody is asked now.
    compile_generator(header, tmp_path / "included.generator")
    generate(tmp_path / "included.generator", included, "object,stmt")
    generate(GENERATOR, plain, "object")

    # 3. It is that schedule, and not the default one.
    assert (included / "harris.o").stat().st_size != (plain / "harris.o").stat().st_size
    loops = [
        [line.strip().split(" ")[0] for line in (folder / "harris.stmt").read_text().splitlines() if "for " in line]
        for folder in (asked, included)
    ]
    assert loops[0] == loops[1]

    # 4. And it computes the same.
    inputs = tmp_path / "inputs"
    (inputs / "harris").mkdir(parents=True)
    numpy.save(inputs / "harris/input.npy", numpy.random.default_rng(7).integers(0, 255, (3, 1536, 2560), numpy.uint8))
    expected = run_pipeline(GENERATOR, ":".join([scheduler, *params]), inputs, asked)
    result = run_pipeline(tmp_path / "included.generator", "expert", inputs, included)
    assert (result == expected).all()
    assert result.std() > 0
