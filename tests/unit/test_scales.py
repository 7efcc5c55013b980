"""The scales of scores, value by value, as the method lists them."""

from __future__ import annotations

import polars as pl
import pytest

from grade.expressions.categories import INT_NAMES, int_of_unit, rank_of_category
from grade.expressions.values import as_read, is_within, reading
from grade.expressions.verdicts import (
    category_of_int,
    category_of_unit,
    forms_disagree,
    has_score,
    unit_score,
)

BELOW = 1e-6
"""Less than any score differs by, and more than what arithmetic loses."""


def of(expression: pl.Expr, **columns: object) -> object:
    """The value of an expression over one row."""
    return pl.DataFrame({name: [value] for name, value in columns.items()}).select(expression).item()


VERDICT = {"score": pl.String, "int_score": pl.Int64, "numeric_score": pl.Float64}


def verdict(expression: pl.Expr, *forms: object) -> object:
    return pl.DataFrame([forms], VERDICT, orient="row").select(expression).item()


def test_integer_scores_have_the_names_of_the_method():
    assert INT_NAMES == {
        1: "Unacceptable",
        2: "Major Revisions",
        3: "Acceptable",
        4: "Good",
        5: "Excellent",
    }


@pytest.mark.parametrize(
    ("unit", "score", "category"),
    [
        *((1.0, 5, "pass"), (0.9, 5, "pass"), (0.9 - BELOW, 4, "pass"), (0.9 - 1e-11, 5, "pass")),
        *((0.8, 4, "pass"), (0.1 + 0.7, 4, "pass"), (0.8 - BELOW, 3, "partial")),
        *((0.5, 3, "partial"), (0.5 - BELOW, 2, "fail"), (0.5 - 1e-11, 3, "partial")),
        *((0.25, 2, "fail"), (0.25 - BELOW, 1, "fail"), (0.0, 1, "fail")),
    ],
)
def test_a_unit_score_has_its_integer_score_and_category(unit, score, category):
    assert of(int_of_unit(pl.col("x")), x=unit) == score
    assert of(category_of_unit(pl.col("x")), x=unit) == category


def test_categories_rank_from_worst_to_best():
    ranks = pl.select(rank_of_category(pl.Series(["fail", "partial", "pass", None]))).to_series()
    assert ranks.to_list() == [0, 1, 2, None]


@pytest.mark.parametrize(
    ("score", "unit", "category"),
    [(1, 0.0, "fail"), (2, 0.25, "fail"), (3, 0.5, "partial"), (4, 0.8, "pass"), (5, 1.0, "pass")],
)
def test_an_integer_score_has_its_unit_score_and_category(score, unit, category):
    forms = (None, score, None)
    assert verdict(unit_score(), *forms) == unit
    assert verdict(category_of_int(pl.col("int_score")), *forms) == category
    assert verdict(category_of_unit(unit_score()), *forms) == category


@pytest.mark.parametrize(
    ("forms", "unit", "is_at_odds"),
    [
        (("pass", None, None), 1.0, False),
        (("partial", None, None), 0.5, False),
        (("fail", None, None), 0.0, False),
        (("pass", 4, None), 0.8, False),
        (("pass", 4, 0.95), 0.95, False),
        (("fail", 2, 0.49), 0.49, False),
        (("pass", 3, None), 0.5, True),
        (("pass", None, 0.79), 0.79, True),
        ((None, 4, 0.79), 0.79, True),
        (("partial", 3, 0.8), 0.8, True),
        ((None, None, None), None, False),
    ],
)
def test_a_verdict_in_several_forms(forms, unit, is_at_odds):
    assert verdict(unit_score(), *forms) == unit
    assert verdict(forms_disagree(), *forms) is is_at_odds
    assert verdict(has_score(), *forms) is (forms != (None, None, None))


@pytest.mark.parametrize(
    ("value", "gold", "slack", "within"),
    [
        (100.0, 100.0, 0.0, True),
        (100.0 + 5e-8, 100.0, 0.0, True),
        (100.0 + 5e-7, 100.0, 0.0, False),
        (0.01 + 5e-10, 0.01, 0.0, True),
        (0.01 + 5e-9, 0.01, 0.0, False),
        (-98.0, -100.0, 2.0, True),
        (-97.9, -100.0, 2.0, False),
        (102.1, 100.0, 2.0, False),
        (-100.0, 100.0, 2.0, False),
    ],
)
def test_how_near_a_value_must_be(value, gold, slack, within):
    assert of(is_within(pl.col("v"), pl.col("g"), pl.col("s")), v=value, g=gold, s=slack) is within


@pytest.mark.parametrize(
    ("value", "gold", "divides", "multiplies", "method", "read"),
    [
        (0.5, 0.5, True, True, "as_stated", 0.5),
        (50.0, 0.5, True, False, "divided_by_100", 0.5),
        (50.0, 0.5, False, True, None, 50.0),
        (0.5, 50.0, False, True, "times_100", 50.0),
        (0.5, 50.0, True, False, None, 0.5),
        (0.5, 49.0, True, True, None, 0.5),
    ],
)
def test_the_readings_of_a_percentage(value, gold, divides, multiplies, method, read):
    row = {"v": value, "g": gold, "d": divides, "m": multiplies}
    names = [pl.col(name) for name in "vg"]
    chosen = reading(*names, pl.lit(0.0), divides=pl.col("d"), multiplies=pl.col("m"))
    assert of(chosen, **row) == method
    assert of(as_read(pl.col("v"), chosen), **row) == pytest.approx(read)
