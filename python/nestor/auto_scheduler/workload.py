"""Pipelines by name: functions that make them, and what they return."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Sequence

if TYPE_CHECKING:
    import halide as hl

_functions: dict[str, Callable[..., Any]] = {}


def register_workload(
    func_name: str | Callable[..., Any],
    f: Callable[..., Any] | None = None,
    override: bool = False,
) -> Any:
    """Registers a function that makes a pipeline, so that tasks can name it.

    The function takes numbers, strings, booleans or lists of them, and returns what a caller of the
    pipeline passes: its inputs (``hl.ImageParam``, ``hl.Param``), then its outputs (``hl.Func``),
    as a list, or the one output alone. Inputs may be left out; they are then in the order of
    ``hl.Pipeline.infer_arguments``. Outputs and inputs need estimates. Every call makes a new
    pipeline.

    As a decorator: ``@register_workload``, or ``@register_workload("name")``; as a function:
    ``register_workload("name", function)``. Yields the function. Raises ValueError if the name is
    taken by another function, unless ``override`` is true.
    """
    if callable(func_name):
        return _register(func_name.__name__, func_name, override)
    if f is not None:
        return _register(func_name, f, override)
    return lambda function: _register(func_name, function, override)


def make_workload_key(func: str | Callable[..., Any], args: Sequence[Any]) -> str:
    """The name of a registered function and its arguments as one text: a JSON array.

    Raises ValueError if it is not registered, or if an argument is none of those that
    ``register_workload`` lists.
    """
    name = func if isinstance(func, str) else _name_of(func)
    function_of(name)
    try:
        key = json.dumps([name, *args])
    except TypeError:
        raise ValueError(
            f"{name}: arguments are numbers, strings, booleans or lists of them, not {args!r}"
        ) from None
    return key


def function_of(name: str) -> Callable[..., Any]:
    """The registered function. Raises ValueError, which names those that there are."""
    if name not in _functions:
        known = ", ".join(sorted(_functions)) or "none"
        raise ValueError(
            f"no workload `{name}` is registered (there are: {known}); "
            "write @register_workload in front of the function that makes its pipeline"
        )
    return _functions[name]


def file_stem(workload_key: str) -> str:
    """The name of a workload in files and records: ``matmul_1024_1024`` for ``["matmul", 1024, 1024]``."""
    return re.sub(r"\W+", "_", workload_key, flags=re.ASCII).strip("_")


@dataclass(frozen=True)
class Workload:
    """One pipeline that a registered function made."""

    inputs: list[Any]
    """What a caller passes before the outputs: ImageParam and Param, or Argument."""
    outputs: list[hl.Func]
    pipeline: hl.Pipeline

    @staticmethod
    def make(workload_key: str) -> Workload:
        """Calls the function of the key. Raises ValueError, or TypeError for what it must not return."""
        import halide as hl

        name, *args = json.loads(workload_key)
        returned = function_of(name)(*args)
        items = list(returned) if isinstance(returned, (list, tuple)) else [returned]
        inputs = [item for item in items if isinstance(item, (hl.ImageParam, hl.Param))]
        outputs = [item for item in items if isinstance(item, hl.Func)]
        if not outputs or len(inputs) + len(outputs) != len(items):
            raise TypeError(
                f"workload `{name}` must return its inputs (hl.ImageParam, hl.Param) and outputs "
                f"(hl.Func), not {[type(item).__name__ for item in items]}"
            )
        pipeline = hl.Pipeline(outputs)
        return Workload(inputs or list(pipeline.infer_arguments()), outputs, pipeline)


def _register(name: str, function: Callable[..., Any], override: bool) -> Callable[..., Any]:
    if not override and _functions.get(name, function) is not function:
        raise ValueError(f"the workload `{name}` is registered already; override=True replaces it")
    _functions[name] = function
    return function


def _name_of(function: Callable[..., Any]) -> str:
    for name, known in _functions.items():
        if known is function:
            return name
    return getattr(function, "__name__", repr(function))
