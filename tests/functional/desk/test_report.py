from __future__ import annotations

import re
from html.parser import HTMLParser

import polars as pl
import pytest
from desk_inputs import GOOD, HOSTILE, MARKUP, PARTIAL

from grade.errors import InputError

SECTIONS = (
    "leaderboard dimensions differences tasks tracks packs facts forbidden decisions findings stability cost gaps"
    " refused method"
).split()


class Reader(HTMLParser):
    """Which elements stand in a page, with their attributes, and whether they are closed in order."""

    void = frozenset({"meta", "link", "br", "hr"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict]] = []
        self.open: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def page(desk, result, tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("report") / "below" / "report.html"
    desk("report", result, "--html", path)
    return path.read_text(encoding="utf-8")


def part(page: str, key: str) -> str:
    return page.split(f'<section id="{key}"', 1)[1].split("</section>", 1)[0]


def test_every_part_is_there_and_linked(page):
    elements = Reader(page).elements
    assert [attributes["id"] for tag, attributes in elements if tag == "section"] == SECTIONS
    links = [attributes["href"] for tag, attributes in elements if tag == "a"]
    assert links == ["#report", *(f"#{key}" for key in SECTIONS)]


def test_nothing_is_loaded_from_elsewhere(page):
    for tag, attributes in Reader(page).elements:
        assert "src" not in attributes, tag
        assert attributes.get("href", "#").startswith(("#", "data:"))
    assert "url(" not in page
    assert "@import" not in page
    policy = next(
        a["content"] for t, a in Reader(page).elements if a.get("http-equiv") == "Content-Security-Policy"
    )
    assert "default-src 'none'" in policy


def test_only_our_own_elements_stand_in_the_page(page):
    elements = Reader(page).elements
    assert sum(tag == "script" for tag, _ in elements) == 1
    assert not {"img", "b", "iframe", "object", "form"} & {tag for tag, _ in elements}
    assert not any(name.startswith("on") for _, attributes in elements for name in attributes)
    assert MARKUP not in page
    assert "&lt;/script&gt;&lt;img src=x" in page
    assert HOSTILE not in page


def test_numbers_are_those_of_the_tables(page, result):
    overall = pl.read_parquet(result / "overall_scores.parquet")
    board = part(page, "leaderboard")
    for composite in overall["composite"]:
        assert f'data-v="{composite}">{composite:.3f}' in board
    tasks = pl.read_parquet(result / "task_scores.parquet").filter(pl.col("model_id") == GOOD)
    heat = part(page, "tasks")
    assert all(f"{composite:.2f}</td>" in heat for composite in tasks["composite"])


def test_intervals_are_shown_and_degenerate_ones_are_not_made_up(page, result):
    intervals = pl.read_parquet(result / "intervals.parquet").filter(
        pl.col("level") == "overall", pl.col("measure") == "composite", pl.col("low").is_not_null()
    )
    assert all(f"{low:.3f} to {high:.3f}" in page for low, high in intervals.select("low", "high").rows())
    assert not re.search(r"""[>"' ]nan\b""", page, re.IGNORECASE)
    assert "no interval" in part(page, "dimensions")


def test_what_was_missed_claimed_and_refused_is_told_with_evidence(page):
    assert "The program enrolls 135 students." in part(page, "facts")
    assert "Tutoring caused the growth of enrollment &lt;/script&gt;" in part(page, "forbidden")
    assert "1 records were refused" in part(page, "refused")
    assert "runs.jsonl" in part(page, "refused")


def test_gaps_name_the_tasks_that_were_left_out(page):
    row = next(row for row in part(page, "gaps").split("<tr>") if PARTIAL in row)
    assert "T-4, T-5, T-6" in row


def test_the_method_names_weights_seed_and_hashes(page):
    told = part(page, "method")
    assert "Grounding accuracy 35 %" in told
    assert re.search(r"[\d,]+ resamples, seed \d+", told)
    assert len(re.findall(r"[0-9a-f]{64}", told)) >= 3


def test_the_same_result_gives_the_same_page(desk, result, page, tmp_path):
    desk("report", result, "--html", tmp_path / "again.html")
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == page


def test_a_folder_that_lacks_tables_says_which(desk, result, tmp_path):
    (tmp_path / "tasks.parquet").write_bytes((result / "tasks.parquet").read_bytes())
    with pytest.raises(InputError, match=r"no runs, task_scores"):
        desk("report", tmp_path, "--html", tmp_path / "report.html")


def test_a_result_of_one_model_and_one_task_is_reported(desk, result, tmp_path):
    for path in result.glob("*.parquet"):
        frame = pl.read_parquet(path)
        if "model_id" in frame.columns:
            frame = frame.filter(pl.col("model_id") == GOOD)
        if "task_id" in frame.columns:
            frame = frame.filter(pl.col("task_id").is_null() | (pl.col("task_id") == "T-1"))
        if "other_model_id" in frame.columns:
            frame = frame.filter(pl.col("other_model_id") == GOOD)
        frame.write_parquet(tmp_path / path.name)
    desk("report", tmp_path, "--html", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    Reader(page)
    assert "No two models were measured alike" in page
