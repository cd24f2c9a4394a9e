"""Versions of one pipeline of the corpus, timed in turns by `nestor bench`: for the scripts that compare many of them."""

import json
import subprocess

from collect import BUILD, ROOT

BOARD = ROOT / "out/board/inputs"


def seconds_of(pipeline, versions, options, *timing):
    """Seconds of each of the versions; None of one that failed or computes something else than the first. `options`: folder,
    which keeps what is built, and threads. `timing`: options of `nestor bench`."""
    file = options.folder / f"{pipeline}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    inputs = ["--inputs", ROOT / "corpus"] + (["--inputs", BOARD] if BOARD.exists() else [])
    command = [BUILD / "bin/nestor", "bench", BUILD / f"corpus/{pipeline}.generator", *inputs, "--quiet", "--json", file]
    command += ["--folder", options.folder / "built", "--reuse", "--versions", ",".join(versions)]
    command += ["--threads", options.threads, "--parallelism", options.threads, *timing]
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    (row,) = json.loads(file.read_text())["pipelines"]
    return [version.get("seconds") or None for version in row["versions"]]
