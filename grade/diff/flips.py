"""Stage flips: checks and decisions of two results -> those that came out otherwise, with both evidences."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from grade.diff.tables import CLAIM_FLIPS, DECISION_FLIPS, FACT_FLIPS
from grade.schemas import check
from grade.table import Table


def find_fact_flips(old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """Return the facts that one result finds in a run and the other does not.

    Args:
        old: FACT_CHECKS of some models in the one result.
        new: FACT_CHECKS of the same models in the other.

    Returns:
        FACT_FLIPS; checks that only one result has are left out.
    """
    return _flips(old, new, FACT_FLIPS, decided="matched")


def find_claim_flips(
    old: pl.DataFrame, new: pl.DataFrame, *, old_claims: pl.DataFrame, new_claims: pl.DataFrame
) -> pl.DataFrame:
    """Return the claims that count as made in one result and not in the other.

    Claims are found by their place in the task's list; where the lists were edited, the two texts
    show that another claim stands there now.

    Args:
        old: CLAIM_CHECKS of some models in the one result.
        new: CLAIM_CHECKS of the same models in the other.
        old_claims: task_id, claim_id and claim_text of the one catalogue.
        new_claims: The same of the other.

    Returns:
        CLAIM_FLIPS.
    """
    return _flips(_with_text(old, old_claims), _with_text(new, new_claims), CLAIM_FLIPS, decided="made")


def find_decision_flips(old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """Return the decisions whose status differs.

    Args:
        old: DECISIONS of some models in the one result.
        new: DECISIONS of the same models in the other.

    Returns:
        DECISION_FLIPS.
    """
    return _flips(old, new, DECISION_FLIPS, decided="status")


def join_versions(
    old: pl.DataFrame,
    new: pl.DataFrame,
    key: Sequence[str],
    paired: Sequence[str],
    shared: Sequence[str] = (),
) -> pl.DataFrame:
    """Return the rows that both versions have, with both values of the paired columns.

    Args:
        old: The one version.
        new: The other.
        key: The columns that find a row; null is a value.
        paired: Columns of both, by their names in them; `old_` and `new_` go before them.
        shared: Columns that are taken from the new version.
    """
    before = old.select(*key, *(pl.col(name).alias(f"old_{name}") for name in paired))
    after = new.select(*key, *shared, *(pl.col(name).alias(f"new_{name}") for name in paired))
    return before.join(after, on=list(key), how="inner", nulls_equal=True, validate="1:1")


def _flips(old: pl.DataFrame, new: pl.DataFrame, table: Table, *, decided: str) -> pl.DataFrame:
    paired = [name.removeprefix("old_") for name in table.values if name.startswith("old_")]
    shared = [name for name in table.values if not name.startswith(("old_", "new_"))]
    both = join_versions(old, new, table.key, paired, shared)
    flipped = both.filter(pl.col(f"old_{decided}") != pl.col(f"new_{decided}"))
    ordered = flipped.select(table.columns).sort(table.key, nulls_last=False)
    return check(ordered, table, where="find flips")


def _with_text(checks: pl.DataFrame, claims: pl.DataFrame) -> pl.DataFrame:
    texts = claims.select("task_id", "claim_id", "claim_text")
    return checks.join(texts, on=["task_id", "claim_id"], how="left", validate="m:1")
