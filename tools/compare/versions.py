"""Versions of a pipeline: one generator, scheduled in several ways, each compiled to a shared library."""

import dataclasses
import importlib.metadata
import pathlib
import re

from limited import run_limited

# Schedulers that search with a beam, and are greedy when it is one wide.
BEAM_SCHEDULERS = ("Nestor", "Adams2019")


@dataclasses.dataclass
class Limits:
    """Of one call of a generator."""

    seconds: float = 120
    unscheduled_seconds: float = 60
    memory: int = 6 << 30


@dataclasses.dataclass
class Version:
    """One way to schedule a pipeline and what came of it. `failure` is empty while all is well."""

    label: str
    scheduler: str  # "expert": as the generator schedules itself; "none": not at all (by Nestor's plug-in)
    params: list
    failure: str = ""
    schedule_seconds: float | None = None
    schedule_peak_bytes: int | None = None
    compile_seconds: float | None = None
    folder: pathlib.Path | None = None
    function: str = ""
    library: pathlib.Path | None = None
    run_seconds: float | None = None
    run_peak_bytes: int | None = None
    verified: str = ""
    timing: dict | None = None

    @property
    def slug(self):
        return re.sub(r"[^a-z0-9]+", "_", self.label.lower()).strip("_")

    @property
    def schedule_file(self):
        return self.folder / f"{self.function}.schedule.h"


def parse_versions(text, greedy=False):
    """`Adams2019:autoscheduler.beam_size=1:tile=4,none`: names, each with parameters for the generator."""
    versions = []
    for word in text.split(","):
        scheduler, *params = word.strip().split(":")
        versions.append(Version(" ".join([scheduler, *params]), scheduler, params))
        if greedy and scheduler in BEAM_SCHEDULERS and not params:
            versions.append(Version(f"{scheduler} greedy", scheduler, ["autoscheduler.beam_size=1"]))
    labels = [version.slug for version in versions]
    if len(set(labels)) != len(labels):
        raise ValueError(f"the same version twice in {text}")
    return versions


def find_plugin(scheduler, build, named):
    """The file of a scheduler's plug-in: as named by the caller, else from `build` or the Halide wheel."""
    if scheduler in named:
        return pathlib.Path(named[scheduler])
    file = f"libautoschedule_{scheduler.lower()}.so"
    if scheduler == "expert":
        return None
    if scheduler in ("Nestor", "none"):
        file = "libautoschedule_nestor.so"
        path = pathlib.Path(build) / "lib" / file
        return path if path.exists() else None
    halide = importlib.metadata.distribution("halide")
    path = pathlib.Path(halide.locate_file("halide/lib64")) / file
    return path if path.exists() else None


def build_runtime(generator, folder, compiler):
    """The Halide run-time that all versions share. Returns its library; raises RuntimeError."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [generator, "-r", "runtime", "-o", folder, "-e", "object", "target=host"]
    made = run_limited(command, 120)
    if not made.failure:
        library = folder / "runtime.so"
        made = run_limited([compiler, "-shared", "-o", library, folder / "runtime.o", "-ldl", "-lpthread"], 120)
    if made.failure:
        raise RuntimeError(f"cannot build the Halide run-time: {made.failure}")
    return library


def _emit(version, generator, name, what, plugin, params, seconds, memory):
    command = [generator, "-g", name, "-f", version.function, "-o", version.folder, "-e", what]
    if version.scheduler == "none":
        params = ["autoscheduler=Nestor", "autoscheduler.schedule=none", *params]
    elif version.scheduler != "expert":
        params = [f"autoscheduler={version.scheduler}", *params]
    if plugin is not None:
        command += ["-p", plugin]
    return run_limited([*command, "target=host-no_runtime", *params, *version.params], seconds, memory)


def build_version(version, generator, name, folder, plugin, params, parallelism, limits, compiler):
    """Fills in the version: schedules once for the time that it takes, then again to compile."""
    version.function = f"{name}_{version.slug}"
    version.folder = folder / version.slug
    version.folder.mkdir(parents=True, exist_ok=True)
    seconds = limits.unscheduled_seconds if version.scheduler in ("none", "expert") else limits.seconds
    if plugin is None and version.scheduler != "expert":
        version.failure = "no plug-in"
        return
    if version.scheduler not in ("none", "expert"):
        if not any(param.startswith("autoscheduler.parallelism=") for param in version.params):
            params = [*params, f"autoscheduler.parallelism={parallelism}"]
        # Scheduling alone; the number includes the start of the generator and lowering, not LLVM.
        made = _emit(version, generator, name, "schedule", plugin, params, seconds, limits.memory)
        version.schedule_seconds, version.schedule_peak_bytes = made.seconds, made.peak_bytes
        if made.failure:
            version.failure = f"scheduling: {made.failure}"
            return
    made = _emit(version, generator, name, "object,c_header", plugin, params, seconds, limits.memory)
    version.compile_seconds = made.seconds
    if made.failure:
        version.failure = f"compiling: {made.failure}"
        return
    version.library = version.folder / f"{version.function}.so"
    made = run_limited(
        [compiler, "-shared", "-o", version.library, version.folder / f"{version.function}.o"], 60
    )
    if made.failure:
        version.failure = f"linking: {made.failure}"
