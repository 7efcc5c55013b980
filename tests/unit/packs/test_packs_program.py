"""The drawn program: planted signals are there, and tables of different packs agree."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest

from pipelines.packs.build import CONTENT
from pipelines.packs.program.draws import Draws, pick
from pipelines.packs.program.plan import load_plan
from pipelines.packs.program.subgroups import suppress
from pipelines.packs.program.world import draw_world


@pytest.fixture(scope="module")
def plan():
    return load_plan(CONTENT / "program.toml")


@pytest.fixture(scope="module")
def sessions(tables):
    return tables["sessions"].with_columns(
        month=pl.col("session_date").dt.strftime("%Y-%m"), lost=pl.col("status") != "completed"
    )


@pytest.fixture(scope="module")
def records(tables, sessions):
    return (
        tables["attendance"]
        .join(sessions.select("session_id", "month", "tutor_id", "group_id"), on="session_id")
        .join(tables["students"].select("student_id", "iep"), on="student_id")
    )


def test_october_spikes(sessions):
    lost = dict(sessions.group_by("month").agg(pl.col("lost").mean()).iter_rows())
    assert lost["2025-10"] > 2 * max(lost["2025-09"], lost["2025-11"])


def test_students_with_an_iep_attend_less(records, plan):
    rate = dict(records.group_by("iep").agg(pl.col("attended").mean()).iter_rows())
    assert 100 * (rate[False] - rate[True]) > plan.goals["iep_gap_goal"]


def test_one_tutor_needs_coaching(records, tables, plan):
    tutor = plan.signals["coaching_tutor"]
    attendance = records.group_by("tutor_id").agg(pl.col("attended").mean()).sort("attended")
    scores = tables["observations"].group_by("tutor_id").agg(pl.col("score").mean()).sort("score", "tutor_id")
    assert (attendance["tutor_id"][0], scores["tutor_id"][0]) == (tutor, tutor)
    assert attendance["attended"][1] - attendance["attended"][0] > 0.03


def test_some_subgroups_number_fewer_than_ten(tables):
    enrolled = tables["students"].filter(pl.col("status") == "enrolled")
    languages = dict(enrolled["home_language"].value_counts().iter_rows())
    assert {name for name, count in languages.items() if count < 10} == {"Arabic", "Somali", "Vietnamese"}
    assert 0 < enrolled["temporary_housing"].sum() < 10


def test_school_months_are_the_sessions_and_records(tables, sessions, records):
    months = tables["school_months"]
    assert months["scheduled"].sum() == sessions.height
    assert months["completed"].sum() == (~sessions["lost"]).sum()
    assert months["records"].sum() == records.height
    assert months["attended"].sum() == records["attended"].sum()
    assert months["minutes_delivered"].sum() == records["minutes_present"].sum()


def test_subgroups_sum_to_the_records(tables, records):
    totals = (
        tables["subgroup_attendance"]
        .group_by("dimension")
        .agg(pl.col("records").sum(), open=(pl.col("status") == "reported").all())
    )
    assert set(totals.filter("open")["records"]) == {records.height}
    assert (totals.filter(~pl.col("open"))["records"] < records.height).all()


def test_progress_is_of_students_who_attended(tables, records):
    received = records.group_by("student_id").agg(pl.col("minutes_present").sum())
    joined = tables["progress"].join(received, on="student_id")
    assert joined.height == tables["progress"].height
    assert (joined["minutes_received"] == joined["minutes_present"]).all()


def test_no_row_about_a_student_is_in_the_equity_pack(built):
    for path in (built / "pack_equity_research").glob("*.csv"):
        assert "STU-" not in path.read_text()


def test_there_are_ten_references_and_some_disagree(tables):
    research = tables["research"]
    assert research.height == research["reference_id"].n_unique() == 10
    effect = dict(research.select("reference_id", "effect_sd").iter_rows())
    assert effect["REF-003"] - effect["REF-004"] > 0.2
    assert research["attendance_floor"].is_not_null().sum() == 1


def test_the_same_seed_draws_the_same_world(plan):
    one, two, other = draw_world(plan, 3), draw_world(plan, 3), draw_world(plan, 4)
    assert all(one[name].equals(two[name]) for name in one)
    assert not one["attendance"].equals(other["attendance"])


def test_a_stream_depends_on_its_name_alone():
    draws = Draws(1)
    first = draws.uniform("a", 5)
    draws.uniform("b", 5)
    assert np.array_equal(first, draws.uniform("a", 5))
    assert not np.array_equal(first, draws.uniform("b", 5))
    assert sorted(draws.ranks("a", 5)) == [0, 1, 2, 3, 4]
    assert abs(draws.bell("a", 20_000).mean()) < 0.03


def test_the_numbers_of_a_stream_never_change():
    assert Draws(42).uniform("example", 2).tolist() == pytest.approx([0.9690840343, 0.4422429656], abs=1e-9)


def test_pick_follows_the_shares():
    assert pick(np.array([0.0, 0.29, 0.3, 0.99]), {"a": 0.3, "b": 0.7}) == ["a", "a", "b", "b"]


@pytest.mark.parametrize(
    ("sizes", "shown"),
    [
        ((12, 30), [True, True]),
        ((7, 160), [False, False]),
        ((4, 6, 30), [False, False, True]),
        ((4, 5, 30), [False, False, False]),
        ((3, 12, 30), [False, False, True]),
        ((10, 11), [True, True]),
    ],
)
def test_suppression_hides_small_rows_and_what_would_give_them_away(sizes, shown):
    counted = pl.DataFrame({"family": "f", "name": [str(size) for size in sizes], "students": sizes})
    table = suppress(counted, families=[["family"]], minimum=10, keys=("family", "name"))
    assert (table["status"] == "reported").to_list() == shown
    assert table["students"].is_not_null().to_list() == shown


def test_the_plan_is_read_whole(plan):
    assert plan.first_day == dt.date(2025, 9, 8)
    assert [school.school_id for school in plan.schools] == [f"SCH-00{n}" for n in range(1, 5)]
    assert len(plan.references) == 10
