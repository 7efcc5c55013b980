from __future__ import annotations

import shutil

import polars as pl
import pytest
from desk_inputs import FREE, GOOD, HOSTILE, MIXED, PARTIAL
from test_report import Reader

from grade.errors import InputError


def test_without_a_baseline_it_is_the_card_of_the_result(desk, result):
    told = desk("scorecard", result, "--model", GOOD).stdout
    assert told in {path.read_text() for path in (result / "scorecards").iterdir()}


def test_a_baseline_model_gives_changes_in_points(desk, result):
    told = desk("scorecard", result, "--model", GOOD, "--baseline", MIXED).stdout
    overall = dict(pl.read_parquet(result / "overall_scores.parquet").select("model_id", "composite").rows())
    change = 100 * (overall[GOOD] - overall[MIXED])
    row = next(line for line in told.splitlines() if line.startswith("| overall"))
    assert f"| {overall[MIXED]:.3f} | {overall[GOOD]:.3f} | {change:+.1f} |" in row
    assert told.count("| task |") == 6
    assert told.count("| track |") == 2
    assert f"Over the 6 shared tasks {change:+.1f} points" in told


def test_an_earlier_result_is_a_baseline_and_no_change_says_so(desk, result, tmp_path):
    earlier = tmp_path / "earlier"
    shutil.copytree(result, earlier)
    told = desk("scorecard", result, "--model", GOOD, "--baseline", earlier).stdout
    assert "Nothing changed on the 6 shared tasks." in told
    other = desk("scorecard", result, "--model", GOOD, "--baseline", earlier, "--baseline-model", FREE).stdout
    assert f"## Change against {FREE} in" in other


def test_tasks_that_only_one_has_have_no_change(desk, result):
    told = desk("scorecard", result, "--model", PARTIAL, "--baseline", GOOD).stdout
    row = next(line for line in told.splitlines() if line.startswith("| task | T-6"))
    assert row.split(" | ")[3:5] == ["–", "–"]
    assert "Over the 3 shared tasks" in told or "cannot be said" in told or "Nothing changed" in told


def test_html_holds_levels_changes_and_no_markup_of_a_model(desk, result, tmp_path):
    path = tmp_path / "card.html"
    desk("scorecard", result, "--model", HOSTILE, "--baseline", GOOD, "--format", "html", "--out", path)
    page = path.read_text(encoding="utf-8")
    elements = Reader(page).elements
    sections = [attributes["id"] for tag, attributes in elements if tag == "section"]
    assert sections == [
        "overall",
        "change",
        "track",
        "pack",
        "task",
        "decisions",
        "findings",
        "facts",
        "forbidden",
        "gaps",
    ]
    assert sum(tag == "script" for tag, _ in elements) == 1
    assert "<b>" not in page
    assert "Change" in page


def test_html_without_a_baseline_has_no_changes(desk, result):
    page = desk("scorecard", result, "--model", GOOD, "--format", "html").stdout
    sections = [attributes["id"] for tag, attributes in Reader(page).elements if tag == "section"]
    assert "change" not in sections
    assert "Before" not in page


def test_unknown_models_and_baselines_are_named(desk, result):
    with pytest.raises(InputError, match="did you mean acme/good"):
        desk("scorecard", result, "--model", "acme/god")
    with pytest.raises(InputError, match="no such baseline"):
        desk("scorecard", result, "--model", GOOD, "--baseline", "nowhere")
