"""Runs the ``nestor`` command that is installed beside this package."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from typing import Any, Callable, Iterator, Sequence, Union

from .. import command_path

Word = Union[str, "os.PathLike[str]"]


class CommandError(RuntimeError):
    """``nestor`` ended with an error; the text is its message."""


def output_of(arguments: Sequence[Word]) -> str:
    """What ``nestor ARGUMENTS`` prints. Raises CommandError."""
    answer = subprocess.run(_command(arguments), capture_output=True, check=False)
    if answer.returncode != 0:
        raise CommandError(_message(answer.stderr, answer.returncode))
    return answer.stdout.decode("utf-8", "replace")


def json_of(arguments: Sequence[Word]) -> Any:
    """The JSON that ``nestor ARGUMENTS`` prints. Raises CommandError."""
    return json.loads(output_of(arguments))


def lines_of(arguments: Sequence[Word]) -> Iterator[Any]:
    """Each line of what ``nestor ARGUMENTS`` prints, read as JSON. Raises CommandError at the end."""
    with tempfile.TemporaryFile() as errors:
        child = _start(arguments, errors)
        try:
            for line in child.stdout:
                yield json.loads(line)
            _check(child, errors)
        finally:
            _end(child)


def follow(arguments: Sequence[Word], visit: Callable[[Any], None]) -> str:
    """Calls ``visit`` with each line of JSON as it comes; yields what was written to stderr.

    On Ctrl-C, and if ``visit`` raises, the child is told once (SIGINT), so that it keeps what it
    has measured and ends in order; then the exception goes on. On a second Ctrl-C it is killed,
    which loses the measurement in flight only. Raises CommandError if the child fails.
    """
    with tempfile.TemporaryFile() as errors:
        child = _start(arguments, errors)
        try:
            try:
                for line in child.stdout:
                    visit(json.loads(line))
            except BaseException:
                child.send_signal(signal.SIGINT)
                child.stdout.read()  # it must not wait for a reader
                child.wait()
                raise
            return _check(child, errors)
        finally:
            _end(child)


def _command(arguments: Sequence[Word]) -> list[str]:
    return [str(command_path()), *(os.fspath(word) for word in arguments)]


def _start(arguments: Sequence[Word], errors: Any) -> subprocess.Popen:
    # In a session of its own, a Ctrl-C in the terminal reaches this process only: the child would
    # take that one and the one that is passed on for two, and end at once.
    return subprocess.Popen(
        _command(arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors,
        start_new_session=True,
    )


def _check(child: subprocess.Popen, errors: Any) -> str:
    """Waits; yields what it wrote to ``errors``, or raises CommandError with that."""
    status = child.wait()
    errors.seek(0)
    text = errors.read()
    if status != 0:
        raise CommandError(_message(text, status))
    return text.decode("utf-8", "replace")


def _end(child: subprocess.Popen) -> None:
    if child.poll() is None:
        child.kill()
    child.stdout.close()
    child.wait()


def _message(errors: bytes, status: int) -> str:
    text = errors.decode("utf-8", "replace").strip()
    return text or f"nestor ended with status {status}"
