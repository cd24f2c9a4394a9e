"""A pipeline to be tuned for one target and machine."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

from .. import ParamValue, Schedule, param_text, schedule
from .child import CommandError, follow, json_of, output_of
from .options import PathLike, SketchPolicy, TuningOptions
from .program import ScheduledProgram
from .records import Record, best_record, must_exist, rows_of
from .workload import Workload, file_stem, function_of, make_workload_key

if TYPE_CHECKING:
    import halide as hl

_FORMATS = {"cpp": "cpp", "python": "python", "schedule": "python", "json": "json"}


@dataclass(frozen=True)
class MeasureResult:
    """What measure callbacks are told of one measurement."""

    task: str
    trial: int
    """Its number among all of the task's, from 1; those of earlier calls count."""
    outcome: str
    """``timed``, or why it was not."""
    seconds: float | None
    """Of one run; None: it could not be timed."""
    uncertainty: float | None
    message: str
    origin: str
    schedule_hash: str
    predicted: float
    """Seconds, by the model; 0: not predicted."""
    best_seconds: float | None
    """Of the best until now, this one included."""
    start_seconds: float | None
    """Of what the search takes without measuring."""
    elapsed_seconds: float
    """Since tuning began."""


@dataclass(frozen=True)
class TuningResult:
    """What one call of ``tune`` found."""

    stopped: str
    """Why it ended."""
    trials: int
    """Measurements of the task in the record file."""
    seconds: float
    """Of the winner, compiled ahead of time, when it was timed against the other finalists."""
    uncertainty: float
    start_seconds: float | None
    schedule: str
    """The winner as JSON."""


class ComputeDAG:
    """The pipeline as Nestor reads it. As text: one line for each definition."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._text = output_of(["dag", *arguments])
        self.data: dict[str, Any] = json_of(["dag", *arguments, "--json"])
        """The same as plain data: name, inputs, parameters, functions, outputs."""

    @property
    def algorithm(self) -> str:
        """Hash of what is computed, whatever the sizes and names."""
        return self.data["algorithm"]

    @property
    def sizes(self) -> str:
        """Estimated extents of outputs, then of inputs: ``640x480;642x482``."""
        return self.data["sizes"]

    def __str__(self) -> str:
        return self._text


class SearchTask:
    """One pipeline, target and number of threads; what is measured for it is in a record file."""

    def __init__(
        self,
        func: str | Callable[..., Any] | None = None,
        args: Sequence[Any] = (),
        *,
        workload_key: str | None = None,
        target: hl.Target | str = "host",
        threads: int | None = None,
        task_inputs: Mapping[str, Any] | None = None,
        load: Sequence[PathLike] = (),
        params: Mapping[str, ParamValue] | None = None,
    ) -> None:
        """A task for a registered workload: ``func`` (itself or its name) and ``args``, or a key.

        ``threads``: of Halide's pool while measuring; None: all cores. ``task_inputs``: arrays
        (last axis: dimension 0) and numbers by the names of inputs; others are random, or their
        estimates. ``load``: libraries with the extern functions. ``params``: of the scheduler
        (docs/parameters.md), as in ``nestor.schedule``.

        Calls the function, and raises what it raises; ValueError for a workload that is not
        registered; halide.HalideError if Nestor can't take the pipeline (missing estimates, ...).
        """
        if (func is None) == (workload_key is None):
            raise ValueError("SearchTask: give func and args, or workload_key")
        if func is not None:
            workload_key = make_workload_key(func, args)
        elif args:
            raise ValueError("SearchTask: the arguments are in the workload_key; leave args out")
        function_of(json.loads(workload_key)[0])
        if threads is not None and threads < 1:
            raise ValueError(f"SearchTask: threads must be positive, not {threads}")
        self.workload_key: str = workload_key
        """Name and arguments of the workload, a JSON array."""
        self.target = str(target)
        self.threads = threads
        self._params = dict(params or {})
        self._folder = tempfile.TemporaryDirectory(prefix="nestor-task-")
        self._load = [os.path.abspath(library) for library in load]
        self._pipeline = self._export()
        self._inputs = self._save_inputs(task_inputs or {})

    # 1. What it is.

    @property
    def name(self) -> str:
        """In records: the key's parts, with _ between them."""
        return file_stem(self.workload_key)

    @cached_property
    def compute_dag(self) -> ComputeDAG:
        """The pipeline; print it. Raises CommandError if it can't be read."""
        return ComputeDAG(self._source())

    # 2. Tuning.

    def tune(
        self, tuning_options: TuningOptions, search_policy: SketchPolicy | None = None
    ) -> TuningResult:
        """Measures candidates, by ``nestor tune``, until the options say so.

        The record file is gone on from if it has records of this task. Ctrl-C ends in order: the
        file has all that was measured, and the same call goes on from it; then KeyboardInterrupt is
        raised. Raises CommandError if nothing could be measured, and what a callback raises.
        """
        if search_policy is not None and search_policy.task is not self:
            raise ValueError("tune: the search policy was made for another task")
        with tempfile.TemporaryDirectory(prefix="nestor-tune-") as scratch:
            kept = tuning_options.record_file()
            records = Path(scratch) / "records.db" if kept is None else Path(kept)
            if search_policy is not None:
                self._preload(records, search_policy)
            words = ["tune", *self._source(), "--records", str(records), "--json"]
            if tuning_options.num_measure_trials > 0:
                known = self._known_trials(records)
                words += ["--trials", str(known + tuning_options.num_measure_trials)]
            words += [*self._measuring(), *tuning_options.arguments()]
            if search_policy is not None:
                words += search_policy.arguments()
            return self._follow(words, tuning_options)

    # 3. What was found.

    def apply_best(self, record_file: PathLike) -> tuple[Schedule, ScheduledProgram]:
        """Makes the pipeline anew and applies the best schedule that was measured for this task, on
        a processor like this one.

        Only right and timed schedules count; with ``threads`` None, those for the nearest number of
        threads. Raises FileNotFoundError, CommandError if there is none, halide.HalideError.
        """
        record = self.best_record(record_file)
        workload = Workload.make(self.workload_key)
        path = Path(self._folder.name) / "best.schedule.json"
        path.write_text(record.schedule, encoding="utf-8")
        target = _halide_target(self.target)
        applied = schedule(workload.pipeline, target, **{**self._params, "schedule": path})
        program = ScheduledProgram(
            workload.pipeline, workload.inputs, workload.outputs, target, applied
        )
        return applied, program

    def best_record(self, record_file: PathLike) -> Record:
        """The record that ``apply_best`` applies. Raises as it does."""
        return best_record(record_file, self._filters(near=self.threads is None))

    def print_best(self, record_file: PathLike, print_mode: str = "cpp") -> str:
        """The best schedule as text: ``cpp``, ``python`` (or TVM's name for it, ``schedule``), ``json``.

        Raises ValueError for another mode, and as ``apply_best``.
        """
        if print_mode not in _FORMATS:
            raise ValueError(f"print_best: print_mode is one of {', '.join(_FORMATS)}")
        must_exist(record_file)
        filters = self._filters(near=self.threads is None)
        return output_of(
            ["records", "best", record_file, *filters, "--format", _FORMATS[print_mode]]
        )

    # The pieces.

    def _export(self) -> Path:
        """Writes the pipeline to a file, by the plug-in; yields its path."""
        workload = Workload.make(self.workload_key)
        folder = Path(self._folder.name)
        asked = {**self._params, "schedule": "none", "save": folder}
        schedule(workload.pipeline, _halide_target(self.target), **asked)
        (saved,) = folder.glob("*.hlpipe")
        path = folder / f"{self.name}.hlpipe"  # records bear its name
        saved.with_suffix(".args.json").rename(path.with_suffix(".args.json"))
        return saved.rename(path)

    def _save_inputs(self, inputs: Mapping[str, Any]) -> list[str]:
        """Options that name inputs; arrays go to files."""
        import numpy

        words: list[str] = []
        for name, value in inputs.items():
            if isinstance(value, (bool, int, float)):
                words += ["--scalar", f"{name}={float(value):.17g}"]
                continue
            path = Path(self._folder.name) / f"input{len(words)}.npy"
            numpy.save(path, numpy.ascontiguousarray(value))
            words += ["--input", f"{name}={path}"]
        return words

    def _source(self) -> list[str]:
        """The pipeline, as the first arguments of a command."""
        words = [str(self._pipeline), "--target", self.target]
        for key, value in self._params.items():
            words += ["--param", f"autoscheduler.{key}={param_text(value)}"]
        return words

    def _measuring(self) -> list[str]:
        words = list(self._inputs)
        for library in self._load:
            words += ["--load", library]
        return words + ([] if self.threads is None else ["--threads", str(self.threads)])

    def _filters(self, near: bool) -> list[str]:
        """Options that choose this task's records; ``near``: of the nearest number of threads."""
        threads = len(os.sched_getaffinity(0)) if self.threads is None else self.threads
        words = ["--algorithm", self.compute_dag.algorithm, "--sizes", self.compute_dag.sizes]
        words += ["--target", self.target, "--machine", "host"]
        return [*words, "--near-threads" if near else "--threads", str(threads)]

    def _known_trials(self, records: Path) -> int:
        """How many ``nestor tune --trials`` counts before it begins."""
        if not records.exists():
            return 0
        return sum(row["kind"] == "trial" for row in rows_of(records, self._filters(near=False)))

    @staticmethod
    def _preload(records: Path, policy: SketchPolicy) -> None:
        for file in policy.preloaded():
            must_exist(file)
            if not (records.exists() and os.path.samefile(records, file)):
                output_of(["records", "merge", str(records), os.path.abspath(file)])

    def _follow(self, words: Sequence[str], options: TuningOptions) -> TuningResult:
        summary: dict[str, Any] = {}
        listeners = [_Printer(options.verbose), *options.listeners()]

        def visit(row: dict[str, Any]) -> None:
            if "stopped" in row:
                summary.update(row)
                return
            result = _result_from(row)
            for listener in listeners:
                listener(result)

        warnings = follow(words, visit)
        if options.verbose > 0 and warnings:
            sys.stderr.write(warnings)
        if not summary:
            raise CommandError("nestor tune ended without a result")
        found = TuningResult(
            stopped=summary["stopped"],
            trials=summary["trials"],
            seconds=summary["seconds"],
            uncertainty=summary["uncertainty"],
            start_seconds=summary["start_seconds"] or None,
            schedule=json.dumps(summary["schedule"]),
        )
        if options.verbose > 0:
            print(
                f"{self.name}: best {_time_text(found.seconds)} +- {found.uncertainty:.1%}, "
                f"{found.trials} trials; {found.stopped}"
            )
        return found


class _Printer:
    """Prints measurements: all of them, or those that gain and now and then a sign of life."""

    def __init__(self, verbose: int) -> None:
        self._verbose = verbose
        self._best = float("inf")

    def __call__(self, result: MeasureResult) -> None:
        gain = result.seconds is not None and result.seconds < self._best
        if gain:
            self._best = result.seconds
        if self._verbose >= 2 or (self._verbose == 1 and gain):
            outcome = result.outcome if result.seconds is None else _time_text(result.seconds)
            why = f": {result.message}" if result.message else ""
            print(
                f"{result.task}: trial {result.trial}: {outcome} ({result.origin}){why}", flush=True
            )
        elif self._verbose == 1 and result.trial % 16 == 0:
            best = "nothing timed" if not result.best_seconds else _time_text(result.best_seconds)
            print(f"{result.task}: {result.trial} trials, best {best}", flush=True)


def _result_from(row: Mapping[str, Any]) -> MeasureResult:
    named = ("task", "trial", "outcome", "origin", "schedule_hash", "predicted", "elapsed_seconds")
    return MeasureResult(
        **{name: row[name] for name in named},
        seconds=row.get("seconds"),
        uncertainty=row.get("uncertainty"),
        message=row.get("message", ""),
        best_seconds=row["best_seconds"] or None,
        start_seconds=row["start_seconds"] or None,
    )


def _halide_target(text: str) -> hl.Target:
    import halide as hl

    return hl.Target(text)


def _time_text(seconds: float) -> str:
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            break
    return f"{seconds * factor:.4g} {unit}"
