"""What is in a record file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Sequence

from .child import CommandError, json_of, lines_of
from .workload import file_stem

if TYPE_CHECKING:
    import halide as hl

    from .options import PathLike


@dataclass(frozen=True)
class Record:
    """One measurement of one schedule."""

    pipeline: str
    """Its name; that of a workload's key, with _ between its parts."""
    target: str
    machine: str
    """Model name of the processor."""
    threads: int
    schedule: str
    """JSON, as ``nestor.schedule(..., schedule=FILE)`` replays."""
    schedule_hash: str
    seconds: float | None
    """Of one run; None: it could not be timed."""
    uncertainty: float
    """Half of the 95 % confidence interval of ``seconds``, as a part of it."""
    outcome: str
    """``timed``, or why not: ``wrong``, ``refused``, ..."""
    message: str
    final: bool
    """Timed in turns with other finalists, compiled ahead of time; else a trial."""
    origin: str
    """How the search came by it."""
    created: str
    """UTC."""

    @property
    def timed(self) -> bool:
        return self.seconds is not None


def load_records(filename: PathLike, workload_key: str | None = None) -> Iterator[Record]:
    """All records of a file, or those of one workload, in the order in which they were made.

    Raises FileNotFoundError, and CommandError for a file that is something else.
    """
    for row in rows_of(filename, _of_workload(workload_key)):
        yield _from_export(row)


def load_best_record(
    filename: PathLike,
    workload_key: str | None = None,
    target: hl.Target | str | None = None,
    threads: int | None = None,
) -> Record:
    """The record of the best right schedule. What is left out must not be needed to tell tasks apart.

    Raises FileNotFoundError, and CommandError if there is none or if several tasks fit; its text
    lists what there is.
    """
    filters = _of_workload(workload_key)
    if target is not None:
        filters += ["--target", str(target)]
    if threads is not None:
        filters += ["--threads", str(threads)]
    return best_record(filename, filters)


def best_record(filename: PathLike, filters: Sequence[str]) -> Record:
    """The same, with options of ``nestor records best`` that choose the task."""
    must_exist(filename)
    row = json_of(["records", "best", filename, *filters, "--json"])
    if "missing" in row:
        raise CommandError(f"{filename}: {row['missing']}")
    named = ("pipeline", "target", "machine", "threads", "schedule", "schedule_hash", "seconds")
    return Record(
        **{name: row[name] for name in (*named, "uncertainty", "final", "origin", "created")},
        outcome="timed",
        message="",
    )


def rows_of(filename: PathLike, filters: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """The records that options of ``nestor records export`` choose, with its fields."""
    must_exist(filename)
    for line in lines_of(["records", "export", filename, *filters]):
        if "record" in line:
            yield line["record"]


def must_exist(filename: PathLike) -> None:
    if not Path(filename).exists():
        raise FileNotFoundError(f"there is no record file {filename}; SearchTask.tune makes one")


def _of_workload(workload_key: str | None) -> list[str]:
    return [] if workload_key is None else ["--pipeline", file_stem(workload_key)]


def _from_export(row: dict[str, Any]) -> Record:
    task = row["task"]
    timed = row["outcome"] == "timed"
    named = ("pipeline", "schedule", "schedule_hash", "outcome", "message", "origin", "created")
    return Record(
        target=task["target"],
        machine=task["machine"],
        threads=task["threads"],
        seconds=row["seconds"] if timed else None,
        uncertainty=row["uncertainty"] if timed else 0.0,
        final=row["kind"] == "final",
        **{name: row[name] for name in named},
    )
