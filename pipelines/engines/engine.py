"""What an engine is, and which there are."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Final, Protocol

import polars as pl

from grade.errors import InputError, SettingsError
from grade.hints import nearest
from pipelines.groups import Tables, Work
from pipelines.places import Place
from pipelines.progress import Progress

NAMES: Final = ("local", "ray")
"""The engines, by the name that `--engine` knows them by."""


class Engine(Protocol):
    """Scores slices somewhere; the tables are the same wherever that is."""

    def make(
        self, slices: Iterable[pl.DataFrame], work: Work, *, threads: int | None, progress: Progress
    ) -> Generator[Tables]:
        """Yield the tables of each slice, in the order of the slices.

        Args:
            slices: Slices of the index, see `pipelines.groups.cut_piece`.
            work: What making tables needs beside them.
            threads: How many threads to use on this machine; None leaves it open.
            progress: Where what happens is told.
        """
        ...


def find_engine(name: str, *, out: Place, address: str | None = None) -> Engine:
    """Return an engine by its name.

    Args:
        name: One of `NAMES`.
        out: Where the result shall stand.
        address: Of a cluster that runs already.

    Raises:
        SettingsError: There is no such engine, or it has no address.
        InputError: A library that it needs is not installed.
    """
    if name not in NAMES:
        raise SettingsError(
            "there is no such engine",
            got=name,
            expected=f"one of {', '.join(NAMES)}",
            hint=nearest(name, NAMES),
        )
    if name == "ray":
        try:
            from pipelines.engines.cluster import RayEngine
        except ModuleNotFoundError as fault:
            raise InputError(
                "the engine ray needs a library that is not installed",
                got=f"no module named {fault.name}",
                hint="install it with: pip install 'grade[ray]'",
            ) from fault
        return RayEngine(out, address)
    if address is not None:
        raise SettingsError("the engine local has no address", got=address, hint="add --engine ray")
    from pipelines.engines.local import LocalEngine

    return LocalEngine()
