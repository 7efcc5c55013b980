"""Each rule of a result holds for sound tables and finds the fault that it is there for."""

from __future__ import annotations

import polars as pl
import pytest

from grade.checks import failing_rows, require_sound
from grade.db import Database, list_sql
from grade.errors import ContractError

FIRST_RUN = (pl.col("model_id") == "m/one") & (pl.col("task_id") == "T00") & (pl.col("run_index") == 0)
FIRST_GROUP = (pl.col("model_id") == "m/one") & (pl.col("task_id") == "T00")
NAN = float("nan")


def drop(table: str, where: pl.Expr):
    return lambda tables: {table: tables[table].filter(~where)}


def change(table: str, where: pl.Expr, **values):
    changed = {
        name: pl.when(where).then(pl.lit(value)).otherwise(pl.col(name)) for name, value in values.items()
    }
    return lambda tables: {table: tables[table].with_columns(**changed)}


def mark_empty(tables):
    flags = pl.when(FIRST_RUN).then(pl.lit(["empty_response"])).otherwise("flags")
    return {"run_scores": tables["run_scores"].with_columns(flags=flags)}


FAULTS = {
    "runs_have_six_scores": drop("run_scores", FIRST_RUN & (pl.col("dimension") == "consistency")),
    "run_scores_have_runs": drop("runs", FIRST_RUN),
    "run_scores_within_bounds": change("run_scores", FIRST_RUN, score=NAN),
    "checks_have_runs": drop("runs", FIRST_RUN),
    "checks_are_even": drop("fact_checks", FIRST_RUN & (pl.col("fact_id") == "F0")),
    "grounding_is_mean_of_facts": change("fact_checks", FIRST_RUN, score=0.25),
    "groups_agree": drop("runs", FIRST_RUN),
    "claims_are_counted": drop("claim_checks", FIRST_RUN),
    "levels_agree": drop("track_scores", (pl.col("model_id") == "m/one") & (pl.col("track") == 1)),
    "overall_is_mean_of_tasks": change("overall_scores", pl.col("model_id") == "m/one", composite=0.123),
    "task_composites_fit": change("task_scores", FIRST_GROUP, composite=1.0),
    "rolled_scores_within_bounds": change("pack_scores", pl.col("pack_id") == "pack_odd", composite=1.5),
    "n_scored_within_n_runs": change("task_scores", FIRST_GROUP, n_scored_insight_quality=9),
    "empty_runs_earn_nothing": mark_empty,
    "decisions_count_categories": change("decisions", FIRST_GROUP, n_pass=6),
}


@pytest.fixture(scope="module")
def database():
    with Database() as opened:
        yield opened


def test_every_check_has_a_fault_that_it_finds():
    assert {f"checks/{name}" for name in FAULTS} == set(list_sql("checks"))


def test_sound_tables_pass(make_tables, database):
    assert failing_rows(make_tables(), database=database) == {}
    assert failing_rows(make_tables(n_runs=1), database=database) == {}


@pytest.mark.parametrize("name", FAULTS)
def test_a_check_finds_its_fault(make_tables, database, name):
    tables = make_tables()
    failed = failing_rows(tables | FAULTS[name](tables), database=database)
    assert not failed[name].is_empty()


def test_checks_of_missing_tables_are_left_out(make_tables, database):
    tables = make_tables()
    assert failing_rows(
        {"run_scores": tables["run_scores"].with_columns(score=2.0)}, database=database
    ).keys() == {"run_scores_within_bounds"}


def test_a_broken_rule_stops_with_its_name_and_first_row(make_tables, database):
    tables = make_tables()
    require_sound(tables, database=database)
    with pytest.raises(ContractError, match=r"task_composites_fit \(1 rows\), first: .*T00"):
        require_sound(tables | FAULTS["task_composites_fit"](tables), database=database)
