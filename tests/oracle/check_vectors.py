"""check_vectors.py FOLDER: does the twin give the expected value of every line of the four vector files?"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from twin.score import score

FILES = ("facts", "claims", "scores", "consistency")


def differences(case: dict[str, Any]) -> list[str]:
    """What the twin says of one case, where that is not what is expected."""
    tables = score([case["task"]], case["runs"], case["verdicts"])
    said: dict[str, dict[str, Any]] = {
        "facts": {row["fact_id"]: row["score"] for row in tables["fact_checks"]},
        "claims": {row["claim_id"]: row["made"] for row in tables["claim_checks"]},
        "scores": tables["task_scores"][0],
    }
    found = []
    for part, expected in case["expect"].items():
        expected_items = expected if isinstance(expected, dict) else {part: expected}
        given = said.get(part, tables["task_scores"][0])
        for name, value in expected_items.items():
            if not same(given[name], value):
                found.append(f"{case['id']}: {part} {name} is {given[name]!r}, expected {value!r}")
    return found


def same(given: Any, expected: Any) -> bool:
    """Whether two values agree, numbers within 1e-12."""
    if given is None or expected is None:
        return given is expected
    return bool(abs(given - expected) <= 1e-12)


def main() -> int:
    """Check every file; print what differs."""
    folder = Path(sys.argv[1])
    failed = 0
    for name in FILES:
        with (folder / f"{name}.jsonl").open(encoding="utf-8") as lines:
            cases = [json.loads(line) for line in lines]
        wrong = [text for case in cases for text in differences(case)]
        failed += len(wrong)
        print(f"{name}: {len(cases)} cases, {len(wrong)} differences")
        for text in wrong:
            print("  " + text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
