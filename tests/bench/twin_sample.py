"""twin_sample.py RUNS PACKS N: score the first N runs with the plain-Python twin."""

from __future__ import annotations

import json
import sys
from itertools import islice
from pathlib import Path

from tasks import read_tasks

sys.path.insert(0, str(Path(__file__).parents[1] / "oracle"))

from twin.score import score


def main() -> None:
    path, packs, number = sys.argv[1:]
    with Path(path).open(encoding="utf-8") as file:
        runs = [json.loads(line) for line in islice(file, int(number))]
    tables = score(read_tasks(Path(packs)), runs, [])
    print(len(tables["run_scores"]))


if __name__ == "__main__":
    main()
