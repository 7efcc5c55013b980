"""Mutation testing of the scoring expressions, for `make mutants`: change the code, and see that a test fails.

    python tests/mutants/run.py [--mutants 40] [--seed 1] [--list] [MODULE or FOLDER ...]
    python tests/mutants/run.py --only grade/assemble.py:24 --only grade/facts/checks.py:90

cosmic-ray changes one thing at a time in a copy of this checkout: a comparison, a number, an "and". The
spec, unit and oracle tests must notice. The tests nearest to the changed module run first, all
others only when these notice nothing. A mutant that no test notices is printed with its difference,
and must be killed by a new test or explained in explained.toml beside this file; what is left
ends the run with 1. `--only` tries every mutant of a line, to see that a new test kills them.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import importlib
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

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
    "consistency": ["tests/spec/test_consistency_spec.py", "tests/unit/test_consistency.py"],
    "assemble": ["tests/spec/test_scores_spec.py"],
    "verdict_scores": ["tests/unit/test_verdict_scores.py"],
    "cells": ["tests/unit/test_cells.py"],
    "expressions": ["tests/unit/test_scales.py"],
}
"""Tests that notice most, by the module or folder; they run first."""

UNIT = ("tests/unit/test_verdict_scores.py", "tests/unit/test_consistency.py")
ALL_TESTS = (("tests/spec", *UNIT), ("tests/oracle/test_agrees.py",))
"""The others in the order in which they run, each step only when no earlier one noticed anything."""

DOCTESTS = "tests/unit/test_doctests.py::test_the_examples_of_a_module_run"
"""Run for the changed module, beside the nearest tests."""

OPERATORS = re.compile(
    r"core/(ReplaceComparisonOperator_(Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt|Lt_Gt|Gt_Lt|Eq_NotEq|NotEq_Eq|In_NotIn|NotIn_In"
    r"|Is_IsNot|IsNot_Is)|ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul|BitAnd_BitOr|BitOr_BitAnd"
    r"|FloorDiv_Div|Pow_Mul)|NumberReplacer|ReplaceTrueWithFalse|ReplaceFalseWithTrue|ReplaceAndWithOr"
    r"|ReplaceOrWithAnd|ReplaceUnaryOperator_Delete_(Not|Invert|USub)|AddNot)"
)
"""The changes that can be faults of ours; `<` for `is` or `+` for `<<` teach nothing."""

LIBRARIES = ("polars", "pandera.polars", "duckdb", "pyarrow", "scipy.sparse.csgraph")
"""Loaded once; nothing of this checkout is, so that each child reads the changed module."""

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


def is_sign_only(text: str, line: int, column: int) -> bool:
    """Tell whether the place is the bare star of a signature, which multiplies nothing."""
    return text.splitlines()[line - 1][column:].startswith("*,")


def list_mutants(paths: Sequence[Path]) -> Iterator[object]:
    """Return the mutations of modules, without those of types and signatures."""
    from cosmic_ray.commands.init import _all_work_items

    types = {str(path): annotations(path) for path in paths}
    texts = {str(path): path.read_text(encoding="utf-8") for path in paths}
    for item in _all_work_items(paths, {}):
        (mutation,) = item.mutations
        line, column = mutation.start_pos
        path = str(mutation.module_path)
        is_idle = line * 1000 + column in types[path] or is_sign_only(texts[path], line, column)
        if OPERATORS.fullmatch(mutation.operator_name) and not is_idle:
            yield mutation


def steps(path: str) -> list[tuple[str, ...]]:
    """Return the tests of a module, in steps, the one that notices most first."""
    parts = Path(path).with_suffix("").parts
    near = [test for part in reversed(parts) for test in NEAREST.get(part, [])]
    return [(*near, f"{DOCTESTS}[{'.'.join(parts)}]"), *ALL_TESTS]


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


def at_places(mutants: Sequence[object], places: Sequence[str]) -> list[object]:
    """Return the mutants of lines, each written as module:line."""
    by_place: dict[str, list[object]] = {}
    for mutation in mutants:
        by_place.setdefault(f"{mutation.module_path}:{mutation.start_pos[0]}", []).append(mutation)
    missing = [place for place in places if place not in by_place]
    if missing:
        sys.exit(f"no mutant at {', '.join(missing)}")
    return [mutation for place in places for mutation in by_place[place]]


def passes(tests: Sequence[str]) -> bool:
    """Tell whether tests pass, within the time, in a child that need not load the libraries again."""
    child = os.fork()
    if not child:
        os.setsid()
        with Path(os.devnull).open("w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        os._exit(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests]))
    ends = time.monotonic() + TIMEOUT_S
    while time.monotonic() < ends:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status == 0
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    print(f"out of time: {' '.join(tests)}", flush=True)
    return False


@cache
def require_sound(tests: Sequence[str]) -> None:
    """Stop where tests fail without any change; they would seem to kill every mutant."""
    if not passes(tests):
        sys.exit(f"fails without any change: {' '.join(tests)}")


def try_one(mutation: object) -> tuple[bool, str]:
    """Test a mutant; tell whether a test noticed it, and return its difference."""
    from cosmic_ray.mutating import use_mutation
    from cosmic_ray.plugins import get_operator

    operator = get_operator(mutation.operator_name)(**mutation.operator_args)
    path = mutation.module_path
    with use_mutation(path, operator, mutation.occurrence) as (before, after):
        failed = next((tests for tests in steps(str(path)) if not passes(tests)), None)
    if failed:
        require_sound(failed)
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(path), str(path), lineterm="")
    return bool(failed), "\n".join(lines)


def try_all(mutants: Sequence[object]) -> int:
    """Test mutants one after the other; return how many survived without a reason."""
    counts = {"killed": 0, "explained": 0, "survived": 0}
    for number, mutation in enumerate(mutants, start=1):
        started = time.monotonic()
        is_killed, diff = try_one(mutation)
        line = changed_line(diff)
        survived = "explained" if is_explained(str(mutation.module_path), line) else "survived"
        fate = "killed" if is_killed else survived
        counts[fate] += 1
        place = f"{mutation.module_path}:{mutation.start_pos[0]}"
        took = f"{time.monotonic() - started:.0f} s"
        print(f"{number}/{len(mutants)} {fate} {place} {line} ({took})", flush=True)
        if fate == "survived":
            print(diff, flush=True)
    print(", ".join(f"{n} {fate}" for fate, n in counts.items()))
    return counts["survived"]


def main() -> int:
    """Draw mutants and test them."""
    parser = argparse.ArgumentParser(description="mutation testing of the scoring expressions")
    parser.add_argument("scope", nargs="*", default=SCOPE, help="modules or folders")
    parser.add_argument("--mutants", type=int, default=40, help="how many to draw; 0 tests all of them")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw")
    parser.add_argument("--list", action="store_true", help="only count the mutants of each module")
    parser.add_argument("--only", action="append", metavar="MODULE:LINE", help="all mutants of a line")
    asked = parser.parse_args()
    os.environ |= {"FUZZ_PARTS": "1", "FUZZ_SHRINKS": "0", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory(prefix="grade-mutants-") as name:
        copy_checkout(Path(name))
        os.chdir(name)
        sys.path[0] = name
        for library in LIBRARIES:
            importlib.import_module(library)
        only = asked.only or []
        scope = sorted({place.partition(":")[0] for place in only}) or asked.scope
        mutants = list(list_mutants(scope_files(scope)))
        if asked.list:
            found = [str(mutation.module_path) for mutation in mutants]
            print("\n".join(f"{found.count(path):5} {path}" for path in dict.fromkeys(found)))
            return 0
        if only:
            return 1 if try_all(at_places(mutants, only)) else 0
        n_drawn = min(asked.mutants or len(mutants), len(mutants))
        drawn = sorted(random.Random(asked.seed).sample(range(len(mutants)), n_drawn))
        print(f"{n_drawn} of {len(mutants)} mutants, seed {asked.seed}", flush=True)
        return 1 if try_all([mutants[number] for number in drawn]) else 0


if __name__ == "__main__":
    sys.exit(main())
