"""A pipeline with its best schedule: lowered, compiled, called, timed."""

from __future__ import annotations

import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import halide as hl

    from .. import Schedule


@dataclass(frozen=True)
class ScheduledProgram:
    """A new pipeline of the workload's function, scheduled; ready for all that Halide does with one."""

    pipeline: hl.Pipeline
    inputs: list[Any]
    """ImageParam and Param as the function returned them, or Argument."""
    outputs: list[hl.Func]
    target: hl.Target
    schedule: Schedule
    """What was applied, as C++, Python and JSON."""

    def lowered(self) -> str:
        """The program that the schedule makes, lowered; parallel loops are still loops.

        (``pipeline.compile_to_lowered_stmt`` writes what comes after that, for LLVM.)
        """
        import halide as hl

        with tempfile.TemporaryDirectory(prefix="nestor-") as folder:
            path = Path(folder) / "lowered.stmt"
            self.pipeline.compile_to_conceptual_stmt(
                str(path), self.inputs, hl.StmtOutputFormat.Text, self.target
            )
            return path.read_text(encoding="utf-8")

    def print_lowered(self) -> None:
        """Prints ``lowered()``."""
        print(self.lowered())

    def compile(self) -> CompiledProgram:
        """Compiles into this process. Raises halide.HalideError."""
        return CompiledProgram(self.pipeline.compile_to_callable(self.inputs, self.target))


class CompiledProgram:
    """A function of the inputs, then the outputs, each an ``hl.Buffer`` or NumPy array, or a number.

    As everywhere in Halide's Python, the last axis of an array is a buffer's dimension 0. It runs on
    as many threads as Halide's pool has: HL_NUM_THREADS, or all cores.
    """

    def __init__(self, function: hl.Callable) -> None:
        self._function = function

    def __call__(self, *arguments: Any) -> None:
        """Writes the outputs. Raises halide.HalideError for arguments that do not fit."""
        self._function(*_as_buffers(arguments))

    def time_evaluator(
        self, number: int = 10, repeat: int = 1, min_repeat_ms: float = 0
    ) -> TimeEvaluator:
        """See ``TimeEvaluator``."""
        return TimeEvaluator(self, number, repeat, min_repeat_ms)


@dataclass(frozen=True)
class TimeResult:
    """Seconds of one call."""

    results: tuple[float, ...]
    """Of each repetition, the mean of its calls."""

    @property
    def mean(self) -> float:
        return statistics.fmean(self.results)

    @property
    def median(self) -> float:
        return statistics.median(self.results)

    @property
    def std(self) -> float:
        """Of the population, as NumPy's std; 0 for one repetition."""
        return statistics.pstdev(self.results)

    @property
    def min(self) -> float:
        return min(self.results)

    @property
    def max(self) -> float:
        return max(self.results)


@dataclass(frozen=True)
class TimeEvaluator:
    """Calls a compiled program to time it: once to warm up, then ``repeat`` times ``number`` calls,
    or as many more as take ``min_repeat_ms``. The call from Python (some microseconds) is counted."""

    program: CompiledProgram
    number: int = 10
    repeat: int = 1
    min_repeat_ms: float = 0

    def __post_init__(self) -> None:
        if self.number < 1 or self.repeat < 1 or self.min_repeat_ms < 0:
            raise ValueError("time_evaluator: number and repeat are 1 or more, min_repeat_ms 0 or more")

    def __call__(self, *arguments: Any) -> TimeResult:
        """Times calls with these arguments, which are the program's."""
        buffers = _as_buffers(arguments)
        self.program(*buffers)
        number = self.number
        results = []
        while len(results) < self.repeat:
            start = time.perf_counter()
            for _ in range(number):
                self.program(*buffers)
            seconds = time.perf_counter() - start
            if seconds * 1000 >= self.min_repeat_ms:
                results.append(seconds / number)
            else:  # too short: as many as should do, and some more
                wanted = self.min_repeat_ms / 1000 / max(seconds, 1e-9) * 1.1
                number = max(number + 1, int(number * min(wanted, 100.0)))
        return TimeResult(tuple(results))


def time_evaluator(
    program: CompiledProgram, number: int = 10, repeat: int = 1, min_repeat_ms: float = 0
) -> TimeEvaluator:
    """``program.time_evaluator(...)``."""
    return TimeEvaluator(program, number, repeat, min_repeat_ms)


def _as_buffers(arguments: tuple[Any, ...]) -> list[Any]:
    """Arrays as buffers that share their memory."""
    import halide as hl
    import numpy

    return [hl.Buffer(each) if isinstance(each, numpy.ndarray) else each for each in arguments]
