"""What changed between two results, stage by stage, on the tables of a small result."""

from __future__ import annotations

import polars as pl
import pytest

from grade import schemas
from grade.diff.flips import find_claim_flips, find_decision_flips, find_fact_flips
from grade.diff.scores import (
    Flips,
    Levels,
    compare_groups,
    compare_models,
    compare_scores,
    summarise_changes,
)
from grade.diff.tables import CLAIM_FLIPS, DECISION_FLIPS, FACT_FLIPS
from grade.report.changes import Changes, Listing, count_changes, render_changes
from grade.rollup import rank_models

NO_FLIPS = Flips(FACT_FLIPS.empty(), CLAIM_FLIPS.empty(), DECISION_FLIPS.empty())
TEXTS = pl.DataFrame(
    [("T00", "forbidden:0", "It caused it."), ("T00", "insight:0", "It rose.")],
    schema=["task_id", "claim_id", "claim_text"],
    orient="row",
)


def here(model: str = "m/one", task: str = "T00", run: int = 0) -> pl.Expr:
    return (pl.col("model_id") == model) & (pl.col("task_id") == task) & (pl.col("run_index") == run)


def altered(frame: pl.DataFrame, where: pl.Expr, **values: object) -> pl.DataFrame:
    return frame.with_columns(
        pl.when(where).then(pl.lit(value)).otherwise(name).alias(name) for name, value in values.items()
    )


def levels(tables) -> Levels:
    return Levels(*(tables[f"{name}_scores"] for name in ("task", "track", "pack", "overall")))


def ranked(tables) -> pl.DataFrame:
    return rank_models(tables["overall_scores"], tables["task_scores"])


def test_equal_results_have_no_flip_and_no_change(make_tables):
    tables = make_tables()
    facts, claims = tables["fact_checks"], tables["claim_checks"]
    assert find_fact_flips(facts, facts).is_empty()
    assert find_claim_flips(claims, claims, old_claims=TEXTS, new_claims=TEXTS).is_empty()
    assert compare_scores(levels(tables), levels(tables)).is_empty()
    groups = compare_groups(tables["task_scores"], tables["task_scores"], NO_FLIPS)
    assert groups.height == 8
    assert summarise_changes(groups)["n_groups_changed"].sum() == 0
    models = compare_models(groups, ranked(tables), ranked(tables))
    assert models["change"].to_list() == [0.0, 0.0]
    assert models["is_beyond_noise"].to_list() == [None, None]
    assert models["no_interval"].to_list() == ["all_equal", "all_equal"]


def test_a_fact_that_flips_comes_with_both_evidences(make_tables):
    facts = make_tables()["fact_checks"].with_columns(matched=pl.lit(False), score=pl.lit(0.0))
    where = here() & (pl.col("fact_id") == "F1")
    found = altered(
        facts, where, matched=True, predicted_value=1.5, source="key_findings", evidence="It is 1.5."
    )
    (flip,) = find_fact_flips(facts, found).to_dicts()
    assert (flip["fact_id"], flip["old_matched"], flip["new_matched"]) == ("F1", False, True)
    assert (flip["old_evidence"], flip["new_evidence"]) == (None, "It is 1.5.")
    assert (flip["old_gold_value"], flip["new_predicted_value"]) == (1.5, 1.5)
    (back,) = find_fact_flips(found, facts).to_dicts()
    assert (back["old_matched"], back["new_matched"], back["old_source"]) == (True, False, "key_findings")


def test_other_evidence_for_the_same_decision_is_no_flip(make_tables):
    facts = make_tables()["fact_checks"]
    assert find_fact_flips(facts, facts.with_columns(evidence=pl.lit("Elsewhere."))).is_empty()


def test_checks_of_one_result_only_are_no_flips(make_tables):
    facts = make_tables()["fact_checks"]
    fewer = facts.filter(pl.col("fact_id") != "F2")
    assert find_fact_flips(facts, fewer).is_empty()
    assert find_fact_flips(fewer, facts).is_empty()
    assert find_fact_flips(facts.clear(), facts).is_empty()


def test_a_claim_that_flips_shows_both_texts(make_tables):
    claims = make_tables()["claim_checks"].with_columns(made=pl.lit(False), status=pl.lit("none"))
    where = here() & (pl.col("claim_id") == "forbidden:0")
    made = altered(claims, where, made=True, status="contained", evidence="It caused it!")
    newer = altered(TEXTS, pl.col("claim_id") == "forbidden:0", claim_text="It brought it about.")
    (flip,) = find_claim_flips(claims, made, old_claims=TEXTS, new_claims=newer).to_dicts()
    assert (flip["old_made"], flip["new_made"], flip["new_status"]) == (False, True, "contained")
    assert (flip["old_claim_text"], flip["new_claim_text"]) == ("It caused it.", "It brought it about.")
    assert flip["new_evidence"] == "It caused it!"


def decisions(**status: str) -> pl.DataFrame:
    rows = [
        {
            "model_id": "m/one",
            "task_id": None if task == "all" else task,
            "status": value,
            "rule": f"rule_{value}",
        }
        for task, value in status.items()
    ]
    frame = schemas.DECISIONS.empty().select("model_id", "task_id", "status", "rule", "rationale")
    return pl.concat([frame, pl.DataFrame(rows)], how="diagonal").with_columns(rationale=pl.lit("Because."))


def test_a_decision_that_flips_is_found_for_tasks_and_models():
    old, new = (
        decisions(all="fail", T00="pass", T01="fail"),
        decisions(all="pass", T00="pass", T01="conditional"),
    )
    flips = find_decision_flips(old, new).to_dicts()
    assert [(row["task_id"], row["old_status"], row["new_status"]) for row in flips] == [
        (None, "fail", "pass"),
        ("T01", "fail", "conditional"),
    ]
    assert flips[0]["old_rule"] == "rule_fail"


def test_scores_that_differ_are_told_at_every_level(make_tables):
    tables = make_tables()
    where = (pl.col("model_id") == "m/one") & (pl.col("task_id") == "T00")
    task_scores = altered(tables["task_scores"], where, composite=0.9, insight_quality=None)
    overall = altered(tables["overall_scores"], pl.col("model_id") == "m/one", composite=0.8)
    new = Levels(task_scores, tables["track_scores"], tables["pack_scores"], overall)
    changes = compare_scores(levels(tables), new).to_dicts()
    assert [(row["scope"], row["task_id"], row["measure"]) for row in changes] == [
        ("model", None, "composite"),
        ("task", "T00", "composite"),
        ("task", "T00", "insight_quality"),
    ]
    before = tables["task_scores"].filter(where)["composite"].item()
    assert changes[1]["change"] == pytest.approx(0.9 - before)
    assert (changes[2]["new_value"], changes[2]["change"]) == (None, None)


def test_the_changes_of_groups_add_up_by_task_track_pack_and_model(make_tables):
    tables = make_tables()
    old = tables["task_scores"].with_columns(composite=pl.lit(0.5))
    new = altered(old, pl.col("task_id") == "T00", composite=0.6)
    facts = find_fact_flips(
        tables["fact_checks"].with_columns(matched=pl.lit(False)),
        altered(
            tables["fact_checks"].with_columns(matched=pl.lit(False)),
            (pl.col("task_id") == "T01") & (pl.col("model_id") == "m/two"),
            matched=True,
        ),
    )
    claims = find_claim_flips(
        tables["claim_checks"].with_columns(made=pl.lit(False)),
        altered(tables["claim_checks"].with_columns(made=pl.lit(False)), here(task="T02"), made=True),
        old_claims=TEXTS,
        new_claims=TEXTS,
    )
    groups = compare_groups(old, new, Flips(facts, claims, DECISION_FLIPS.empty()))
    summary = summarise_changes(groups)
    tasks = {row["task_id"]: row for row in summary.filter(pl.col("scope") == "task").to_dicts()}
    assert (tasks["T00"]["n_groups"], tasks["T00"]["n_groups_changed"]) == (2, 2)
    assert tasks["T00"]["mean_change"] == pytest.approx(0.1)
    assert (tasks["T01"]["n_facts_gained"], tasks["T01"]["n_facts_lost"]) == (9, 0)
    # two insights and a limitation are better when made, the forbidden claim is worse
    assert (tasks["T02"]["n_claims_better"], tasks["T02"]["n_claims_worse"]) == (3, 1)
    assert tasks["T03"]["n_groups_changed"] == 0
    models = {row["model_id"]: row for row in summary.filter(pl.col("scope") == "model").to_dicts()}
    assert models["m/one"]["n_groups_changed"] == 2
    assert models["m/two"]["mean_change"] == pytest.approx(0.1 / 4)
    for scope in ("track", "pack", "model"):
        part = summary.filter(pl.col("scope") == scope)
        assert part["n_groups"].sum() == 8
        assert part["n_facts_gained"].sum() == 9


@pytest.mark.parametrize(
    ("changes", "is_beyond"),
    [
        ([0.1 + n / 1000 for n in range(12)], True),
        ([0.1 * (-1) ** n + n / 1000 for n in range(12)], False),
    ],
)
def test_a_change_on_all_tasks_is_beyond_noise_and_one_to_and_fro_is_not(make_tables, changes, is_beyond):
    tables = make_tables(n_tasks=12)
    old = tables["task_scores"].with_columns(composite=pl.lit(0.5))
    by_task = pl.DataFrame({"task_id": sorted(old["task_id"].unique()), "step": changes})
    new = old.join(by_task, on="task_id").with_columns(
        composite=pl.when(pl.col("model_id") == "m/one").then(0.5 + pl.col("step")).otherwise("composite")
    )
    groups = compare_groups(old, new.select(old.columns), NO_FLIPS)
    one, two = compare_models(groups, ranked(tables), ranked(tables)).to_dicts()
    assert one["n_measured"] == 12
    assert one["difference"] == pytest.approx(sum(changes) / 12)
    assert one["is_beyond_noise"] is is_beyond
    assert one["low"] < one["difference"] < one["high"]
    assert (two["is_beyond_noise"], two["no_interval"]) == (None, "all_equal")


def test_tasks_measured_on_other_dimensions_are_left_out_of_the_test(make_tables):
    old = make_tables()["task_scores"].with_columns(evidence_linkage=pl.lit(None, pl.Float64))
    new = altered(old, pl.col("task_id") == "T00", evidence_linkage=1.0, composite=1.0)
    groups = compare_groups(old, new, NO_FLIPS)
    assert groups.filter(~pl.col("is_comparable"))["task_id"].unique().to_list() == ["T00"]
    tables = make_tables()
    assert compare_models(groups, ranked(tables), ranked(tables))["n_measured"].to_list() == [3, 3]


def test_models_of_one_result_only_are_left_out(make_tables):
    both, one = make_tables(), make_tables(models=("m/one",))
    groups = compare_groups(both["task_scores"], one["task_scores"], NO_FLIPS)
    assert groups["model_id"].unique().to_list() == ["m/one"]
    assert compare_models(groups, ranked(both), ranked(one))["model_id"].to_list() == ["m/one"]


def test_nothing_in_common_is_no_change(make_tables):
    one, two = make_tables(models=("m/one",)), make_tables(models=("m/two",))
    groups = compare_groups(one["task_scores"], two["task_scores"], NO_FLIPS)
    assert groups.is_empty()
    assert summarise_changes(groups).is_empty()
    assert compare_models(groups, ranked(one), ranked(two)).is_empty()


def report(tables, **parts) -> Changes:
    groups = compare_groups(tables["task_scores"], tables["task_scores"], NO_FLIPS)
    empty = {
        "facts": Listing(NO_FLIPS.facts, 0),
        "claims": Listing(NO_FLIPS.claims, 0),
        "decisions": Listing(NO_FLIPS.decisions, 0),
    }
    given = {
        "names": ("old", "new"),
        "inputs": (),
        "runs": {"runs in both results": 24},
        "only_old": (),
        "only_new": (),
        "models": compare_models(groups, ranked(tables), ranked(tables)),
        "summary": summarise_changes(groups),
        "n_scores": 0,
    }
    return Changes(**(given | empty | parts))


def test_a_report_without_changes_says_so(make_tables):
    changes = report(make_tables())
    text = render_changes(changes)
    assert "Both results were made with the same inputs, settings and versions." in text
    assert "No model's composite changed." in text
    assert text.count("None.") == 3
    assert sum(count_changes(changes).values()) == 24


def test_the_same_flip_in_several_runs_is_one_entry_and_hostile_text_is_no_markup(make_tables):
    facts = make_tables(models=("m|one",))["fact_checks"].with_columns(matched=pl.lit(False))
    where = (pl.col("task_id") == "T00") & (pl.col("fact_id") == "F1")
    flips = find_fact_flips(facts, altered(facts, where, matched=True, evidence="<b> # 1.5 |"))
    text = render_changes(report(make_tables(), facts=Listing(flips, flips.height)))
    assert r"- m\|one, T00, runs 0, 1, 2, F1: missed → found" in text
    assert r"new: found, sought 1.5: “\<b\> \# 1.5 \|”" in text
    more = render_changes(report(make_tables(), facts=Listing(flips, 1_003)))
    assert "1,000 more rows in fact_flips.parquet" in more
