"""The results of a comparison as a table (plain or Markdown) and as JSON."""

import os
import pathlib
import platform


def machine():
    """What a reader of the numbers should know about where they come from."""
    cpu = platform.processor() or platform.machine()
    info = pathlib.Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                cpu = line.split(":", 1)[1].strip()
    return {"cpu": cpu, "cores": len(os.sched_getaffinity(0)), "load": os.getloadavg()[0]}


def _number(value, factor=1.0):
    if value is None:
        return "-"
    value *= factor
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _shortened(text, longest=100):
    """The JSON has it whole."""
    return text if len(text) <= longest else text[:longest] + "..."


def _milliseconds(version):
    if version.timing is None:
        return "-"
    return f"{_number(version.timing['median'], 1000)} ± {100 * version.timing['uncertainty']:.1f}%"


COLUMNS = [
    "scheduler",
    "scheduling s",
    "its memory MiB",
    "run ms (median)",
    "speed (none = 1)",
    "run memory MiB",
    "verified",
]


def rows(versions):
    """The table's cells as text."""
    base = next((v for v in versions if v.scheduler == "none" and not v.params and v.timing), None)
    table = []
    for version in versions:
        speed = "-"
        if base and version.timing:
            speed = _number(base.timing["median"] / version.timing["median"])
        table.append(
            [
                version.label,
                _number(version.schedule_seconds),
                _number(version.schedule_peak_bytes, 2**-20),
                _milliseconds(version),
                speed,
                _number(version.run_peak_bytes, 2**-20),
                _shortened(f"failed: {version.failure}") if version.failure else version.verified,
            ]
        )
    return table


def as_text(versions):
    table = [COLUMNS, *rows(versions)]
    widths = [max(len(row[i]) for row in table) for i in range(len(COLUMNS) - 1)]
    lines = []
    for row in table:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:-1], widths[1:])), row[-1]]
        lines.append("  ".join(cells))
    return "\n".join(lines)


def as_markdown(results):
    """`results`: pairs of a pipeline's name and its versions."""
    lines = ["| pipeline | " + " | ".join(COLUMNS) + " |", "|---|---|" + "---:|" * (len(COLUMNS) - 2) + "---|"]
    for name, versions in results:
        for row in rows(versions):
            lines.append("| " + " | ".join([name, *(cell.replace("|", "/") for cell in row)]) + " |")
            name = ""
    return "\n".join(lines)


def as_json(results, settings):
    pipelines = {}
    for name, versions in results:
        pipelines[name] = [
            {
                "label": v.label,
                "scheduler": v.scheduler,
                "params": v.params,
                "failure": v.failure,
                "verified": v.verified,
                "schedule_seconds": v.schedule_seconds,
                "schedule_peak_bytes": v.schedule_peak_bytes,
                "compile_seconds": v.compile_seconds,
                "first_run_seconds": v.run_seconds,
                "run_peak_bytes": v.run_peak_bytes,
                "run_seconds": v.timing and v.timing["median"],
                "uncertainty": v.timing and v.timing["uncertainty"],
                "samples": v.timing and v.timing["samples"],
            }
            for v in versions
        ]
    return {"machine": machine(), "settings": settings, "pipelines": pipelines}
