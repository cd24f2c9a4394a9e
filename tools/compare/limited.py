"""Runs a command under limits and says what became of it: failure is data here."""

import dataclasses
import os
import resource
import signal
import subprocess
import tempfile
import time


@dataclasses.dataclass
class Outcome:
    """What became of a command. `failure` is empty if it succeeded."""

    failure: str
    seconds: float
    peak_bytes: int
    stdout: str
    stderr: str


def _text(file):
    file.seek(0)
    return file.read().decode(errors="replace")


def _failure(status, timed_out, seconds_limit, stderr):
    if timed_out:
        return f"time limit of {seconds_limit:g} s"
    code = os.waitstatus_to_exitcode(status)
    if code == 0:
        return ""
    if "bad_alloc" in stderr or "out of memory" in stderr.lower():
        return "memory limit"
    # Halide prints one message on several lines; the first says what is wrong.
    lines = [line for line in stderr.splitlines() if line.strip() and not line.startswith("Warning")]
    text = f": {' '.join(lines)[:200]}" if lines else ""
    if code < 0:
        return f"ended by {signal.Signals(-code).name}{text}"
    return f"exit code {code}{text}"


def run_limited(command, seconds_limit, memory_limit=None, environment=None):
    """`memory_limit`: bytes of address space, None for no limit. The whole process group is killed at the end."""

    def limit():
        os.setsid()
        if memory_limit:
            resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env={**os.environ, **(environment or {})},
            preexec_fn=limit,
        )
        timed_out = False
        try:
            while True:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    break
                if not timed_out and time.monotonic() - start > seconds_limit:
                    timed_out = True
                    os.killpg(process.pid, signal.SIGKILL)
                time.sleep(0.002)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - start
        stdout, stderr = _text(out), _text(err)
    failure = _failure(status, timed_out, seconds_limit, stderr)
    return Outcome(failure, seconds, usage.ru_maxrss * 1024, stdout, stderr)
