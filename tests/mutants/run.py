"""Mutation testing of the scoring expressions, for `make mutants`: change the code, and see that a test fails.

    python tests/mutants/run.py [--mutants 40] [--seed 1] [--list] [MODULE or FOLDER ...]

cosmic-ray changes one thing at a time in a copy of this checkout: a comparison, a number, an "and". The
spec, unit and oracle tests must notice. A mutant that they do not notice is printed with its difference,
and must be killed by a new test or explained in explained.toml beside this file; what is left
ends the run with 1.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
COPIED = ("grade", "pipelines", "sql", "data", "tests", "pyproject.toml")
SCOPE = (
    *("grade/expressions", "grade/facts", "grade/claims"),
    *("grade/consistency.py", "grade/assemble.py", "grade/verdict_scores.py"),
)
"""Where the numbers are made."""

NEAREST = {
    "facts": ["tests/spec/test_facts_spec.py"],
    "claims": ["tests/spec/test_claims_spec.py"],
    "consistency": ["tests/spec/test_consistency_spec.py"],
    "assemble": ["tests/spec/test_scores_spec.py"],
    "verdict_scores": ["tests/unit/test_verdict_scores.py"],
    "cells": ["tests/unit/test_cells.py"],
    "expressions": ["tests/unit/test_scales.py"],
}
"""Tests that notice most, by the module or folder; they run first."""

ALL_TESTS = (
    *("tests/spec", "tests/unit/test_verdict_scores.py", "tests/unit/test_doctests.py"),
    "tests/oracle/test_agrees.py",
)
OPERATORS = re.compile(
    r"core/(ReplaceComparisonOperator_(Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt|Lt_Gt|Gt_Lt|Eq_NotEq|NotEq_Eq|In_NotIn|NotIn_In"
    r"|Is_IsNot|IsNot_Is)|ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul|BitAnd_BitOr|BitOr_BitAnd"
    r"|FloorDiv_Div|Pow_Mul)|NumberReplacer|ReplaceTrueWithFalse|ReplaceFalseWithTrue|ReplaceAndWithOr"
    r"|ReplaceOrWithAnd|ReplaceUnaryOperator_Delete_(Not|Invert|USub)|AddNot)"
)
"""The changes that can be faults of ours; `<` for `is` or `+` for `<<` teach nothing."""

TIMEOUT_S = 180.0


def scope_files(names: Sequence[str]) -> list[Path]:
    """Return the modules that names stand for, relative to the checkout."""
    found = [path for name in names for path in (sorted(Path(name).rglob("*.py")) or [Path(name)])]
    missing = [str(path) for path in found if not path.is_file()]
    if missing:
        sys.exit(f"no such module: {', '.join(missing)}")
    return [path for path in found if path.name != "__init__.py"]


def annotations(path: Path) -> set[int]:
    """Lines and columns of a module, as line * 1000 + column, that only say types."""
    spans: set[int] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for field in ("annotation", "returns"):
            said = getattr(node, field, None)
            if isinstance(said, ast.expr):
                first, last = (said.lineno, said.col_offset), (said.end_lineno, said.end_col_offset)
                spans |= {
                    line * 1000 + column
                    for line in range(first[0], last[0] + 1)
                    for column in range(200)
                    if first <= (line, column) < last
                }
    return spans


def list_mutants(paths: Sequence[Path]) -> Iterator[object]:
    """Return the mutations of modules, without those of types."""
    from cosmic_ray.commands.init import _all_work_items

    types = {str(path): annotations(path) for path in paths}
    for item in _all_work_items(paths, {}):
        (mutation,) = item.mutations
        line, column = mutation.start_pos
        is_type = line * 1000 + column in types[str(mutation.module_path)]
        if OPERATORS.fullmatch(mutation.operator_name) and not is_type:
            yield mutation


def command(path: str) -> str:
    """Return the tests to run for a module, those that notice most first."""
    parts = Path(path).with_suffix("").parts
    near = [test for part in reversed(parts) for test in NEAREST.get(part, [])]
    options = f"{sys.executable} -m pytest -x -q -p no:xdist -p no:cacheprovider"
    return f"{options} {' '.join(dict.fromkeys([*near, *ALL_TESTS]))}"


def changed_line(diff: str) -> str:
    """Return the line that a mutant put in."""
    lines = [line for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++")]
    return lines[0][1:].strip() if lines else ""


def is_explained(path: str, line: str) -> bool:
    """Tell whether explained.toml gives the reason why no test can notice a mutant."""
    text = Path(__file__).with_name("explained.toml").read_text(encoding="utf-8")
    known = tomllib.loads(text).get("mutant", [])
    return any(one.get("module", path) == path and one["line"] in line for one in known)


def copy_checkout(to: Path) -> None:
    """Copy what the tests need, so that no file of the checkout is ever changed."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, to / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(source, to / name)


def try_all(mutants: Sequence[object]) -> int:
    """Test mutants one after the other; return how many survived without a reason."""
    from cosmic_ray.mutating import mutate_and_test

    counts = {"killed": 0, "explained": 0, "survived": 0}
    for number, mutation in enumerate(mutants, start=1):
        outcome = mutate_and_test([mutation], command(str(mutation.module_path)), TIMEOUT_S)
        line = changed_line(outcome.diff or "")
        fate = "killed" if outcome.is_killed else "survived"
        if fate == "survived" and is_explained(str(mutation.module_path), line):
            fate = "explained"
        counts[fate] += 1
        place = f"{mutation.module_path}:{mutation.start_pos[0]}"
        print(f"{number}/{len(mutants)} {fate} {place} {line}", flush=True)
        if fate == "survived":
            print(outcome.diff, flush=True)
    print(", ".join(f"{n} {fate}" for fate, n in counts.items()))
    return counts["survived"]


def main() -> int:
    """Draw mutants and test them."""
    parser = argparse.ArgumentParser(description="mutation testing of the scoring expressions")
    parser.add_argument("scope", nargs="*", default=SCOPE, help="modules or folders")
    parser.add_argument("--mutants", type=int, default=40, help="how many to draw; 0 tests all of them")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw")
    parser.add_argument("--list", action="store_true", help="only count the mutants of each module")
    asked = parser.parse_args()
    os.environ |= {"PYTHONDONTWRITEBYTECODE": "1", "FUZZ_PARTS": "1"}
    with tempfile.TemporaryDirectory(prefix="grade-mutants-") as name:
        copy_checkout(Path(name))
        os.chdir(name)
        mutants = list(list_mutants(scope_files(asked.scope)))
        if asked.list:
            found = [str(mutation.module_path) for mutation in mutants]
            print("\n".join(f"{found.count(path):5} {path}" for path in dict.fromkeys(found)))
            return 0
        n_drawn = min(asked.mutants or len(mutants), len(mutants))
        drawn = sorted(random.Random(asked.seed).sample(range(len(mutants)), n_drawn))
        print(f"{n_drawn} of {len(mutants)} mutants, seed {asked.seed}", flush=True)
        return 1 if try_all([mutants[number] for number in drawn]) else 0


if __name__ == "__main__":
    sys.exit(main())
