from __future__ import annotations

import json
import shutil

import polars as pl
import pytest
from desk_inputs import FREE, GOOD, HOSTILE, MIXED, PARTIAL

from grade.errors import InputError


def sections(desk, *arguments) -> list[dict]:
    return json.loads(desk("leaderboard", *arguments, "--format", "json").stdout)["sections"]


def models(part: dict) -> dict[str, dict]:
    return {row["model_id"]: row for row in part["models"]}


def test_all_tasks_give_what_the_view_gives(desk, result):
    parts = sections(desk, result)
    view = json.loads(
        f"[{','.join(desk('sql', result, 'FROM leaderboard', '--format', 'jsonl').stdout.splitlines())}]"
    )
    assert [row for part in parts for row in part["models"]] == [
        {key: value for key, value in row.items() if not key.startswith("section")} for row in view
    ]


def test_a_model_that_left_tasks_out_stands_apart_until_those_tasks_are_left_out(desk, result):
    assert PARTIAL not in models(sections(desk, result)[0])
    narrowed = sections(desk, result, "--track", "1")
    assert PARTIAL in models(narrowed[0])
    assert {row["n_tasks"] for row in narrowed[0]["models"]} == {3}
    with_pack = sections(desk, result, "--pack", "pack_one")
    assert with_pack == narrowed


def test_a_rank_counts_the_models_whose_interval_lies_wholly_above(desk, result):
    for part in sections(desk, result):
        rows = [row for row in part["models"] if row["composite"] is not None]
        for row in rows:
            ends = [(other["low"] or other["composite"], other["model_id"]) for other in rows]
            high = row["high"] or row["composite"]
            assert row["rank"] == 1 + sum(low > high for low, _ in ends)


def test_a_cost_of_zero_is_a_cost_and_none_is_none(desk, result):
    rows = models(sections(desk, result)[0])
    assert rows[FREE]["cost_usd"] == 0
    assert rows[MIXED]["cost_usd"] is None
    told = desk("leaderboard", result, "--format", "markdown").stdout
    line = next(line for line in told.splitlines() if FREE in line)
    assert "| 0.0000 |" in line


def test_rows_are_sorted_within_their_section(desk, result):
    first = sections(desk, result, "--sort", "cost_usd")[0]["models"]
    costs = [row["cost_usd"] for row in first]
    known = [cost for cost in costs if cost is not None]
    assert known == sorted(known)
    assert costs[len(known) :] == [None] * (len(costs) - len(known))
    grounding = [
        row["grounding_accuracy"]
        for row in sections(desk, result, "--sort", "grounding_accuracy")[0]["models"]
    ]
    assert grounding == sorted(grounding, reverse=True)


def test_two_folders_are_ranked_together_and_equal_names_told_apart(desk, result, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(result, other)
    rows = models(sections(desk, result, other)[0])
    assert {f"{GOOD} ({result})", f"{GOOD} ({other})"} <= rows.keys()
    assert rows[f"{GOOD} ({result})"]["composite"] == rows[f"{GOOD} ({other})"]["composite"]
    assert GOOD not in rows


def test_the_same_folder_twice_is_the_folder_once(desk, result):
    assert sections(desk, result, result) == sections(desk, result)


def test_other_settings_or_tasks_stand_in_sections_of_their_own(desk, result, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(result, other)
    manifest = json.loads((other / "manifest.json").read_text())
    manifest["method"]["sha256"] = "0" * 64
    (other / "manifest.json").write_text(json.dumps(manifest))
    parts = sections(desk, result, other)
    assert [part["section"] for part in parts] == list(range(1, len(parts) + 1))
    assert len(parts) == 2 * len(sections(desk, result))
    assert "scored with other tasks or settings" in parts[-1]["note"]
    assert "scored with other tasks" not in parts[0]["note"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--track", "4"), "no task of that track"),
        (("--pack", "pack_ones"), "did you mean pack_one"),
        (("--sort", "composit"), "did you mean composite"),
    ],
)
def test_what_does_not_exist_is_named(desk, result, arguments, told):
    with pytest.raises(InputError, match=told):
        desk("leaderboard", result, *arguments)


def test_markup_in_a_model_id_is_text_in_every_form(desk, result, tmp_path):
    markdown = desk("leaderboard", result, "--format", "markdown").stdout
    assert "<b>" not in markdown
    assert r"\<b\>evil" in markdown
    desk("leaderboard", result, "--format", "html", "--out", tmp_path / "board.html")
    page = (tmp_path / "board.html").read_text()
    assert "<b>evil" not in page
    assert "&lt;b&gt;evil" in page
    assert HOSTILE in {row["model_id"] for part in sections(desk, result) for row in part["models"]}


def test_the_terminal_shows_intervals(desk, result):
    told = desk("leaderboard", result).stdout
    row = (
        pl.read_parquet(result / "intervals.parquet")
        .filter(pl.col("model_id") == GOOD, pl.col("level") == "overall", pl.col("measure") == "composite")
        .row(0, named=True)
    )
    assert f"{row['low']:.3f}–{row['high']:.3f}" in told
