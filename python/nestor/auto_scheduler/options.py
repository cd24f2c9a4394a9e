"""How to tune: plain values, and the options of ``nestor tune`` that they stand for."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Sequence, Union

if TYPE_CHECKING:
    from .task import SearchTask

PathLike = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class RecordToFile:
    """A measure callback: every measurement is kept in this file (SQLite), at once.

    A file that has records of the task already is gone on from: what it holds is not measured again.
    """

    filename: PathLike


@dataclass(frozen=True)
class PreloadMeasuredStates:
    """An initial callback of SketchPolicy: the measured schedules of a record file (or of JSON lines,
    as ``nestor records export`` writes) are not measured again, and the search goes on from them.

    They are added to the file of RecordToFile, unless they are in it.
    """

    filename: PathLike


@dataclass(frozen=True)
class LocalBuilder:
    """How candidates are compiled; None leaves the default of ``nestor tune``."""

    timeout: float | None = None
    """Seconds that one candidate may take."""
    n_parallel: int | None = None
    """Candidates at once; by default as many as there are cores."""

    def arguments(self) -> list[str]:
        return _words(("--build-seconds", self.timeout), ("--builders", self.n_parallel))


@dataclass(frozen=True)
class LocalRunner:
    """How candidates are timed; None leaves the default of ``nestor tune``.

    Nestor repeats a candidate until its time is known well enough (3 %), and no longer than a limit;
    ``repeat`` and ``min_repeat_ms`` together set that limit: ``repeat * min_repeat_ms``, where
    TVM's defaults (1 and 100) stand in if only one is given.
    """

    timeout: float | None = None
    """Seconds that the first run of a candidate may take."""
    number: None = None
    """Refused: runs of a sample are as many as take 10 ms."""
    repeat: int | None = None
    min_repeat_ms: float | None = None
    cooldown_interval: float = 0.0
    """Refused unless 0: candidates are timed one after the other, without pauses."""
    enable_cpu_cache_flush: bool = False
    """Empties the caches before each run that is timed."""

    def __post_init__(self) -> None:
        if self.number is not None:
            raise ValueError(
                "LocalRunner: number is chosen by Nestor (as many runs as take 10 ms); leave it out, "
                "and limit the time by repeat and min_repeat_ms"
            )
        if self.cooldown_interval != 0:
            raise ValueError("LocalRunner: there is no cooldown_interval; leave it out")
        for name in ("repeat", "min_repeat_ms", "timeout"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ValueError(f"LocalRunner: {name} must be positive, not {value}")

    def arguments(self) -> list[str]:
        seconds = None
        if self.repeat is not None or self.min_repeat_ms is not None:
            milliseconds = 100 if self.min_repeat_ms is None else self.min_repeat_ms
            seconds = (self.repeat or 1) * milliseconds / 1000
        words = _words(("--run-seconds", self.timeout), ("--timing-seconds", seconds))
        return [*words, "--flush-caches"] if self.enable_cpu_cache_flush else words


@dataclass
class XGBModel:
    """What the tuner has learned. Nestor learns from the records of the task that it tunes, while it
    tunes and when it goes on; so this model is records, and nothing to be saved apart."""

    files: list[PathLike] = field(default_factory=list)

    def update_from_file(self, file_name: PathLike) -> None:
        """Learns from the records of another file: they are preloaded (PreloadMeasuredStates)."""
        self.files.append(file_name)


class SketchPolicy:
    """Where the search begins: what was measured before, and the seed of what is drawn at random.

    Nestor has one search (docs/search.md), so ``params`` of TVM's is refused. ``program_cost_model``
    is None or an XGBModel: the analytic cost model is always there.
    """

    def __init__(
        self,
        task: SearchTask,
        program_cost_model: XGBModel | None = None,
        params: None = None,
        seed: int | None = None,
        init_search_callbacks: Sequence[PreloadMeasuredStates] | None = None,
    ) -> None:
        if params is not None:
            raise ValueError(
                "SketchPolicy: the parameters of TVM's search do not exist here; leave params out"
            )
        if program_cost_model is not None and not isinstance(program_cost_model, XGBModel):
            raise TypeError("SketchPolicy: program_cost_model is an XGBModel or None")
        for callback in init_search_callbacks or ():
            if not isinstance(callback, PreloadMeasuredStates):
                raise TypeError(
                    "SketchPolicy: init_search_callbacks may hold PreloadMeasuredStates only, "
                    f"not {callback!r}"
                )
        if seed is not None and seed < 0:
            raise ValueError("SketchPolicy: seed is 0 or more")
        self.task = task
        self.program_cost_model = program_cost_model
        self.seed = seed
        self.init_search_callbacks = list(init_search_callbacks or ())

    def preloaded(self) -> list[PathLike]:
        """The files whose records the search goes on from."""
        files = [callback.filename for callback in self.init_search_callbacks]
        if self.program_cost_model is not None:
            files += self.program_cost_model.files
        unique = {os.path.realpath(file): file for file in files}
        return list(unique.values())

    def arguments(self) -> list[str]:
        return _words(("--seed", self.seed))


@dataclass(frozen=True)
class TuningOptions:
    """When tuning ends, how candidates are measured, and who is told.

    At least one of ``num_measure_trials``, ``early_stopping`` and ``seconds`` is needed.
    """

    num_measure_trials: int = 0
    """Candidates to measure in this call, besides those of earlier ones; 0: no such limit."""
    early_stopping: int | None = None
    """Ends after so many trials without a gain of 1 %."""
    num_measures_per_round: int | None = None
    """Candidates between two choices of what to measure; None: 16."""
    verbose: int = 1
    """0: silent. 1: prints gains and the result. 2: prints every measurement."""
    builder: LocalBuilder | str = "local"
    runner: LocalRunner | str = "local"
    measure_callbacks: Sequence[RecordToFile | Callable[[Any], None]] = ()
    """At most one RecordToFile, and functions that are called with each MeasureResult. If one
    raises, tuning ends in order and the exception goes on."""
    seconds: float | None = None
    """Ends after so many seconds (not in TVM)."""
    final_seconds: float | None = None
    """For timing the fastest schedules against each other at the end (not in TVM); None: 10."""

    def __post_init__(self) -> None:
        limits = {
            "num_measure_trials": self.num_measure_trials or None,
            "early_stopping": self.early_stopping,
            "seconds": self.seconds,
        }
        if all(value is None for value in limits.values()):
            raise ValueError(f"TuningOptions: say when to end, by one of {', '.join(limits)}")
        limits["num_measures_per_round"] = self.num_measures_per_round
        limits["final_seconds"] = self.final_seconds
        for name, value in limits.items():
            if value is not None and value <= 0:
                raise ValueError(f"TuningOptions: {name} must be positive, not {value}")
        self._choice("builder", LocalBuilder)
        self._choice("runner", LocalRunner)
        if len([each for each in self._callbacks() if isinstance(each, RecordToFile)]) > 1:
            raise ValueError(
                "TuningOptions: one RecordToFile; `nestor records merge` copies to other files"
            )
        for each in self._callbacks():
            if not isinstance(each, RecordToFile) and not callable(each):
                raise TypeError(
                    "TuningOptions: measure_callbacks may hold a RecordToFile and functions, "
                    f"not {each!r}"
                )

    def record_file(self) -> PathLike | None:
        """Where records are kept; None: nowhere."""
        for each in self._callbacks():
            if isinstance(each, RecordToFile):
                return each.filename
        return None

    def listeners(self) -> list[Callable[[Any], None]]:
        """The functions of ``measure_callbacks``, in their order."""
        return [each for each in self._callbacks() if not isinstance(each, RecordToFile)]

    def arguments(self) -> list[str]:
        """Of ``nestor tune``, without ``--trials`` and ``--records``."""
        return [
            *_words(
                ("--early-stopping", self.early_stopping),
                ("--time", self.seconds),
                ("--batch-size", self.num_measures_per_round),
                ("--final-seconds", self.final_seconds),
            ),
            *self._choice("builder", LocalBuilder).arguments(),
            *self._choice("runner", LocalRunner).arguments(),
        ]

    def _callbacks(self) -> list[Any]:
        return list(self.measure_callbacks or ())

    def _choice(self, name: str, kind: type) -> Any:
        """A builder or runner."""
        value = getattr(self, name)
        if value == "local":
            return kind()
        if not isinstance(value, kind):
            raise ValueError(
                f'TuningOptions: {name} is "local" or a {kind.__name__}, not {value!r}: '
                "candidates are measured on this machine"
            )
        return value


def _words(*options: tuple[str, Any]) -> list[str]:
    """Options of a command, without those whose value is None."""
    return [word for name, value in options if value is not None for word in (name, str(value))]
