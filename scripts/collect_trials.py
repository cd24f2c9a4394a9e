#!/usr/bin/env python3
"""The trials of tuning as data that the cost model is judged by: schedules near the best, where the search has to choose.

usage: collect_trials.py [--data FOLDER] RECORDS.db...

Of each pipeline of corpus/ that the files have trials of, as `nestor tune` wrote them (out/tuning/records.db of
scripts/tuning_board), the schedules and their seconds go into FOLDER/PIPELINE.jsonl.gz (default: out/trials), a line each, as
scripts/collect.py writes them. What is there already stays, and a schedule is in it once. All trials of one pipeline have to
be of one machine and as many threads: their times are those beside an anchor (docs/measuring.md), and compare with each other
only. `scripts/model_error.py --data FOLDER` reads them, in a second or two each, which is the quickest way to judge a change
of the model.
"""

import argparse
import json
import pathlib
import sys

from collect import ROOT, nestor, read, text_of, write


def trials(file):
    """{pipeline: [row]} of one records file; those of pipelines that are not in corpus/ are left out."""
    result = {}
    for line in nestor("records", "export", file).splitlines():
        record = json.loads(line).get("record")
        if not record or record["kind"] != "trial" or record["outcome"] != "timed":
            continue
        name = record["pipeline"]
        if (ROOT / "corpus" / name).is_dir():
            row = {key: record[key] for key in ("outcome", "seconds", "uncertainty")}
            schedule = json.loads(record["schedule"])
            drift = json.loads(record["measurement"]).get("drift")
            result.setdefault(name, []).append(
                {"schedule": schedule, "threads": record["task"]["threads"], "drift": drift, **row}
            )
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", type=pathlib.Path, metavar="RECORDS.db")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "out/trials", metavar="FOLDER")
    options = parser.parse_args()
    for file in options.records:
        for name, rows in trials(file).items():
            path = options.data / f"{name}.jsonl.gz"
            known = {}
            for row in read(path) + rows:
                known.setdefault(text_of(row["schedule"]), row)
            write(path, known.values())
            print(f"{name}: {len(known)} schedules in {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
