"""Quantities of sentences: signed values with their flags, by token position."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from grade.text.encoding import Flags, Ints, lookup
from grade.text.lexicon import (
    BOUND_PAIRS,
    BOUND_WORDS,
    MULTIPLIERS,
    NUMBER_WORDS,
    TENS_WORDS,
    UNIT_WORDS,
    YEAR_LEADS,
)
from grade.text.neighbours import Neighbours
from grade.text.tokens import Lexed

Floats = npt.NDArray[np.float64]

_NUMBER: Final = r"^[0-9]+(?:\.[0-9]+)?$"
_GLUED: Final = r"^([0-9]+(?:\.[0-9]+)?)-?(x|pp|points?|percent|percentage|percentage-points?)$"
_EXPONENT: Final = r"^[0-9]+(?:\.[0-9]+)?e-?[0-9]+$"
_OPEN_EXPONENT: Final = r"^[0-9]+(?:\.[0-9]+)?e$"
_POINTS: Final = ("point", "points")
_POINT_WORDS: Final = ("pp", "point", "points", "percentage-point", "percentage-points")
# `>` is an inequality unless it is the head of an arrow.
_INEQUALITY: Final = r"(?:<=?|>=|[≤≥]|(?:^|[^-=])>)\s*"
_SIGNS: Final = r"(?:\p{Sc}?-)?\p{Sc}?\.?"
_HERE: Final = "\x00"
_THOUSANDS: Final = (
    rf"{_HERE}[0-9]{{1,3}}(?:\.[0-9]{{3}})+,"
    rf"|[0-9]{{1,3}}(?:\.[0-9]{{3}})+,{_HERE}"
    rf"|[0-9]{{1,3}}(?:\.[0-9]{{3}})*\.{_HERE}[0-9]{{3}}(?:\.[0-9]{{3}})*,"
)
# No further digit, nor a point or comma with digits, on either side.
_CONTINENTAL: Final = (
    rf"(?:^|[^\p{{L}}\p{{N}}.,]|(?:^|[^0-9])[.,])(?:{_THOUSANDS})[0-9]+(?:$|[^0-9.,]|[.,](?:$|[^0-9]))"
)
_YEARS: Final = (1900, 2099)
_TWO: Final = 2


def find_quantities(lexed: Lexed) -> pl.DataFrame:
    """Find every quantity.

    Returns:
        One row per quantity, in order: sentence_id, position and last (of its first and last
        token), clause, value, is_percent (a percent sign or word belongs to it) and
        is_difference (points do). Years after a month, season or the like, numbers after an
        inequality sign or a bound phrase, and numbers inside longer tokens are none.
    """
    read = _readings(lexed)
    has_value = lookup(read["value"].is_not_null(), lexed.tokens["token_id"].to_numpy())
    rows = np.flatnonzero(has_value)
    places = lexed.tokens[rows].join(read, on="token_id", how="left", maintain_order="left")
    around = Neighbours(lexed.stream, lexed.places[rows])
    after = _after(places, around)
    value = _scaled(places, around, after)
    is_percent, is_difference = _units(places, around, after)
    keep = np.isfinite(value) & ~_is_no_quantity(places, around, after)
    columns = places.select("sentence_id", "position", "clause").with_columns(
        last=pl.Series(places["position"].to_numpy() + after - 1, dtype=pl.UInt32),
        value=pl.Series(value, dtype=pl.Float64),
        is_percent=pl.Series(is_percent, dtype=pl.Boolean),
        is_difference=pl.Series(is_difference, dtype=pl.Boolean),
    )
    return columns.filter(pl.Series(keep, dtype=pl.Boolean))


def _readings(lexed: Lexed) -> pl.DataFrame:
    """How each distinct token reads as a number: token_id, digits, value, unit, is_word, is_open."""
    token = pl.col("token")
    glued = token.str.extract(_GLUED, 1)
    head = pl.when(token.str.contains(_OPEN_EXPONENT)).then(token.str.head(-1))
    digits = (
        pl.when(token.str.contains(f"{_NUMBER}|{_EXPONENT}")).then(token).otherwise(pl.coalesce(glued, head))
    )
    words = token.replace_strict({**NUMBER_WORDS, "one": 1.0}, default=None, return_dtype=pl.Float64)
    return lexed.vocabulary.select(
        "token_id",
        "token",
        digits=digits,
        value=pl.coalesce(digits.cast(pl.Float64), words),
        unit=token.str.extract(_GLUED, 2).fill_null(""),
        is_word=words.is_not_null(),
        is_open=token.str.contains(_OPEN_EXPONENT),
    )


def _after(places: pl.DataFrame, around: Neighbours) -> Ints:
    """Steps to the piece after the quantity: 2 for `forty five` and `1.5e+3`, else 1."""
    is_ten = places["token"].is_in(list(TENS_WORDS)).to_numpy()
    joined = is_ten & around.token_in(frozenset(UNIT_WORDS), 1) & around.gap(r"^\s+$", 1)
    steps: Ints = np.where(joined | _is_open(places, around), np.int32(_TWO), np.int32(1))
    return steps


def _is_open(places: pl.DataFrame, around: Neighbours) -> Flags:
    """`1.5e`, which `+3` completes."""
    return _column(places, "is_open") & around.gap(r"^\+$", 1) & around.token("^[0-9]+$", 1)


def _scaled(places: pl.DataFrame, around: Neighbours, after: Ints) -> Floats:
    """Value with its leading dot, second number word, multiplier and sign."""
    second = lookup(
        around.raws["token"].replace_strict(UNIT_WORDS, default=0.0, return_dtype=pl.Float64),
        around.tokens(1),
    ).astype(np.float64)
    value = _spelled(places, around) + np.where(after == _TWO, second, 0.0)
    for word, factor in MULTIPLIERS.items():
        value = np.where(_step(around, after, (word,)), value * factor, value)
    return np.where(_is_negative(places, around), -value, value)


def _spelled(places: pl.DataFrame, around: Neighbours) -> Floats:
    """Value as its own tokens spell it: `.5` is 0.5, `1.5e+3` is 1500."""
    exponent = around.raws["token"].gather(pl.Series(around.tokens(1)))
    has_dot = _has_leading_dot(places, around)
    spelled = places.select(
        "value",
        is_odd=pl.Series(has_dot | _is_open(places, around)),
        zero=pl.Series(np.where(has_dot, "0.", "")),
        digits=pl.when(pl.Series(_is_open(places, around)))
        .then(pl.concat_str("token", exponent))
        .otherwise("digits"),
    )
    whole = pl.concat_str("zero", "digits").cast(pl.Float64, strict=False)
    values: Floats = spelled.select(pl.when("is_odd").then(whole).otherwise("value")).to_series().to_numpy()
    return values


def _step(around: Neighbours, after: Ints, words: Collection[str]) -> Flags:
    found: Flags = np.where(after == _TWO, around.token_in(words, _TWO), around.token_in(words, 1))
    return found


def _column(places: pl.DataFrame, name: str) -> Flags:
    flags: Flags = places[name].to_numpy()
    return flags


def _starts(places: pl.DataFrame) -> Flags:
    starts: Flags = (places["position"] == 0).to_numpy()
    return starts


def _has_leading_dot(places: pl.DataFrame, around: Neighbours) -> Flags:
    """`.82`, where nothing to be read stands before the dot."""
    without_dot = ~places["digits"].str.contains(".", literal=True).fill_null(value=True).to_numpy()
    return without_dot & around.gap(r"\.$", 0) & (_starts(places) | ~around.gap(r"^\.$", 0))


def _is_negative(places: pl.DataFrame, around: Neighbours) -> Flags:
    """A hyphen touches the number, a currency sign between them or not, and no word before it."""
    touches = around.gap(r"-\p{Sc}?\.?$", 0) & (_starts(places) | ~around.gap(r"^-\p{Sc}?\.?$", 0))
    return touches & ~_column(places, "is_word")


def _units(places: pl.DataFrame, around: Neighbours, after: Ints) -> tuple[Flags, Flags]:
    """Flags percent and difference, from a glued unit, a sign or the words that follow."""
    behind = after + _step(around, after, MULTIPLIERS)
    percent = np.zeros(len(places), dtype=np.bool_)
    points = percent.copy()
    for step in (1, 2, 3):
        is_here = behind == step
        points |= is_here & _says_points(around, step)
        per_cent = around.token_in(("per",), step) & around.token_in(("cent",), step + 1)
        percent |= is_here & (around.token_in(("percent",), step) | per_cent | around.gap(r"^\s*%", step))
    unit = places["unit"]
    glued: Flags = unit.is_in(list(_POINT_WORDS)).to_numpy()
    glued_percentage: Flags = (unit == "percentage").to_numpy() & around.token_in(_POINTS, 1)
    is_difference = points | glued | glued_percentage
    return percent | is_difference | (unit == "percent").to_numpy(), is_difference


def _says_points(around: Neighbours, step: int) -> Flags:
    """Whether points, or percentage points, are counted `step` away."""
    of_percentage = around.token_in(("percentage",), step) & around.token_in(_POINTS, step + 1)
    return around.token_in(_POINT_WORDS, step) | of_percentage


def _is_no_quantity(places: pl.DataFrame, around: Neighbours, after: Ints) -> Flags:
    is_word = _column(places, "is_word")
    return (
        _is_date(places, around)
        | _is_ambiguous(places, around)
        | around.gap(f"{_INEQUALITY}$", 0)
        | (around.gap(f"{_INEQUALITY}{_SIGNS}$", 0) & ~is_word)
        | _is_half_exponent(places, around)
        | _is_bound(places, around)
        | (is_word & _is_idle_word(places, around, after))
    )


def _is_date(places: pl.DataFrame, around: Neighbours) -> Flags:
    is_year = places["value"].is_between(*_YEARS).to_numpy() & around.raw("^[0-9]{4}$", 0)
    return is_year & ~_starts(places) & around.token_in(frozenset(YEAR_LEADS), -1)


def _is_ambiguous(places: pl.DataFrame, around: Neighbours) -> Flags:
    """`1.234,56` may be either of two numbers."""
    ambiguous = around.gap("^[,.]$", 0) | around.gap("^[,.]$", 1)
    rows = np.flatnonzero(ambiguous).astype(np.int32)
    position = places["position"].gather(pl.Series(rows, dtype=pl.UInt32))
    context = pl.select(
        pl.concat_str(
            pl.when(position > 1).then(around.written(-2, rows)).otherwise(pl.lit("")),
            pl.when(position > 0)
            .then(around.between(-1, rows) + around.written(-1, rows))
            .otherwise(pl.lit("")),
            around.between(0, rows) + _HERE + around.written(0, rows),
            *(around.between(step, rows) + around.written(step, rows) for step in (1, 2)),
        )
    ).to_series()
    ambiguous[rows] = context.str.contains(_CONTINENTAL).to_numpy()
    return ambiguous


def _is_half_exponent(places: pl.DataFrame, around: Neighbours) -> Flags:
    """`1.5e` without its power, or the power by itself."""
    is_power = around.token("^[0-9]+$", 0) & around.gap(r"^\+$", 0) & around.token(_OPEN_EXPONENT, -1)
    return (_column(places, "is_open") & ~_is_open(places, around)) | (is_power & ~_starts(places))


def _is_bound(places: pl.DataFrame, around: Neighbours) -> Flags:
    parted = around.gap("[,;:]", 0)
    position = places["position"].to_numpy()
    single = (position >= 1) & around.token_in(BOUND_WORDS, -1)
    pair = np.zeros(len(places), dtype=np.bool_)
    for first, second in BOUND_PAIRS:
        pair |= around.token_in((first,), -2) & around.token_in((second,), -1)
    pair &= (position >= 2) & ~around.gap("[,;:]", -1)  # noqa: PLR2004 - two tokens
    return ~parted & (single | pair)


def _is_idle_word(places: pl.DataFrame, around: Neighbours, after: Ints) -> Flags:
    """Number words that count nothing: beside hundred, `one` without a unit, a ten's second word."""
    hundreds = ("hundred",)
    starts = _starts(places)
    beside = (~starts & around.token_in(hundreds, -1)) | _step(around, after, hundreds)
    is_one: Flags = (places["token"] == "one").to_numpy()
    counts_points = _says_points(around, 1) | around.token_in(("percent",), 1)
    is_unit: Flags = places["token"].is_in(list(UNIT_WORDS)).to_numpy()
    second = ~starts & is_unit & around.token_in(frozenset(TENS_WORDS), -1) & around.gap(r"^\s+$", 0)
    return beside | (is_one & ~counts_points) | second
