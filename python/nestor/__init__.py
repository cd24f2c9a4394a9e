"""Nestor: an autoscheduler for Halide.

    import halide as hl
    import nestor

    result = nestor.schedule(pipeline, "host", parallelism=8)   # the pipeline is scheduled now
    print(result.cpp)

``load()`` registers the scheduler with Halide and leaves the rest to Halide's own functions:

    nestor.load()
    pipeline.apply_autoscheduler(target, hl.AutoschedulerParams("Nestor", {"parallelism": "8"}))

``nestor.auto_scheduler`` tunes by measuring.
"""

from __future__ import annotations

import functools
import os
import shutil
import tempfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    import halide as hl

__all__ = ["Schedule", "cmake_path", "command_path", "load", "plugin_path", "schedule"]

_HERE = Path(__file__).resolve().parent

ParamValue = Union[str, int, float, bool, "os.PathLike[str]"]


@dataclass(frozen=True)
class Schedule:
    """What ``schedule`` did to a pipeline, in three notations of the same directives."""

    cpp: str
    """Body of a C++ function of a ``Halide::Pipeline pipeline`` and a ``Halide::Target target``."""

    python: str
    """Module with ``apply_schedule_<name>(pipeline, target, inputs={})``."""

    json: str
    """The canonical form: ``schedule(..., schedule=FILE)`` replays a file that holds it."""


def plugin_path() -> Path:
    """The plug-in that Halide loads (``-p`` of a generator, ``halide.load_plugin``).

    Raises FileNotFoundError if it is not installed beside this module.
    """
    return _installed("lib/libautoschedule_nestor.so")


def command_path() -> Path:
    """The command ``nestor``.

    Raises FileNotFoundError if it is not installed beside this module.
    """
    return _installed("bin/nestor")


def cmake_path() -> Path:
    """The folder of NestorConfig.cmake, for ``-DNestor_DIR=``.

    Raises FileNotFoundError if it is not installed beside this module.
    """
    return _installed("lib/cmake/Nestor")


@functools.cache
def load() -> None:
    """Registers the scheduler ``Nestor`` with the Halide of this process; further calls do nothing.

    Raises RuntimeError if that Halide is another release than Nestor was built for.
    """
    import halide as hl

    needed = _needed_halide()
    try:
        found = metadata.version("halide")
    except metadata.PackageNotFoundError:
        found = needed  # built from source, say: the plug-in looks for itself
    if needed and found != needed:
        raise RuntimeError(
            f"Nestor was built for Halide {needed}, and Halide {found} is installed; "
            f"run: python3 -m pip install halide=={needed}"
        )
    hl.load_plugin(str(plugin_path()))


def schedule(pipeline: hl.Pipeline, target: hl.Target | str, **params: ParamValue) -> Schedule:
    """Schedules ``pipeline`` in place, for ``target`` (``"host"``, ``"x86-64-linux-avx2"``, ...).

    ``params`` are the plug-in's: ``parallelism=8`` (tasks), ``time_limit=5`` (seconds),
    ``memory_limit="64m"`` (bytes), ``save=DIR`` and so on. The outputs need estimates
    (``Func.set_estimates``), or give ``default_extent=N`` (elements in every dimension).

    Raises halide.HalideError with the reason if the pipeline cannot be scheduled or a parameter is
    wrong, RuntimeError as ``load`` does, OSError if ``save`` cannot be written.
    """
    import halide as hl

    load()
    if isinstance(target, str):
        target = hl.Target(target)
    extra = {key: param_text(value) for key, value in params.items()}
    kept = extra.get("save")
    # Always saved to a folder of our own first: one that is kept may hold other schedules.
    with tempfile.TemporaryDirectory(prefix="nestor-") as scratch:
        extra["save"] = scratch
        results = pipeline.apply_autoscheduler(target, hl.AutoschedulerParams("Nestor", extra))
        result = Schedule(
            cpp=results.schedule_source,
            python=_only_file(scratch, "*.schedule.py"),
            json=_only_file(scratch, "*.schedule.json"),
        )
        if kept is not None:
            _keep(Path(scratch), Path(kept))
    return result


def _installed(name: str) -> Path:
    path = _HERE / name
    if not path.exists():
        raise FileNotFoundError(
            f"{path} is missing: this module was not installed with its plug-in; "
            "run `python3 -m pip install .` in Nestor's source tree"
        )
    return path


def _needed_halide() -> str | None:
    """The release that this distribution requires; None where there is no distribution."""
    try:
        requirements = metadata.requires("nestor") or []
    except metadata.PackageNotFoundError:
        return None
    for requirement in requirements:
        name, _, version = requirement.partition("==")
        if name.strip() == "halide":
            return version.strip()
    return None


def param_text(value: ParamValue) -> str:
    """A parameter as the plug-in reads it."""
    if isinstance(value, bool):
        return "1" if value else "0"
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _only_file(folder: str, pattern: str) -> str:
    """The text of the one file that matches."""
    (path,) = Path(folder).glob(pattern)
    return path.read_text(encoding="utf-8")


def _keep(scratch: Path, folder: Path) -> None:
    """Copies what was saved; each file appears whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    for source in scratch.iterdir():
        partial = folder / f".{source.name}.{os.getpid()}"
        try:
            shutil.copyfile(source, partial)
            os.replace(partial, folder / source.name)
        finally:
            partial.unlink(missing_ok=True)
