"""The report in a real browser: it asks for nothing, complains of nothing, sorts, and fits."""

from __future__ import annotations

import os

import pytest
from browser import browsing, find_browser
from desk_inputs import FREE, GOOD, HOSTILE, MIXED

pytestmark = pytest.mark.slow

_FIRST_TABLE = "document.querySelector('#leaderboard table')"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    program = find_browser()
    if program is None:
        told = "no Chromium: install it or name it in GRADE_BROWSER; the report was NOT looked at"
        if os.environ.get("GRADE_NEEDS_BROWSER"):
            pytest.fail(told)
        pytest.skip(told)
    with browsing(program, tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def report(desk, result, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    desk("report", result, "--html", path)
    return path


@pytest.fixture
def opened(page, report):
    page.show(width=1300)
    page.open(report)
    return page


def column(page, place: int) -> list[str]:
    script = f"[...{_FIRST_TABLE}.tBodies[0].rows].map(row => row.cells[{place}].firstChild.textContent)"
    return page.run(script)


def click(page, title: str) -> str:
    script = f"""(() => {{
      const head = [...{_FIRST_TABLE}.tHead.rows[0].cells].find(cell => cell.textContent === {title!r});
      head.querySelector('button').click();
      return head.getAttribute('aria-sort');
    }})()"""
    return page.run(script)


def test_it_opens_without_a_request_or_a_complaint(opened, report):
    assert [url for url in opened.requests() if not url.startswith("data:")] == [report.as_uri()]
    assert opened.complaints() == []
    assert opened.run("performance.getEntriesByType('resource').length") == 0


def test_what_a_model_wrote_is_text(opened):
    assert opened.run("document.title").startswith("Report: ")
    assert opened.run("document.images.length") == 0
    assert opened.run("document.scripts.length") == 1
    assert opened.run("document.querySelectorAll('b').length") == 0
    assert "onerror=" in opened.run("document.getElementById('forbidden').textContent")
    assert HOSTILE in column(opened, 1)


def test_a_script_that_got_in_would_not_run(opened):
    opened.run(
        "(() => { const s = document.createElement('script'); s.textContent = 'window.owned = 1';"
        " document.body.append(s); })()"
    )
    assert opened.run("window.owned === undefined")
    assert opened.run("fetch('https://example.invalid').then(() => 'sent', () => 'refused')") == "refused"


def test_headings_sort_numbers_and_names_and_missing_values_stay_last(opened):
    assert click(opened, "Model") == "ascending"
    names = column(opened, 1)
    assert names == sorted(names, key=str.casefold)
    assert click(opened, "Model") == "descending"
    assert column(opened, 1) == names[::-1]
    click(opened, "Cost, USD")
    models = column(opened, 1)
    assert models[-1] == MIXED
    assert models.index(HOSTILE) < models.index(GOOD) < models.index(FREE)
    assert click(opened, "Cost, USD") == "ascending"
    assert column(opened, 1)[0] == FREE
    assert column(opened, 1)[-1] == MIXED
    assert opened.run(f"{_FIRST_TABLE}.querySelectorAll('[aria-sort]:not([aria-sort=none])').length") == 1


def test_the_keyboard_reaches_the_report_and_sorts(opened):
    opened.press("Tab", 9)
    assert opened.run("document.activeElement.className") == "skip"
    opened.run("document.querySelector('#leaderboard thead th:nth-child(2) button').focus()")
    opened.press("Enter", 13)
    assert opened.run("document.activeElement.closest('th').getAttribute('aria-sort')") == "ascending"
    assert opened.run("[...document.querySelectorAll('.scroll')].every(part => part.tabIndex === 0)")


@pytest.mark.parametrize("width", [360, 768, 1300])
def test_the_page_itself_never_scrolls_sideways(opened, width):
    opened.show(width=width)
    assert opened.run("document.documentElement.scrollWidth") <= width


def luminance(page, selector: str, what: str) -> float:
    colour = page.run(f"getComputedStyle(document.querySelector({selector!r})).{what}")
    parts = [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")[:3]]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("selector", ["body", ".note", "nav a", "h2", "td"])
def test_text_stands_out_in_both_themes(opened, theme, selector):
    opened.show(width=1300, theme=theme)
    ground = luminance(opened, "body", "backgroundColor")
    ink = luminance(opened, selector, "color")
    lighter, darker = max(ground, ink), min(ground, ink)
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5
    assert (ground > 0.5) == (theme == "light")


def test_the_button_turns_the_theme(opened):
    before = luminance(opened, "body", "backgroundColor")
    opened.run("document.getElementById('theme').click()")
    assert luminance(opened, "body", "backgroundColor") < 0.1 < before


def test_print_is_dark_on_white_and_without_what_only_a_screen_needs(opened):
    opened.show(width=1000, theme="dark", media="print")
    assert luminance(opened, "body", "backgroundColor") == 1
    assert opened.run("getComputedStyle(document.querySelector('nav')).display") == "none"
    paper = opened.call("Page.printToPDF", printBackground=False)["data"]
    assert len(paper) > 20_000


def test_a_picture_shows_dots_and_a_heat_map(opened):
    dots = opened.run(
        "[...document.querySelectorAll('.whiskers circle')].filter(d => d.getBoundingClientRect().width > 4).length"
    )
    assert dots >= 5 * 6
    colours = opened.run(
        "new Set([...document.querySelectorAll('.heat td[style]')].map(d => getComputedStyle(d).backgroundColor)).size"
    )
    assert colours > 3
    assert opened.picture().startswith(b"\x89PNG")
