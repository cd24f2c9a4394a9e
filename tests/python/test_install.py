"""`pip install .` into a fresh virtual environment, used after the build tree is gone.

The wheel is built with what scripts/setup installed, and what it requires is taken from there, too
(as hard links), so that the test needs no network and little disk.
"""

import importlib.metadata as metadata
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "wheel"
PATH = "/usr/local/bin:/usr/bin:/bin"
# Where ccache has what the release build compiled.
KEPT = {name: os.environ[name] for name in ("HOME", "CCACHE_DIR", "XDG_CACHE_HOME") if name in os.environ}


def run(*command, check=True, **environment):
    """A finished process, in an environment without the variables of this one."""
    answer = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        timeout=1800,
        cwd="/",
        env={"PATH": PATH, **KEPT, **environment},
    )
    assert not check or answer.returncode == 0, f"{command}\n{answer.stdout}\n{answer.stderr}"
    return answer


def link_distribution(name, site, done):
    """Installs a distribution of this environment, and what it requires, into another's `site`."""
    if name in done:
        return
    done.add(name)
    distribution = metadata.distribution(name)
    for file in distribution.files or []:
        source, copy = Path(distribution.locate_file(file)), site / file
        if ".." in file.parts or "__pycache__" in file.parts or not source.is_file():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(source, copy)
        except OSError:  # another file system
            copy.write_bytes(source.read_bytes())
    for requirement in distribution.requires or []:
        if "extra ==" not in requirement:
            link_distribution(re.match(r"[\w.-]+", requirement)[0], site, done)


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """The interpreter of an environment with Nestor in it; the build tree is out of reach."""
    folder = tmp_path_factory.mktemp("install")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    # The build folder is kept between runs of the test, for speed, and moved away while it runs.
    hidden = folder / "build-tree"
    run(
        *[*pip, "wheel", ROOT, "--no-build-isolation", "--no-deps", "--no-index", "-w", folder],
        f"--config-settings=build-dir={BUILD}",
        *as_release_preset(),
    )
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv")
    interpreter = folder / "venv" / "bin" / "python3"
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    link_distribution("halide", Path(run(interpreter, "-c", where).stdout.strip()), set())
    (wheel,) = folder.glob("nestor-*.whl")
    run(*[*pip, "--python", interpreter, "install", "--no-index", wheel])
    run(*[*pip, "--python", interpreter, "check"])
    move(BUILD, hidden)
    yield interpreter
    move(hidden, BUILD)


def as_release_preset():
    """The release build's options: ccache hands over what is compiled without a precompiled header."""
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
    (release,) = (preset for preset in presets if preset["name"] == "release")
    settings = release["cacheVariables"].items()
    return [f"--config-settings=cmake.define.{name}={value}" for name, value in settings]


def move(source, target):
    """A rename, or where the two are on different file systems, a copy."""
    run("mv", source, target)


PIPELINE = """
import sys
import halide as hl
import nestor

def make_pipeline():
    x, y = hl.Var("x"), hl.Var("y")
    ramp, total = hl.Func("ramp"), hl.Func("total")
    ramp[x, y] = x * 3 + y * 5
    total[x, y] = ramp[x, y] + ramp[x + 1, y]
    total.set_estimates([(0, 200), (0, 100)])
    return hl.Pipeline(total)
"""


def run_script(python, script, *arguments, **more):
    return run(python, "-c", PIPELINE + script, *arguments, **more).stdout


def test_schedules_in_the_process(python, tmp_path):
    script = """
import json
pipeline = make_pipeline()
result = nestor.schedule(pipeline, "host", parallelism=4, time_limit=5.0)
same = memoryview(pipeline.realize([200, 100])) == memoryview(make_pipeline().realize([200, 100]))
halides = {line.split()[-1] for line in open("/proc/self/maps") if "libHalide" in line}
texts = [result.cpp, result.python, result.json]
print(json.dumps({"same": same, "halides": list(halides), "texts": texts}))
"""
    answer = json.loads(run_script(python, script))
    assert answer["same"]
    (halide,) = answer["halides"]
    assert Path(halide).is_relative_to(python.parents[1])
    cpp, python_text, json_text = answer["texts"]
    assert cpp.strip()
    assert "def apply_schedule_" in python_text
    compile(python_text, "schedule.py", "exec")
    assert json.loads(json_text)


def test_keeps_what_is_saved(python, tmp_path):
    script = """
result = nestor.schedule(make_pipeline(), hl.get_host_target(), save=sys.argv[1])
nestor.schedule(make_pipeline(), hl.get_host_target(), save=sys.argv[1])  # over what is there
print(result.json, end="")
"""
    folder = tmp_path / "new" / "folder"
    text = run_script(python, script, folder)
    (saved,) = folder.glob("*.schedule.json")
    assert saved.read_text() == text
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_says_what_is_wrong(python):
    script = """
for params in ({"beam_sise": 4}, {"beam_size": "wide"}):
    try:
        nestor.schedule(make_pipeline(), "host", **params)
    except hl.HalideError as error:
        print(error)
"""
    text = run_script(python, script)
    assert "unknown parameter `beam_sise`; did you mean `beam_size`?" in text
    assert "parameter `beam_size` is `wide`; expected" in text


def test_another_halide_is_refused(python):
    script = """
from importlib import metadata
real = metadata.version
metadata.version = lambda name: "99.0.0" if name == "halide" else real(name)
try:
    nestor.load()
except RuntimeError as error:
    print(error)
"""
    text = run_script(python, script)
    assert "built for Halide 21.0.0, and Halide 99.0.0 is installed" in text
    assert "pip install halide==21.0.0" in text


def test_run_paths_are_relative(python):
    paths = "print(nestor.plugin_path().parents[1])"
    package = Path(run_script(python, paths).strip())
    for path in [*package.rglob("*.so"), *(package / "bin").glob("*")]:
        text = run("readelf", "-dW", path).stdout
        (run_path,) = re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", text)
        assert all(part.startswith("$ORIGIN/") for part in run_path.split(":")), (path, run_path)
        assert str(BUILD).encode() not in path.read_bytes()


def test_command(python):
    command = python.parent / "nestor"
    assert command.is_file()
    answer = run(command, "--version", check=False)
    if answer.returncode == 127 and "cannot run" in answer.stderr:
        pytest.skip("the command is not part of this build")
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith("nestor 0.")


def test_older_names_of_sub_commands(python):
    for name in ("autotune_loop.py", "autotune_loop.sh", "featurization_to_sample", "retrain_cost_model"):
        answer = run(python.parent / name, "--help", PATH=f"{python.parent}:{PATH}")
        assert answer.stdout.splitlines()[1].startswith("Usage: nestor "), name


def test_tunes(python, tmp_path):
    script = """
from nestor import auto_scheduler as auto
auto.register_workload("two_rows", lambda: make_pipeline().outputs()[0])
task = auto.SearchTask("two_rows")
options = auto.TuningOptions(2, measure_callbacks=[auto.RecordToFile(sys.argv[1])], final_seconds=1, verbose=0)
trials = task.tune(options).trials
_, program = task.apply_best(sys.argv[1])
same = memoryview(program.pipeline.realize([200, 100])) == memoryview(make_pipeline().realize([200, 100]))
print(trials, same, nestor.command_path())
"""
    trials, same, command = run_script(python, script, tmp_path / "records.db").split()
    assert (trials, same) == ("2", "True")
    assert Path(command).is_relative_to(python.parents[1])


def test_cmake_package_finds_the_halide_beside_it(python, tmp_path):
    nestor_dir = run_script(python, "print(nestor.cmake_path())").strip()
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.28)\nproject(outside LANGUAGES CXX)\n"
        "find_package(Nestor REQUIRED)\nget_target_property(path Nestor::Nestor LOCATION)\n"
        'file(WRITE "${CMAKE_BINARY_DIR}/found" "${path}\\n${Halide_DIR}\\n")\n'
    )
    cmake = Path(sys.executable).parent / "cmake"
    build = tmp_path / "build"
    run(cmake, "-S", tmp_path, "-B", build, "-G", "Ninja", f"-DNestor_DIR={nestor_dir}")
    plugin, halide = (build / "found").read_text().splitlines()
    assert Path(plugin).is_relative_to(python.parents[1])
    assert Path(halide).is_relative_to(python.parents[1])
