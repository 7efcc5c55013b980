from __future__ import annotations

import importlib.resources
import io
import json

import jsonschema
import polars as pl
import pytest
from rich.console import Console

from grade.dimensions import DIMENSIONS
from grade.judging.tables import JUDGE_USAGE
from grade.levels import RollUps
from grade.models import GoldFact, GoldInsight, RubricEntry, Task
from grade.report.leaderboard import leaderboard_view, render_leaderboard
from grade.report.markdown import escape, number, percent, plain, table
from grade.report.notes import collect_notes
from grade.report.result_json import build_results, render
from grade.report.rows import rows_by_model
from grade.report.scorecard import Card, render_scorecard
from grade.report.usage import summarise_usage
from grade.rollup import rank_models

SCHEMA = json.loads(
    importlib.resources.files("grade.report").joinpath("result_schema.json").read_text("utf-8")
)


def results(tables, runs=None) -> list[dict]:
    levels = RollUps(tables["track_scores"], tables["pack_scores"], tables["overall_scores"])
    usage = summarise_usage(tables["runs"] if runs is None else runs)
    return list(build_results(tables["task_scores"], levels, usage, grade_version="1.2.3"))


def test_a_result_is_valid_and_holds_what_the_tables_hold(make_tables):
    tables = make_tables()
    made = results(tables)
    assert [result["model_id"] for result in made] == ["m/one", "m/two"]
    for result, overall in zip(made, tables["overall_scores"].rows(named=True), strict=True):
        jsonschema.Draft202012Validator(SCHEMA).validate(result)
        assert result["overall_scores"] == {key: overall[key] for key in DIMENSIONS}
        assert result["overall_composite"] == overall["composite"]
        assert (result["run_count"], result["task_count"], result["grade_version"]) == (12, 4, "1.2.3")
        assert sorted(result["per_track_scores"]) == ["1", "2", "3"]
        assert sorted(result["per_pack_scores"]) == ["pack_even", "pack_odd"]
        assert [task["task_id"] for task in result["per_task_scores"]] == ["T00", "T01", "T02", "T03"]


def test_what_was_not_measured_is_null_and_stays_null(make_tables):
    result = results(make_tables())[0]
    assert result["overall_scores"]["evidence_linkage"] is None
    assert result["extensions"]["weight_scored"] == 0.8
    assert result["extensions"]["n_scored"]["evidence_linkage"] == 0


def test_the_schema_refuses_what_the_format_has_no_place_for(make_tables):
    result = results(make_tables())[0]
    for broken in (
        result | {"extra": 1},
        result | {"overall_composite": 1.5},
        result | {"overall_scores": {}},
        {key: value for key, value in result.items() if key != "cost_metrics"},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, SCHEMA)


def test_equal_results_have_equal_bytes_and_ids(make_tables):
    one, other = results(make_tables()), results(make_tables())
    assert [render(result) for result in one] == [render(result) for result in other]
    assert results(make_tables(seed=2))[0]["result_id"] != one[0]["result_id"]


def with_usage(tables, **columns) -> dict:
    return results(tables, tables["runs"].with_columns(**columns))[0]


def test_it_is_scored_at_the_newest_run_by_instant_not_by_spelling(make_tables):
    later = pl.when(pl.col("run_index") == 1).then(pl.lit("2026-06-01T08:59:30-01:00"))
    result = with_usage(make_tables(), timestamp_utc=later.otherwise(pl.lit("2026-06-01T09:00:00Z")))
    assert result["scored_at_utc"] == "2026-06-01T08:59:30-01:00"
    assert with_usage(make_tables(), timestamp_utc=pl.lit(None, pl.String))["scored_at_utc"] is None


def test_a_cost_of_zero_is_a_cost(make_tables):
    costs = with_usage(make_tables(), cost_usd=pl.lit(0.0))["cost_metrics"]
    assert (costs["total_cost_usd"], costs["cost_available"], costs["cost_partial"]) == (0.0, True, False)


def test_a_missing_cost_is_no_cost_and_some_costs_are_partial(make_tables):
    costs = with_usage(make_tables())["cost_metrics"]
    assert (costs["total_cost_usd"], costs["cost_available"], costs["cost_partial"]) == (None, False, False)
    some = pl.when(pl.col("run_index") == 0).then(0.25)
    costs = with_usage(make_tables(), cost_usd=some)["cost_metrics"]
    assert (costs["total_cost_usd"], costs["cost_available"], costs["cost_partial"]) == (1.0, True, True)
    assert costs["per_task_cost"]["T00"]["cost_usd"] == 0.25


def test_tokens_and_latency_are_summed_up(make_tables):
    costs = with_usage(make_tables(n_tasks=1), completion_tokens=pl.lit(5, pl.Int64))["cost_metrics"]
    assert (costs["total_prompt_tokens"], costs["total_tokens"], costs["tokens_available"]) == (0, 15, True)
    assert (costs["mean_latency_ms"], costs["p50_latency_ms"], costs["max_latency_ms"]) == (11.0, 11.0, 12.0)
    assert with_usage(make_tables())["cost_metrics"]["tokens_available"] is False


def make_task(task_id: str) -> Task:
    return Task(
        task_id=task_id,
        track=1,
        title="A | *title*",
        user_prompt="?",
        task_type="computation",
        allowed_inputs=(),
        gold_facts=tuple(
            GoldFact(fact_id=f"F{n}", claim=f"The value is {n}.5.", numeric_value=n + 0.5) for n in range(3)
        ),
        gold_insights=(GoldInsight("First insight."), GoldInsight("Second insight.")),
        required_limitations=("A caveat.",),
        forbidden_claims=("The program <b>caused</b> it.",),
        rubric={key: RubricEntry(1 / 6) for key in DIMENSIONS},
        pack_id="pack_even",
    )


def card(tables, model: str = "m/one") -> Card:
    notes = collect_notes(tables["fact_checks"], tables["claim_checks"])
    names = ("track_scores", "pack_scores", "task_scores")
    judging = tables.get("judge_usage", JUDGE_USAGE.empty())
    frames = (*(tables[name] for name in names), notes.missed, notes.claims, judging)
    return Card(
        rows_by_model(tables["overall_scores"])[model][0],
        *(rows_by_model(frame)[model] for frame in frames),
        {task_id: make_task(task_id) for task_id in tables["tasks"]["task_id"]},
    )


def test_a_scorecard_says_first_what_was_not_measured(make_tables):
    text = render_scorecard(card(make_tables()))
    assert text.index("## What was measured, and what was not") < text.index("## Scores")
    assert "rests on 80 % of the weights. Not measured: Evidence linkage, Structure and usability." in text
    assert "because nobody judged them" in text
    assert "| Evidence linkage | – | 0 of 4 |" in text


def test_a_scorecard_lists_missed_facts_forbidden_claims_and_what_is_open(make_tables):
    tables = make_tables()
    forbidden = pl.col("claim_id") == "forbidden:0"
    claims = tables["claim_checks"].with_columns(
        made=pl.when(forbidden).then(pl.lit(True)).otherwise("made"),
        status=pl.when(forbidden).then(pl.lit("contained")).otherwise("status"),
        evidence=pl.when(forbidden)
        .then(pl.lit("The program\n# caused | [it](http://x.y)"))
        .otherwise("evidence"),
        field=pl.when(forbidden).then(pl.lit("key_findings")).otherwise("field"),
    )
    facts = tables["fact_checks"].with_columns(matched=pl.col("fact_id") != "F1", tolerance=pl.lit(0.25))
    text = render_scorecard(card(tables | {"claim_checks": claims, "fact_checks": facts}))
    assert "- F1: “The value is 1.5.” Right value: 1.5, give or take 0.25. Missed in 3 of 3 runs." in text
    assert "F0:" not in text
    assert (
        r"“The program \<b\>caused\</b\> it.” in 3 runs: “The program \# caused \| \[it\](http\://x.y)”"
        in text
    )
    assert "Not settled, for a person to look at:" in text
    assert "because the numbers differ" in text


def test_a_flawless_model_is_told_so(make_tables):
    tables = make_tables()
    facts = tables["fact_checks"].with_columns(matched=pl.lit(True))
    claims = tables["claim_checks"].clear()
    text = render_scorecard(card(tables | {"claim_checks": claims, "fact_checks": facts}))
    assert text.endswith("No fact was missed and no forbidden claim was made.\n")


def test_notes_of_models_are_the_notes_of_all(make_tables):
    tables = make_tables()
    checks = [tables[name] for name in ("fact_checks", "claim_checks")]
    parts = [
        collect_notes(*(frame.filter(pl.col("model_id") == model) for frame in checks))
        for model in ("m/one", "m/two")
    ]
    for several, whole in zip(zip(*parts, strict=True), collect_notes(*checks), strict=True):
        assert pl.concat(several).equals(whole)


def ranked(tables) -> pl.DataFrame:
    return rank_models(tables["overall_scores"], tables["task_scores"])


def test_the_leaderboard_puts_what_does_not_compare_below_with_its_reason(make_tables):
    tables = make_tables()
    first = pl.col("model_id") == "m/one"
    overall = tables["overall_scores"].with_columns(
        claims_judged=pl.when(first).then(1.0).otherwise(0.5), n_scored_insight_quality=pl.lit(3, pl.Int64)
    )
    text = render_leaderboard(ranked(tables | {"overall_scores": overall}))
    assert text.index("## Ranking") < text.index("m/one") < text.index("## Not comparable with the above: ")
    assert "only 50.0 % of the claim checks judged" in text
    assert "(3 of 4 tasks)" in text
    assert "Read with care: not scored: Evidence linkage, Structure and usability." in text


def test_the_terminal_shows_the_same_within_80_columns(make_tables):
    console = Console(file=io.StringIO(), width=80, force_terminal=False)
    console.print(leaderboard_view(ranked(make_tables(models=("[red]a\x1b[31m", "b" * 100)))))
    text = console.file.getvalue()
    assert "[red]a" in text
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text, 12.5%", "plain text, 12.5%"),
        ("a|b", r"a\|b"),
        ("<script>", r"\<script\>"),
        ("![x](javascript:1)", r"\!\[x\](javascript:1)"),
        ("see https://x.y and www.x.y", r"see https\://x.y and www\.x.y"),
        ("line\r\nbreak\u2028here", "line break here"),
        ("\u202eevil\u200b", "evil"),
        ("&lt;", r"\&lt;"),
        ("`code` $x$ ~~y~~ **z** __w__", r"\`code\` \$x\$ \~\~y\~\~ \*\*z\*\* \_\_w\_\_"),
    ],
)
def test_text_of_a_model_is_never_markup(text, expected):
    assert escape(text) == expected


def test_long_text_is_cut():
    assert len(plain("x" * 10_000)) < 700


def test_a_share_never_looks_whole_when_it_is_not():
    assert [percent(x) for x in (0.0, 0.004, 0.5, 0.996, 1.0)] == [
        "0 %",
        "under 1 %",
        "50 %",
        "over 99 %",
        "100 %",
    ]


def test_numbers_read_well():
    assert [number(x) for x in (135.0, 0.1, 1e20, -2.5, 1234567.0)] == [
        "135",
        "0.1",
        "1e+20",
        "-2.5",
        "1,234,567",
    ]


def test_a_table_aligns_text_left_and_numbers_right():
    assert table(["a", "b"], [["x", "1"]]) == ["| a | b |", "| :-- | --: |", "| x | 1 |"]
