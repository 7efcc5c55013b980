"""Identifiers and months among tokens."""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.text.lexicon import MONTH_CODES, MONTHS, NOT_IDENTIFIER_LEADS

MONTH_KIND: Final = "month"
"""The kind of months; every other kind is an identifier's leading word and ends in a hyphen."""

_IDENTIFIER: Final = r"^[a-z][a-z0-9]*(?:-[a-z0-9]+)*-[0-9]{3,}$"
_ISO_MONTH: Final = r"^[0-9]{4}-(0[1-9]|1[0-2])$"
_NAMED: Final = {name: code for name, code in MONTHS.items() if name != "may"}
_MONTH_YEAR: Final = rf"^({'|'.join(sorted(_NAMED, key=len, reverse=True))})-[0-9]{{4}}$"
_ISO_CODES: Final = {f"{number:02d}": code for number, code in enumerate(MONTH_CODES, 1)}


def month(token: pl.Expr) -> pl.Expr:
    """Return the three-letter code of the month that a lower-case token names, else null.

    >>> tokens = pl.Series(["october", "oct-2025", "2025-10", "may", "2025-10-08"])
    >>> pl.select(month(tokens)).to_series().to_list()
    ['oct', 'oct', 'oct', None, None]
    """
    named = token.replace_strict(_NAMED, default=None, return_dtype=pl.String)
    with_year = token.str.extract(_MONTH_YEAR).replace_strict(_NAMED, default=None, return_dtype=pl.String)
    iso = token.str.extract(_ISO_MONTH).replace_strict(_ISO_CODES, default=None, return_dtype=pl.String)
    return pl.coalesce(named, with_year, iso)


def entity(token: pl.Expr) -> pl.Expr:
    """Return the entity that a token names: a month's code or the identifier itself, else null."""
    lead = token.str.extract(r"^([a-z0-9]+)-")
    is_identifier = token.str.contains(_IDENTIFIER) & ~lead.is_in(list(NOT_IDENTIFIER_LEADS))
    return pl.coalesce(month(token), pl.when(is_identifier).then(token))


def kind(entity: pl.Expr) -> pl.Expr:
    """Return the kind of an entity: `month`, or the identifier's leading word and a hyphen.

    >>> pl.select(kind(pl.Series(["oct", "tut-005"]))).to_series().to_list()
    ['month', 'tut-']
    """
    return pl.when(entity.is_not_null()).then(entity.str.extract("^([a-z0-9]+-)").fill_null(MONTH_KIND))
