"""The shape of the data that packs ship: file headers, and the identifiers that occur."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import polars as pl

from grade.errors import InputError
from grade.text.identifiers import find_identifiers
from pipelines.table_files import allow_long_cells, read_schema, read_table

DATA_SUFFIXES: Final = (".csv", ".tsv", ".json", ".jsonl", ".parquet")
"""Endings of data files."""

_DELIMITERS: Final = {".csv": ",", ".tsv": "\t"}
_HEADERS: Final = {"pack_id": pl.String, "source_file": pl.String, "source_column": pl.String}
_IDENTIFIERS: Final = {"pack_id": pl.String, "identifier": pl.String}


def read_pack_data(files: Mapping[str, Sequence[Path]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Read headers and identifiers of the packs' data files.

    Args:
        files: The data files of each pack.

    Returns:
        headers (pack_id, source_file, source_column; a null column for a file without header) and
        identifiers (pack_id, identifier in lower case), both sorted and without twins.

    Raises:
        InputError: A file cannot be read.
    """
    headers = [pl.DataFrame(schema=_HEADERS)]
    identifiers = [pl.DataFrame(schema=_IDENTIFIERS)]
    for pack_id, place in ((pack_id, place) for pack_id, places in files.items() for place in places):
        try:
            columns, texts = _columns(place), _texts(place)
        except (OSError, csv.Error, pl.exceptions.PolarsError) as error:
            raise InputError(
                "a data file of a pack cannot be read", where=place.as_posix(), got=str(error)
            ) from error
        named: list[str | None] = [*columns] or [None]
        rows = [(pack_id, place.name, column) for column in named]
        headers.append(pl.DataFrame(rows, _HEADERS, orient="row"))
        found = find_identifiers(texts.unique(maintain_order=True).to_frame("text").with_row_index("text_no"))
        identifiers.append(found.select(pl.lit(pack_id).alias("pack_id"), "identifier").unique())
    return _sorted(headers), _sorted(identifiers)


def _sorted(frames: list[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(frames).unique().sort(pl.all())


def _columns(place: Path) -> list[str]:
    if place.suffix == ".parquet":
        return list(read_schema(place))
    if place.suffix not in _DELIMITERS:
        return []
    with place.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        allow_long_cells()
        return next(csv.reader(file, delimiter=_DELIMITERS[place.suffix]), [])


def _texts(place: Path) -> pl.Series:
    """Return the texts of a file: its lines, or the cells of its text columns."""
    if place.suffix != ".parquet":
        return pl.Series("text", list(_lines(place)), dtype=pl.String)
    frame = read_table(place).select(pl.col(pl.String))
    columns = [frame[name].drop_nulls().alias("text") for name in frame.columns]
    return pl.concat([pl.Series("text", [], dtype=pl.String), *columns])


def _lines(place: Path) -> Iterator[str]:
    with place.open(encoding="utf-8-sig", errors="replace") as file:
        yield from file
