"""The shell of a report: one file with its style and script inside, and nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from grade.report.html.markup import Child, Html, tag


@dataclass(frozen=True, slots=True)
class Assets:
    """What makes a page look and act.

    Attributes:
        style: CSS.
        script: JavaScript; the page works without it, except for sorting and the theme.
    """

    style: str
    script: str


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page.

    Attributes:
        key: Its anchor.
        title: Its heading.
        body: What it holds.
    """

    key: str
    title: str
    body: Child


def render_page(title: str, lead: Child, sections: Sequence[Section], assets: Assets) -> str:
    """Return a whole page.

    A content policy forbids every request and every script but this page's own, so that even a
    mistake in escaping could neither run nor send anything.

    Args:
        title: The page's title and first heading.
        lead: What comes before the first section.
        sections: The parts, in order; the page begins with links to them.
        assets: Style and script.
    """
    links = [tag("a", section.title, href=f"#{section.key}") for section in sections]
    body = tag(
        "body",
        tag("a", "Skip to the report", href="#report", class_="skip"),
        tag("header", tag("h1", title), _theme_button(), lead),
        tag("nav", links, aria_label="Sections"),
        tag("main", map(_section, sections), id="report", tabindex="-1"),
        tag("script", Html(assets.script)),
    )
    return f"<!doctype html>\n{tag('html', _head(title, assets), body, lang='en')}\n"


def _head(title: str, assets: Assets) -> Html:
    digest = base64.b64encode(hashlib.sha256(assets.script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}';"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        tag("link", rel="icon", href="data:,"),
        tag("style", Html(assets.style)),
    )


def _section(section: Section) -> Html:
    heading = tag("h2", section.title, id=f"{section.key}-title")
    return tag("section", heading, section.body, id=section.key, aria_labelledby=f"{section.key}-title")


def _theme_button() -> Html:
    return tag("button", "Light or dark", type="button", id="theme", hidden=True)
