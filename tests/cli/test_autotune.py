"""nestor autotune, featurization_to_sample, retrain_cost_model, and the scripts with their older names."""

import json
import random
import re
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest
from programs import BUILD, NESTOR, PLUGIN, ROOT, TINY, fail, nestor, run, succeed

QUICK = ["--timing-seconds", "0.05"]
GREEDY = ["--generator-arg-sets", "autoscheduler.num_passes=1"]
SCRIPTS = BUILD / "bin"
# Halide's own weights begin like this: a version and the sizes of layers, no text.
FOREIGN = b"\x02\x00\x00\x00foreign weights"


def autotune(folder, *more, size=4, batches=1, **options):
    words = [TINY, "blur", "-b", folder, "-s", size, "-n", batches, *QUICK, *more]
    return succeed("autotune", *words, **options)


def samples_of(batch):
    """Folders of a batch's samples, in order."""
    return sorted((path for path in batch.iterdir() if path.is_dir()), key=lambda path: int(path.name))


def seconds_of(sample):
    """As scripts read it: the eighth word of bench.txt."""
    return float((sample / "bench.txt").read_text().split()[7])


def trees(weights):
    return Path(weights).read_text().count("\ntree ")


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """Weights with trees: of schedules of which every other one takes three times as long as predicted."""
    folder = tmp_path_factory.mktemp("start")
    autotune(folder, *GREEDY, size=6)
    paths = []
    for i, sample in enumerate(sorted(folder.glob("samples/batch_1_0/*/*.sample"))):
        predicted = sum(float(row.split()[0]) for row in sample.read_text().partition("\ngroups ")[2].splitlines()[1:])
        text = re.sub("seconds=[^ ]+", f"seconds={predicted * (1 + 2 * (i % 2))}", sample.read_text(), count=1)
        for copy in range(4):
            paths.append(folder / f"{i}.{copy}.sample")
            paths[-1].write_text(text)
    file = folder / "start.weights"
    retrain([f"{path}\n" for path in paths], f"--weights_out={file}", "--epochs=4")
    assert 1 <= trees(file) <= 4
    return file


@pytest.fixture(scope="module")
def tuned(tmp_path_factory, start):
    """The folder `samples` after two batches in one call."""
    folder = tmp_path_factory.mktemp("tuned")
    before = start.read_bytes()
    out = autotune(folder, "-w", start, size=5, batches=2)
    assert start.read_bytes() == before, "weights to start from stay as they are"
    samples = folder / "samples"
    assert out.splitlines() == [str(samples / "best.blur.schedule.h"), str(samples / "updated.weights")]
    return samples


def retrain(paths, *words, code=0):
    answer = nestor("retrain_cost_model", *words, input="".join(paths))
    assert answer.returncode == code, answer.stderr
    return answer.stderr


# 1. Two batches.


def test_keeps_the_files_that_users_know(tuned):
    kinds = ["bench.txt", "blur.featurization", "blur.sample", "blur.schedule.h", "blur.schedule.json"]
    for number in 1, 2:
        batch = tuned / f"batch_{number}_0"
        assert [sample.name for sample in samples_of(batch)] == ["0", "1", "2", "3", "4"]
        for sample in samples_of(batch):
            assert sorted(path.name for path in sample.iterdir()) == kinds
            assert "apply_schedule_blur" in (sample / "blur.schedule.h").read_text()
    hashes = [re.search(r"schedule (\w+),", path.read_text())[1] for path in tuned.glob("batch_*/*/bench.txt")]
    assert len(set(hashes)) == 10, "nothing is measured twice"


def test_the_best_is_the_fastest_and_not_worse_than_untuned(tuned):
    every = [sample for number in (1, 2) for sample in samples_of(tuned / f"batch_{number}_0")]
    fastest = min(every, key=seconds_of)
    best = tuned / "best.blur"
    assert best.with_suffix(".blur.schedule.h").read_text() == (fastest / "blur.schedule.h").read_text()
    assert best.with_suffix(".blur.benchmark.txt").read_text() == (fastest / "bench.txt").read_text()
    # The first sample is what one gets without tuning, for so much parallelism.
    words = [TINY, "-g", "blur", "autoscheduler.parallelism=16", f"autoscheduler.weights_path={tuned}/starting.weights"]
    untuned = succeed("schedule", *words, "--format", "json")
    assert (every[0] / "blur.schedule.json").read_text() == untuned
    succeed("apply", best.with_suffix(".blur.schedule.json"), "--to", TINY, "-g", "blur")


def test_weights_follow_the_batches(tuned, start):
    assert (tuned / "starting.weights").read_bytes() == start.read_bytes()
    assert (tuned / "batch_1_0/used.weights").read_bytes() == start.read_bytes()
    second = (tuned / "batch_2_0/used.weights").read_text()
    assert "\nnote 5 measured schedules" in second
    assert "\nnote 10 measured schedules" in (tuned / "updated.weights").read_text()
    assert trees(tuned / "batch_2_0/used.weights") >= trees(start), "what was known is kept"


def test_the_plugin_uses_what_was_learned(tuned, tmp_path):
    words = ["-g", "blur", "-o", tmp_path, "-e", "schedule", "-p", PLUGIN, "target=host", "autoscheduler=Nestor"]
    model = re.search(r"\nmodel (\w+)", (tuned / "updated.weights").read_text())[1]
    for place in tuned, tuned / "updated.weights":
        answer = run(TINY, *words, "autoscheduler.verbosity=1", env={"HL_WEIGHTS_DIR": str(place)})
        assert answer.returncode == 0, answer.stderr
        assert f"weights: {tuned}/updated.weights, model {model}" in answer.stderr
    schedule = tuned / "best.blur.schedule.json"
    predict = ["predict", TINY, "-g", "blur", "--json", "--schedule", schedule]
    by_file = succeed(*predict, "--weights", tuned / "updated.weights")
    assert succeed(*predict, env={"HL_WEIGHTS_DIR": str(tuned)}) == by_file


def test_the_records_are_like_any_others(tuned):
    out = succeed("records", "top", tuned / "records.db", "-n", 1, "--json")
    (best,) = json.loads(out)["best"]
    assert best["seconds"] == pytest.approx(float((tuned / "best.blur.benchmark.txt").read_text().split()[7]), rel=1e-6)


# 2. Going on.


def runs_of(samples):
    """(batch, ended, schedules measured) of all batches."""
    database = sqlite3.connect(samples / "records.db")
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    rows = database.execute(
        "SELECT u.options, u.ended, (SELECT count(DISTINCT schedule) FROM records r WHERE r.run = u.id) FROM runs u"
    ).fetchall()
    return [(json.loads(options)["batch"], ended != "", count) for options, ended, count in rows]


def test_survives_being_killed(tmp_path):
    """Killed at random moments of the first three batches: what was measured stays, and each batch becomes whole."""
    samples = tmp_path / "samples"
    command = [NESTOR, "autotune", TINY, "blur", "-b", tmp_path, "-s", 6, "-n", 9, *QUICK, *GREEDY]
    chance = random.Random(4)
    before = 0
    for _ in range(3):
        child = subprocess.Popen([str(word) for word in command], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        # A moment after it has begun to measure.
        for _ in range(2000):
            if samples.is_dir() and (samples / "records.db").exists() and measured(samples) > before:
                break
            try:
                child.wait(timeout=0.02)
            except subprocess.TimeoutExpired:
                continue
        try:
            child.wait(timeout=chance.uniform(0, 0.5))
        except subprocess.TimeoutExpired:
            pass
        child.kill()
        child.wait()
        now = measured(samples)
        assert now > before, "what was there stays, and there is more"
        before = now
    partial = [(batch, ended) for batch, ended, _ in runs_of(samples)]
    assert [batch for batch, _ in partial] == list(range(1, len(partial) + 1))
    assert all(ended for _, ended in partial[:-1]), "the next batch begins when one is done"
    autotune(tmp_path, *GREEDY, size=6)
    assert [(ended, count) for _, ended, count in runs_of(samples)] == [(True, 6)] * len(runs_of(samples))
    for batch in samples.glob("batch_*"):
        assert len(samples_of(batch)) == 6 and (batch / "used.weights").exists()
        assert len(list(batch.glob("*/blur.sample"))) == 6
    assert f"\nnote {6 * len(runs_of(samples))} measured" in (samples / "updated.weights").read_text()


def measured(samples):
    try:
        return sqlite3.connect(samples / "records.db").execute("SELECT count(*) FROM records").fetchone()[0]
    except sqlite3.OperationalError:  # its tables are being made
        return 0


def test_interrupted_it_ends_in_order(tmp_path):
    command = [NESTOR, "autotune", TINY, "blur", "-b", tmp_path, "-s", 40, *QUICK, *GREEDY]
    child = subprocess.Popen([str(word) for word in command], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    while not (tmp_path / "samples/records.db").exists() or measured(tmp_path / "samples") < 2:
        assert child.poll() is None
    assert "another autotune" in fail("autotune", TINY, "blur", "-b", tmp_path)
    child.send_signal(signal.SIGINT)
    out, errors = child.communicate(timeout=60)
    assert child.returncode == 0 and "interrupted; the same command goes on" in errors, errors
    ((batch, ended, count),) = runs_of(tmp_path / "samples")
    assert batch == 1 and not ended and 2 <= count < 40
    assert len(samples_of(tmp_path / "samples/batch_1_0")) == count
    assert (tmp_path / "samples/best.blur.schedule.h").exists() and "best.blur.schedule.h" in out


def test_what_fails_is_told(tmp_path):
    words = [TINY, "blur", "-b", tmp_path, "-s", 3, "-n", 1, "--run-seconds", "1e-9", *GREEDY]
    assert "no schedule could be measured" in fail("autotune", *words)
    samples = tmp_path / "samples"
    for sample in samples_of(samples / "batch_1_0"):
        assert (sample / "bench.txt").read_text().startswith("No benchmark for blur: timeout: ")
        assert (sample / "blur.schedule.h").exists() and not (sample / "blur.sample").exists()
    assert runs_of(samples) == [(1, True, 3)] and list(samples.glob("best.*")) == []


# 3. What is asked for.


def test_sets_of_arguments_are_tuned_apart(tmp_path):
    autotune(tmp_path, "--generator-arg-sets", "radius=2;autoscheduler.num_passes=1", "radius=3;autoscheduler.num_passes=1", size=2)
    samples = tmp_path / "samples"
    assert (samples / "batch_1_0/extra_generator_args.txt").read_text() == "radius=2\nautoscheduler.num_passes=1\n"
    assert (samples / "batch_1_1/extra_generator_args.txt").read_text().startswith("radius=3\n")
    pipelines = {(path / "0/blur.featurization").read_text().split()[2] for path in samples.glob("batch_*")}
    assert len(pipelines) == 2, "of two algorithms"
    assert (samples / "best.blur.0.schedule.h").exists() and (samples / "best.blur.1.schedule.h").exists()
    best = (samples / "best.blur.schedule.h").read_text()
    assert best in {(samples / f"best.blur.{each}.schedule.h").read_text() for each in (0, 1)}
    assert {path.read_text().split()[3] for path in samples.glob("*/*/*.sample")} == {"pipeline=0", "pipeline=1"}


@pytest.mark.parametrize(
    "more, sets",
    [(["radius=2;autoscheduler.num_passes=1 autoscheduler.num_passes=1"], 2), (["/halide", "SAMPLES", "autoscheduler.num_passes=1"], 1)],
)
def test_the_positional_form(tmp_path, more, sets):
    weights = tmp_path / "baseline.weights"
    weights.write_bytes(FOREIGN)
    given = [str(tmp_path / "elsewhere") if word == "SAMPLES" else word for word in more]
    words = [SCRIPTS / "autotune_loop.sh", TINY, "blur", "", weights, "/bin", *given]
    answer = run(*words, "-s", 2, *QUICK, cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert f"{weights} holds no weights of Nestor" in answer.stderr
    assert weights.read_bytes() == FOREIGN
    samples = tmp_path / ("elsewhere" if "SAMPLES" in more else "samples")
    assert sorted(path.name for path in samples.glob("batch_*")) == [f"batch_1_{each}" for each in range(sets)]


def test_older_names_start_it():
    for name in "autotune_loop.py", "autotune_loop.sh":
        assert "--generator-arg-sets" in run(SCRIPTS / name, "--help").stdout
    assert "SECONDS" in run(SCRIPTS / "featurization_to_sample", "--help").stdout
    assert "--initial_weights" in run(SCRIPTS / "retrain_cost_model", "--help").stdout


@pytest.mark.parametrize(
    "words",
    [
        ["-sdk", "/sdk"],
        ["--hexagon-sdk-root", "/sdk"],
        ["-r", "1a2b", "3c4d"],
        ["-v", "66"],
        ["-t", "hexagon-32-qurt-hvx"],
        ["-t", "arm-64-android"],
        ["-t", "arm-64-android-hvx_128"],
    ],
)
def test_hexagon_and_android_are_refused(tmp_path, words):
    assert "not supported yet" in fail("autotune", TINY, "blur", "-b", tmp_path, *words)
    assert list(tmp_path.iterdir()) == []


def test_bad_wishes_are_refused(tmp_path):
    there = ["-b", tmp_path]
    fail("autotune", TINY, code=2)
    assert "TARGET WEIGHTS BIN_FOLDER" in fail("autotune", TINY, "blur", "host", *there, code=2)
    assert "no set of generator" in fail("autotune", TINY, "blur", "host", "w", "b", "h", "s", "more", code=2)
    fail("autotune", TINY, "blur", "-s", 0, *there, code=2)
    assert "this machine cannot run" in fail("autotune", TINY, "blur", "-t", "arm-64-osx", *there)
    assert "nowhere" in fail("autotune", TINY, "blur", "-w", "/nowhere", *there)
    assert "none" in fail("autotune", TINY, "none", *there)
    assert "trouble" in fail("autotune", TINY, "blur", "--generator-arg-sets", "trouble=refuse", *there)
    assert list(tmp_path.iterdir()) == []


# 4. The parts of the loop as commands.


def test_a_featurization_becomes_a_sample(tuned, tmp_path):
    words = ["-g", "blur", "-o", tmp_path, "-e", "featurization,schedule", "-p", PLUGIN, "target=host"]
    assert run(TINY, *words, "autoscheduler=Nestor").returncode == 0
    sample = tmp_path / "blur.sample"
    succeed("featurization_to_sample", tmp_path / "blur.featurization", "1e-6", 0, 77, sample)
    assert sample.read_text().startswith("nestor-sample 1 seconds=1e-06 pipeline=0 schedule=77\n")
    assert sample.read_text().endswith((tmp_path / "blur.featurization").read_text())
    others = [f"{path}\n" for path in sorted(tuned.glob("*/*/*.sample"))]
    best = ["--best_benchmark", tmp_path / "best.txt", "--best_schedule", tmp_path / "best.h"]
    known = ["--epochs=3", '--rates="0.0001,0.01"', "--num_cores=32", f"--initial_weights={tuned}/starting.weights"]
    before = (tuned / "starting.weights").read_bytes()
    retrain([*others, f"{sample}\n"], *known, f"--weights_out={tmp_path}/new.weights", *best)
    assert (tuned / "starting.weights").read_bytes() == before
    assert "\nnote 11 measured" in (tmp_path / "new.weights").read_text()
    known_trees = trees(tuned / "starting.weights")
    assert known_trees <= trees(tmp_path / "new.weights") <= known_trees + 3
    assert "schedule 77 of pipeline 0" in (tmp_path / "best.txt").read_text()
    assert (tmp_path / "best.h").read_text() == (tmp_path / "blur.schedule.h").read_text()
    # In place, and from nothing.
    retrain(others, *known[:3], f"--initial_weights={tmp_path}/new.weights", f"--weights_out={tmp_path}/new.weights")
    retrain(others, "--epochs=0", "--randomize_weights=1", *known[3:], f"--weights_out={tmp_path}/new.weights")
    assert trees(tmp_path / "new.weights") == 0


def test_other_files_are_refused(tuned, tmp_path):
    (featurization, *_) = tuned.glob("*/*/*.featurization")
    out = tmp_path / "out"
    ids = [0, 1, out]
    foreign = tmp_path / "foreign"
    foreign.write_bytes(FOREIGN)
    older = tmp_path / "older"
    older.write_text(re.sub("schema=[0-9a-f]+", "schema=0123456789abcdef", featurization.read_text()))
    cut = tmp_path / "cut"
    cut.write_text(featurization.read_text()[:-20])
    assert "Nestor's" in fail("featurization_to_sample", foreign, 1, *ids)
    assert "other features" in fail("featurization_to_sample", older, 1, *ids)
    assert "damaged" in fail("featurization_to_sample", cut, 1, *ids)
    assert "above 0" in fail("featurization_to_sample", featurization, 0, *ids, code=2)
    fail("featurization_to_sample", featurization, *ids, code=2)
    weights = f"--weights_out={out}"
    assert "standard input" in retrain([], weights, code=1)
    assert f"{foreign}: no sample" in retrain([f"{foreign}\n"], weights, code=1)
    (sample, *_) = tuned.glob("*/*/*.sample")
    assert "not a Nestor weights file" in retrain([f"{sample}\n"], weights, f"--initial_weights={foreign}", code=1)
    assert "no number" in retrain([f"{sample}\n"], weights, "--rates=fast", code=2)
    assert not out.exists()


# 5. A benchmark's programs.


def test_programs_are_kept_apart(tmp_path, start):
    script = ROOT / "tools/hexagon_benchmarks/autotune_program.sh"
    bench = tmp_path / "bench"
    bench.mkdir()
    (bench / "small.generator").symlink_to(TINY)
    results = tmp_path / "results"
    before = start.read_bytes()
    words = [script, bench, "-s", 2, "-n", 1, "-w", start, *QUICK, *GREEDY]
    places = {"NESTOR_BUILD": str(BUILD), "NESTOR_SAMPLES": str(results)}
    first = {}
    for number in 1, 2:
        answer = run(*words, env=places)
        assert answer.returncode == 0, answer.stderr
        assert all(path.read_bytes() == text for path, text in first.items()), "the second call goes on"
        first = {path: path.read_bytes() for path in results.glob("*/*/samples/batch_1_0/**/*") if path.is_file()}
        for name in "blur", "total":
            samples = results / "small" / name / "samples"
            assert (samples / f"batch_{number}_0/used.weights").exists()
            assert (samples / f"best.{name}.schedule.h").exists()
    assert start.read_bytes() == before
    assert run(script).returncode == 2 and run(script, tmp_path, env=places).returncode == 1
