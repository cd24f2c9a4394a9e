"""nestor.auto_scheduler: what TVM's users know, over `nestor tune`."""

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import time

import halide as hl
import numpy as np
import pytest

N = 64


def matmul(size, name="scaled_matmul"):
    """(left @ right) * scale."""
    left = hl.ImageParam(hl.Float(32), 2, "left")
    right = hl.ImageParam(hl.Float(32), 2, "right")
    scale = hl.Param(hl.Float(32), "scale", 1.0)
    x, y, k = hl.Var("x"), hl.Var("y"), hl.RDom([(0, size)], "k")
    product, out = hl.Func("product"), hl.Func(name)
    product[x, y] = hl.f32(0)
    product[x, y] += left[k, y] * right[x, k]
    out[x, y] = product[x, y] * scale
    for each in (left, right, out):
        each.set_estimates([(0, size), (0, size)])
    scale.set_estimate(2.0)
    return [left, right, scale, out]


@pytest.fixture(scope="module")
def auto(site):
    from nestor import auto_scheduler

    auto_scheduler.register_workload("matmul", matmul, override=True)
    return auto_scheduler


@pytest.fixture(scope="module")
def tuned(auto, tmp_path_factory):
    """A task, the file of its eight measurements, what a callback was told, and the result."""
    records = tmp_path_factory.mktemp("tuned") / "records.db"
    task = auto.SearchTask("matmul", (N,))
    seen = []
    result = task.tune(options(auto, 8, auto.RecordToFile(records), seen.append))
    return task, records, seen, result


def options(auto, trials, *callbacks, **more):
    """Quick ones."""
    return auto.TuningOptions(
        num_measure_trials=trials,
        runner=auto.LocalRunner(min_repeat_ms=20),
        final_seconds=1,
        measure_callbacks=list(callbacks),
        verbose=0,
        **more,
    )


def trials(auto, records):
    return [record for record in auto.load_records(records) if not record.final]


# 1. Names and values.


def test_names_of_tvm(auto):
    known = """register_workload make_workload_key SearchTask TuningOptions RecordToFile LocalBuilder LocalRunner
        SketchPolicy PreloadMeasuredStates XGBModel MeasureResult ComputeDAG load_records load_best_record""".split()
    assert set(known) <= set(auto.__all__)
    assert all(hasattr(auto, name) for name in auto.__all__)


def test_workloads_have_one_function_each(auto):
    @auto.register_workload("only_once")
    def first(size):
        return matmul(size)

    assert auto.register_workload("only_once", first) is first  # the same one again
    with pytest.raises(ValueError, match="`only_once` is registered already; override=True"):
        auto.register_workload("only_once", matmul)
    auto.register_workload("only_once", matmul, override=True)

    @auto.register_workload
    def by_its_name(size):
        return matmul(size)

    assert auto.make_workload_key(by_its_name, (4, "a")) == '["by_its_name", 4, "a"]'
    with pytest.raises(ValueError, match="numbers, strings"):
        auto.make_workload_key(by_its_name, (hl.Var("x"),))


def test_unknown_workload(auto):
    for wrong in ({"func": "missing"}, {"workload_key": '["missing"]'}, {"func": lambda: None}):
        with pytest.raises(ValueError, match="no workload `.*` is registered .there are: .*matmul"):
            auto.SearchTask(**wrong)
    with pytest.raises(ValueError, match="give func and args, or workload_key"):
        auto.SearchTask()


def test_workload_must_return_a_pipeline(auto):
    for name, returned in {"nothing": None, "expression": hl.Expr(1), "inputs_only": matmul(4)[:2]}.items():
        auto.register_workload(name, lambda returned=returned: returned)
        with pytest.raises(TypeError, match=f"workload `{name}` must return"):
            auto.SearchTask(name)


def test_missing_estimates_are_named(auto):
    def without_estimates():
        x, out = hl.Var("x"), hl.Func("bare")
        out[x] = x
        return out

    auto.register_workload("without_estimates", without_estimates)
    with pytest.raises(hl.HalideError, match="bare"):
        auto.SearchTask("without_estimates")
    task = auto.SearchTask("without_estimates", params={"default_extent": 100})
    assert task.compute_dag.sizes == "100"


def test_options_become_those_of_the_command(auto):
    runner = auto.LocalRunner(timeout=5, repeat=3, min_repeat_ms=200, enable_cpu_cache_flush=True)
    every = auto.TuningOptions(
        num_measure_trials=3,
        early_stopping=7,
        num_measures_per_round=4,
        seconds=60,
        final_seconds=2,
        builder=auto.LocalBuilder(timeout=9, n_parallel=1),
        runner=runner,
    )
    words = every.arguments()
    given = dict(zip(words[:-1:2], words[1:-1:2]))
    assert words[-1] == "--flush-caches"
    assert {name: float(value) for name, value in given.items()} == {
        **{"--early-stopping": 7, "--time": 60, "--batch-size": 4, "--build-seconds": 9},
        **{"--builders": 1, "--run-seconds": 5, "--timing-seconds": 0.6, "--final-seconds": 2},
    }
    assert auto.TuningOptions(1).arguments() == []
    assert auto.LocalRunner(repeat=2).arguments() == ["--timing-seconds", "0.2"]


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda auto: auto.TuningOptions(), "say when to end"),
        (lambda auto: auto.TuningOptions(-1), "must be positive"),
        (lambda auto: auto.TuningOptions(1, runner="rpc"), "measured on this machine"),
        (lambda auto: auto.TuningOptions(1, builder=auto.LocalRunner()), "or a LocalBuilder"),
        (lambda auto: auto.TuningOptions(1, measure_callbacks=[auto.RecordToFile("a")] * 2), "one RecordToFile"),
        (lambda auto: auto.TuningOptions(1, measure_callbacks=["a.db"]), "a RecordToFile and functions"),
        (lambda auto: auto.LocalRunner(number=3), "number is chosen by Nestor"),
        (lambda auto: auto.LocalRunner(cooldown_interval=0.1), "no cooldown_interval"),
        (lambda auto: auto.LocalRunner(repeat=0), "must be positive"),
        (lambda auto: auto.SketchPolicy(None, params={"eps_greedy": 0.1}), "leave params out"),
        (lambda auto: auto.SketchPolicy(None, "xgb"), "an XGBModel or None"),
        (lambda auto: auto.SketchPolicy(None, init_search_callbacks=["a.db"]), "PreloadMeasuredStates only"),
        (lambda auto: auto.SearchTask("matmul", (4,), threads=0), "threads must be positive"),
    ],
)
def test_what_has_no_counterpart_is_refused(auto, make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make(auto)


def test_computational_graph(auto, tuned):
    task = tuned[0]
    text = str(task.compute_dag)
    assert "product(x, y)" in text and "left" in text
    assert task.compute_dag.sizes == ";".join([f"{N}x{N}"] * 3)
    again = auto.SearchTask(workload_key=task.workload_key)
    assert again.compute_dag.algorithm == task.compute_dag.algorithm


# 2. Tuning.


def test_every_measurement_is_told_and_kept(auto, tuned):
    task, records, seen, result = tuned
    assert [each.trial for each in seen] == list(range(1, 9))
    kept = trials(auto, records)
    assert [each.schedule_hash for each in kept] == [each.schedule_hash for each in seen]
    assert [each.seconds for each in kept] == [each.seconds for each in seen]
    assert {each.pipeline for each in kept} == {task.name} == {f"matmul_{N}"}
    assert result.trials == 8
    assert result.stopped == "all trials were made"
    assert result.seconds > 0
    best = seen[-1].best_seconds
    assert best == min(each.seconds for each in seen if each.seconds is not None)


def test_going_on_measures_nothing_twice(auto, tuned, tmp_path):
    _, records, seen, _ = tuned
    other = tmp_path / "other.db"
    task = auto.SearchTask("matmul", (N,))
    model = auto.XGBModel()
    model.update_from_file(records)
    policy = auto.SketchPolicy(
        task, model, seed=3, init_search_callbacks=[auto.PreloadMeasuredStates(records)]
    )
    more = []
    result = task.tune(options(auto, 3, auto.RecordToFile(other), more.append), policy)
    assert [each.trial for each in more] == [9, 10, 11]
    assert result.trials == 11
    hashes = [each.schedule_hash for each in trials(auto, other)]
    assert len(set(hashes)) == len(hashes) == 11
    # And on the same file, without a policy.
    task.tune(options(auto, 2, auto.RecordToFile(other), more.append))
    assert [each.trial for each in more] == [9, 10, 11, 12, 13]
    assert not {each.schedule_hash for each in more} & {each.schedule_hash for each in seen}
    assert len(trials(auto, records)) == 8  # only read


def test_policy_of_another_task_is_refused(auto, tuned):
    task = auto.SearchTask("matmul", (N,))
    with pytest.raises(ValueError, match="made for another task"):
        task.tune(options(auto, 1), auto.SketchPolicy(tuned[0]))
    with pytest.raises(FileNotFoundError, match="no record file /nowhere"):
        missing = [auto.PreloadMeasuredStates("/nowhere")]
        task.tune(options(auto, 1), auto.SketchPolicy(task, init_search_callbacks=missing))


def test_callback_that_raises_ends_in_order(auto, tmp_path):
    records = tmp_path / "records.db"

    class Enough(Exception):
        pass

    def stop(result):
        raise Enough(result.trial)

    task = auto.SearchTask("matmul", (N,))
    with pytest.raises(Enough):
        task.tune(options(auto, 1000, auto.RecordToFile(records), stop, num_measures_per_round=2))
    kept = trials(auto, records)
    assert 1 <= len(kept) < 1000
    result = task.tune(options(auto, 1, auto.RecordToFile(records)))
    assert result.trials == len(kept) + 1


def test_inputs_by_name(auto):
    array = np.zeros((N, N), np.float32)
    task = auto.SearchTask("matmul", (N,), task_inputs={"left": array, "scale": 0.5}, threads=1)
    assert task.tune(options(auto, 1)).seconds > 0
    task = auto.SearchTask("matmul", (N,), task_inputs={"left": array[:3]})
    with pytest.raises(auto.CommandError, match="npy"):
        task.tune(options(auto, 1))


INTERRUPTED = """
import sys
sys.path[:0] = sys.argv[2:]
from nestor import auto_scheduler as auto
from test_auto_scheduler import matmul
auto.register_workload("matmul", matmul)
task = auto.SearchTask("matmul", (64,))
task.tune(auto.TuningOptions(
    num_measure_trials=1000, num_measures_per_round=2, final_seconds=1, verbose=2, measure_callbacks=[auto.RecordToFile(sys.argv[1])]))
"""


def test_interrupt_leaves_a_file_to_go_on_from(auto, site, tmp_path):
    records = tmp_path / "records.db"
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(records), str(site), os.path.dirname(__file__)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Shells start what runs in the background with SIGINT ignored, and so does what it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        assert "trial 1:" in process.stdout.readline()
        children = children_of(process.pid)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    finally:
        process.kill()
    assert "KeyboardInterrupt" in errors
    assert children and not [child for child in children if is_running(child)]
    kept = len(trials(auto, records))
    assert kept >= 1
    more = []
    task = auto.SearchTask("matmul", (64,))
    task.tune(options(auto, 1, auto.RecordToFile(records), more.append))
    assert [each.trial for each in more] == [kept + 1]


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


def is_running(pid):
    for _ in range(50):
        if not os.path.exists(f"/proc/{pid}"):
            return False
        time.sleep(0.1)
    return True


# 3. What was found.


def test_best_is_applied_and_right(auto, tuned):
    task, records, _, _ = tuned
    schedule, program = task.apply_best(records)
    best = task.best_record(records)
    assert json.loads(schedule.json) == json.loads(best.schedule)
    random = np.random.default_rng(5)
    left, right = (random.uniform(size=(N, N)).astype(np.float32) for _ in range(2))
    out = np.zeros((N, N), np.float32)
    program.compile()(left, right, 2.0, out)
    np.testing.assert_allclose(out, 2 * (left @ right), rtol=1e-4)
    # It is scheduled, and the workload's function still makes pipelines that are not.
    *inputs, output = matmul(N)
    plain = dataclasses.replace(program, pipeline=hl.Pipeline([output]), inputs=inputs)
    assert "produce scaled_matmul" in plain.lowered()
    assert count_loops(program.lowered()) != count_loops(plain.lowered()) == 3


def count_loops(text):
    return len(re.findall(r"^\s*(?:for|parallel) \(", text, re.MULTILINE))


def test_best_is_printed(auto, tuned):
    task, records, _, _ = tuned
    assert ".compute_root()" in task.print_best(records, "cpp") or "split(" in task.print_best(records)
    python = task.print_best(records, print_mode="python")
    compile(python, "schedule.py", "exec")
    assert python == task.print_best(records, "schedule") and "def apply_schedule_" in python
    assert task.print_best(records, "json") == task.best_record(records).schedule
    with pytest.raises(ValueError, match="print_mode is one of cpp"):
        task.print_best(records, "cuda")


def test_best_record_by_key(auto, tuned):
    task, records, _, result = tuned
    best = auto.load_best_record(records, task.workload_key)
    assert best == task.best_record(records)
    assert best.timed and best.final and best.seconds == result.seconds
    assert json.loads(best.schedule) == json.loads(result.schedule)
    assert best == auto.load_best_record(records, target="host", threads=len(os.sched_getaffinity(0)))
    same = auto.SearchTask("matmul", (N,), target=hl.get_host_target(), threads=best.threads)
    assert same.best_record(records) == best
    with pytest.raises(auto.CommandError, match="no such records"):
        auto.load_best_record(records, '["matmul", 3]')
    assert list(auto.load_records(records, '["matmul", 3]')) == []


def test_without_records(auto, tuned, tmp_path):
    other_size = auto.SearchTask("matmul", (N + 1,))
    for use in (other_size.apply_best, other_size.print_best, other_size.best_record):
        with pytest.raises(FileNotFoundError, match="SearchTask.tune makes one"):
            use(tmp_path / "none.db")
        with pytest.raises(auto.CommandError, match="no.*records"):
            use(tuned[1])
    (tmp_path / "text.db").write_text("something else")
    with pytest.raises(auto.CommandError):
        list(auto.load_records(tmp_path / "text.db"))


def test_time_evaluator(auto, monkeypatch):
    clock, calls = [0.0], []

    def program(*arguments):  # the n-th call takes n milliseconds
        calls.append(arguments)
        clock[0] += len(calls) / 1000

    monkeypatch.setattr("time.perf_counter", lambda: clock[0])
    times = auto.time_evaluator(program, number=2, repeat=3)("x")
    assert calls == [("x",)] * (1 + 2 * 3)
    assert times.results == pytest.approx((0.0025, 0.0045, 0.0065))
    assert times.mean == pytest.approx(np.mean(times.results))
    assert times.median == pytest.approx(0.0045)
    assert times.std == pytest.approx(np.std(times.results))
    assert (times.min, times.max) == pytest.approx((0.0025, 0.0065))
    calls.clear()
    start = clock[0]
    (seconds,) = auto.time_evaluator(program, number=1, min_repeat_ms=200)().results
    last = round((clock[0] - start - 0.003) * 1000)  # without the warm-up and the call that was too short
    assert last >= 200
    assert seconds == pytest.approx(last / 1000 / (len(calls) - 2))
    with pytest.raises(ValueError, match="1 or more"):
        auto.time_evaluator(program, number=0)
