"""Bad input: a clear message, exit status 1, no crash, and no half-written file."""

import json
import os
import random
import resource
import shutil
import signal
import stat
import subprocess
import time

import pytest
from programs import NESTOR, TINY, fail, names, nestor, run, succeed

TARGET = "x86-64-linux-avx2-no_runtime"  # quick to compile
COMMANDS = [["schedule"], ["dag"], ["explain"]]


def no_files(folder):
    assert names(folder) == []


# 1. Generators.


def script(folder, text, mode=0o755):
    path = folder / "fake.generator"
    path.write_text(text)
    path.chmod(mode)
    return path


@pytest.mark.parametrize("command", COMMANDS + [["generate"], ["apply", "SCHEDULE", "--to"]], ids=lambda c: c[0])
@pytest.mark.parametrize(
    "kind, message",
    [
        ("missing", "there is no file"),
        ("folder", "is a folder"),
        ("source", "is source code"),
        ("not executable", "chmod +x"),
        ("not a program", "cannot start"),
        ("shell script", "does not look like a Halide generator"),
        ("silent", "does not look like a Halide generator"),
        ("crash", "signal 6"),
    ],
)
def test_not_a_generator(command, kind, message, tmp_path, schedule):
    place = tmp_path / "place"
    place.mkdir()
    path = {
        "missing": lambda: place / "none.generator",
        "folder": lambda: place,
        "source": lambda: shutil.copy(TINY, place / "harris_generator.cpp"),
        "not executable": lambda: script(place, "text", 0o644),
        "not a program": lambda: script(place, "\x7fELF and no more"),
        "shell script": lambda: script(place, "#!/bin/sh\necho not me >&2\nexit 3\n"),
        "silent": lambda: script(place, "#!/bin/sh\n"),
        "crash": lambda: script(place, "#!/bin/sh\nkill -ABRT $$\n"),
    }[kind]()
    out = tmp_path / "out"
    out.mkdir()
    words = [str(schedule) if word == "SCHEDULE" else word for word in command]
    emits = ["-o", out, "-e", "object"] if command[0] in ("schedule", "generate", "apply") else []
    assert message in fail(*words, path, "-g", "x", *emits)
    no_files(out)


@pytest.mark.parametrize(
    "trouble, message",
    [("refuse", "told to refuse"), ("crash", "signal 6"), ("exit", "wrote nothing")],
)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c[0])
def test_generator_in_trouble(command, trouble, message, tmp_path):
    emits = ["-o", tmp_path, "-e", "object"] if command == ["schedule"] else []
    said = fail(*command, TINY, "-g", "blur", *emits, f"trouble={trouble}")
    assert message in said
    by_hand = said.splitlines()[-1]
    assert "-g blur" in by_hand and ".nestor-" not in by_hand
    no_files(tmp_path)


def test_library_is_missing(tmp_path):
    """A generator whose libHalide.so is gone."""
    message = fail("schedule", script(tmp_path, "#!/bin/sh\necho 'x: error while loading shared libraries: y' >&2\nexit 127"))
    assert "LD_LIBRARY_PATH" in message


def test_wrong_parameters():
    words = ["schedule", TINY, "-g", "blur"]
    assert "did you mean `parallelism`?" in fail(*words, "autoscheduler.paralelism=8")
    assert "no GeneratorParam named: nonsense" in fail(*words, "nonsense=1")
    assert "nonsense" in fail(*words, "-t", "nonsense")


def test_wrong_parameters_of_a_pipeline(pipeline):
    assert "did you mean `parallelism`?" in fail("schedule", pipeline, "paralelism=8")
    assert "nestor doctor shows this machine's" in fail("schedule", pipeline, "-t", "nonsense")
    assert "one target at a time" in fail("schedule", pipeline, "-t", "x86-64-linux,x86-64-linux-avx2")


# 2. Pipelines.


def test_missing_pipeline(tmp_path):
    for command in COMMANDS:
        assert "No such file" in fail(*command, tmp_path / "none.hlpipe")


def damaged(pipeline):
    """(name, bytes) of a pipeline in pieces."""
    whole = pipeline.read_bytes()
    for length in (0, 1, 4, 7, 8, 9, 63, len(whole) // 2, len(whole) - 100, len(whole) - 1):
        yield f"first {length} bytes", whole[:length]
    generator = random.Random(7)
    for count in (1, 1, 1, 1, 3, 3, 10, 100):
        flipped = bytearray(whole)
        for _ in range(count):
            flipped[generator.randrange(len(whole))] ^= 1 << generator.randrange(8)
        yield f"{count} bits flipped", bytes(flipped)
    yield "foreign", TINY.read_bytes()[:20000]
    yield "text", b"{}\n"


@pytest.mark.parametrize("with_side_file", [False, True], ids=["alone", "with its arguments"])
def test_damaged_pipeline(pipeline, with_side_file, tmp_path):
    path = tmp_path / "damaged.hlpipe"
    if with_side_file:
        (side,) = pipeline.parent.glob("*.args.json")
        shutil.copy(side, tmp_path / "damaged.args.json")
    shutil.copy(pipeline, path)
    graph = succeed("dag", path, "default_extent=64")
    for name, contents in damaged(pipeline):
        path.write_bytes(contents)
        answer = nestor("dag", path, "default_extent=64")
        # A flipped bit may make another pipeline, or the same, and the last bytes may be padding.
        fine = answer.returncode == 0 and ("flipped" in name or answer.stdout == graph)
        assert fine or answer.returncode == 1, (name, answer.returncode, answer.stderr)
        assert fine or f"nestor: {path}" in answer.stderr, (name, answer.stderr)


def test_truncated_pipeline_is_not_compiled(pipeline, tmp_path):
    path = tmp_path / "cut.hlpipe"
    path.write_bytes(pipeline.read_bytes()[:-40])
    assert "truncated or damaged" in fail("schedule", path, "-o", tmp_path / "out", "-e", "object")
    assert names(tmp_path) == ["cut.hlpipe"]


@pytest.mark.parametrize("contents", ["", "{", "[]", '{"format": "other"}', "\xff\xfe"])
def test_foreign_side_file(pipeline, contents, tmp_path):
    shutil.copy(pipeline, tmp_path / "p.hlpipe")
    (tmp_path / "p.args.json").write_bytes(contents.encode("latin1"))
    assert "p.args.json is not a list of arguments" in fail("dag", tmp_path / "p.hlpipe")


def test_side_file_of_another_kind(pipeline, tmp_path):
    """Right at the top, wrong below."""
    (side,) = pipeline.parent.glob("*.args.json")
    for key, value in [("inputs", 3), ("inputs", [3]), ("inputs", [{"name": 3}]), ("outputs", "x"), ("version", "1")]:
        text = {**json.loads(side.read_text()), key: value}
        shutil.copy(pipeline, tmp_path / "p.hlpipe")
        (tmp_path / "p.args.json").write_text(json.dumps(text))
        fail("dag", tmp_path / "p.hlpipe")


# 3. Schedules.


@pytest.mark.parametrize(
    "contents, message",
    [
        (None, "No such file"),
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[1]", "no JSON object"),
        ("{}", ""),
        ('{"format": "package", "version": 1}', ""),
        ('{"format": "nestor-schedule", "version": 99}', ""),
        ("\x00\xff", "not valid JSON"),
    ],
    ids=["missing", "empty", "brace", "list", "object", "foreign", "later version", "bytes"],
)
def test_foreign_schedule(contents, message, pipeline, tmp_path):
    path = tmp_path / "s.json"
    if contents is not None:
        path.write_bytes(contents.encode("latin1"))
    said = fail("apply", path, "--to", pipeline, "-o", tmp_path / "out", "-e", "object")
    assert message in said and str(path) in said
    assert not (tmp_path / "out").exists()
    assert str(path) in fail("explain", pipeline, "--schedule", path)


def test_truncated_schedule(schedule, pipeline, tmp_path):
    text = schedule.read_text()
    path = tmp_path / "s.json"
    for length in (10, len(text) // 2, len(text) - 3):
        path.write_text(text[:length])
        assert "not valid JSON" in fail("apply", path, "--to", pipeline)


def test_schedule_with_wrong_values(schedule, pipeline, tmp_path):
    """Every leaf replaced, one at a time: refused, or another schedule, never a crash."""
    whole = json.loads(schedule.read_text())

    def places(value, path=()):
        if isinstance(value, dict):
            for key in value:
                yield from places(value[key], (*path, key))
        elif isinstance(value, list):
            for index, item in enumerate(value):
                yield from places(item, (*path, index))
        else:
            yield path

    all_places = list(places(whole))
    random.Random(3).shuffle(all_places)
    for place in all_places[:12]:
        for wrong in (-1, "nonsense", None):
            changed = json.loads(schedule.read_text())
            at = changed
            for key in place[:-1]:
                at = at[key]
            at[place[-1]] = wrong
            (tmp_path / "s.json").write_text(json.dumps(changed))
            answer = nestor("apply", tmp_path / "s.json", "--to", pipeline)
            assert answer.returncode in (0, 1), (place, wrong, answer.stderr)
            assert answer.returncode == 0 or "nestor: " in answer.stderr


# 4. Output folders and disks.


@pytest.fixture(params=["generator", "pipeline", "generate"])
def emitting(request):
    """Words that compile `blur`; -o DIR is to follow."""
    outputs = ["-e", "object,c_header,stmt,schedule"]
    if request.param == "generator":
        return ["schedule", TINY, "-g", "blur", "-t", TARGET, *outputs]
    if request.param == "generate":
        return ["generate", TINY, "-g", "blur", f"target={TARGET}", "auto_schedule=true", *outputs]
    return ["schedule", request.getfixturevalue("pipeline"), "-t", TARGET, *outputs]


@pytest.mark.parametrize("place", ["/proc/self/nowhere", "/dev/null/folder", "BELOW_A_FILE", "/sys/folder"])
def test_unwritable_folder(emitting, place, tmp_path):
    (tmp_path / "file").write_text("text")
    place = str(tmp_path / "file" / "out") if place == "BELOW_A_FILE" else place
    assert place.rsplit("/", 1)[0] in fail(*emitting, "-o", place)
    assert names(tmp_path) == ["file"]


def test_unwritable_save_folder(pipeline):
    for words in (["schedule", pipeline], ["schedule", TINY, "-g", "blur"]):
        assert "/dev/null/folder" in fail(*words, "autoscheduler.save=/dev/null/folder")


def test_a_folder_has_the_name_of_a_file(pipeline, tmp_path):
    (tmp_path / "f.h").mkdir()
    assert "it is a folder" in fail("schedule", pipeline, "-f", "f", "-e", "c_header,stmt", "-o", tmp_path)
    assert names(tmp_path) == ["f.h"]


def can_mount():
    return run("unshare", "-rm", "sh", "-c", "mount -t tmpfs tmpfs /mnt").returncode == 0


def sizes_of_files(emitting, folder):
    """In bytes, of what is written where there is room for all."""
    answer = nestor(*emitting, "-o", folder)
    assert answer.returncode == 0, answer.stderr
    return [file.stat().st_size for file in folder.iterdir()]


# From nothing at all, over some of the files, to all but the last.
@pytest.mark.parametrize("share", [0, 0.1, 0.3, 0.5, 0.8])
def test_full_disk(emitting, share, tmp_path, tmp_path_factory):
    if not can_mount():
        pytest.skip("file systems cannot be mounted here")
    kilobytes = int(share * sum(sizes_of_files(emitting, tmp_path_factory.mktemp("whole")))) // 1024
    # A mount of the test's own, gone with it; the size counts whole pages, 0 means no limit.
    command = ["unshare", "-rm", "sh", "-c"]
    text = (
        f"mount -t tmpfs -o size={max(kilobytes, 4)}k tmpfs '{tmp_path}' && "
        f"{f'head -c 4096 /dev/zero > {tmp_path}/filler && ' if kilobytes == 0 else ''} "
        '"$@"; code=$?; ls -A ' + f"'{tmp_path}'; exit $code"
    )
    answer = run(*command, text, "sh", NESTOR, *emitting, "-o", tmp_path)
    assert answer.returncode == 1, answer.stderr
    assert "nestor: " in answer.stderr
    left = [line for line in answer.stdout.splitlines() if "generator's own words" not in line]
    assert left == (["filler"] if kilobytes == 0 else [])


@pytest.mark.parametrize("share", [0.05, 0.2, 0.6, 0.95])
def test_file_size_limit(emitting, share, tmp_path, tmp_path_factory):
    """Like a full disk, for every user."""
    most = int(share * max(sizes_of_files(emitting, tmp_path_factory.mktemp("whole"))))

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    answer = nestor(*emitting, "-o", tmp_path, preexec_fn=limit)
    assert answer.returncode == 1, answer.stderr
    assert "nestor: " in answer.stderr
    no_files(tmp_path)


def test_old_files_survive_a_failure(tmp_path):
    (tmp_path / "f.h").write_text("old")
    words = ["schedule", TINY, "-g", "blur", "-f", "f", "-e", "c_header", "-o", tmp_path]
    fail(*words, "trouble=crash")
    assert (tmp_path / "f.h").read_text() == "old"


# 5. Interruption.


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(which, tmp_path):
    slow = script(tmp_path, "#!/bin/sh\ntouch $4/half.o\nexec sleep 60\n")
    out = tmp_path / "out"
    words = [NESTOR, "schedule", slow, "-g", "x", "-o", out, "-e", "object"]
    process = subprocess.Popen([str(word) for word in words], stderr=subprocess.PIPE, text=True)
    for _ in range(500):
        if list(out.glob(".nestor-*/half.o")):
            break
        time.sleep(0.02)
    process.send_signal(which)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 1 and "nestor: interrupted" in errors
    assert not out.exists()


def test_files_are_as_public_as_the_umask_says(pipeline, tmp_path):
    succeed("schedule", pipeline, "-f", "f", "-e", "c_header,hlpipe", "-o", tmp_path, preexec_fn=lambda: os.umask(0o022))
    for path in tmp_path.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o644
