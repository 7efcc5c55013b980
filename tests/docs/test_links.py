"""Every link of every page leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import ROOT, name, pages

MORE = [ROOT / "CHANGELOG.md", *sorted((ROOT / "data").glob("*.md"))]
PAGES = [*pages(), *(page for page in MORE if page.is_file())]

_LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)(?: \"[^\"]*\")?\)")


def links(page: Path) -> list[str]:
    text = page.read_text(encoding="utf-8")
    without_blocks = re.sub(r"^( *)(`{3,}|~{3,}).*?^ *\2`* *$", "", text, flags=re.MULTILINE | re.DOTALL)
    return _LINK.findall(without_blocks)


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings make, as forges make them."""
    text = re.sub(
        r"^(`{3,}|~{3,}).*?^\1`* *$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", text, re.MULTILINE):
        bare = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", bare.lower()).replace(" ", "-")
        found.add(slug if slug not in found else f"{slug}-1")
    return found


def leads_on(page: Path, link: str) -> bool:
    """Whether a link leads to a file of this project, and to a heading where it names one."""
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists() or not target.is_relative_to(ROOT):
        return False
    return not anchor or target.suffix != ".md" or anchor in anchors(target)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    lost = [link for link in links(page) if not re.match(r"[a-z]+:", link) and not leads_on(page, link)]
    assert lost == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_out_are_encrypted(page):
    assert [link for link in links(page) if link.startswith("http:")] == []


def test_every_page_of_the_docs_is_reached_from_the_index():
    seen: set[Path] = set()
    open_pages = [ROOT / "docs" / "index.md"]
    while open_pages:
        page = open_pages.pop()
        if page in seen or page.suffix != ".md" or not page.exists():
            continue
        seen.add(page)
        paths = (link.partition("#")[0] for link in links(page) if not re.match(r"[a-z]+:", link))
        open_pages += [(page.parent / path).resolve() for path in paths if path]
    unreached = {name(page) for page in (ROOT / "docs").rglob("*.md") if page not in seen}
    assert unreached == set()


def test_the_readme_leads_to_the_docs():
    assert any(link.startswith("docs/index.md") for link in links(ROOT / "README.md"))
