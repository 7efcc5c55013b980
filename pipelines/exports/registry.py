"""Which formats `grade export` knows, and how one is run."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final

from grade.errors import InputError
from grade.hints import require_known
from pipelines.places import Place, Remote
from pipelines.plugins import EXPORTERS_GROUP, Plugin, choose_plugin, find_plugins

Export = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Exporter:
    """A format that a result is exported to.

    Its function is `export_<name>(results, out, ...)` in the module `pipelines.exports.<name>`, or
    the one that a plug-in names; `results` is the result folder and `out` the folder to write.
    Further parameters (`tables`, `model`, `task` and so on) are the options that the format has;
    they get None when not given.

    Attributes:
        name: What `--to` calls it.
        summary: What it writes, for the help.
        plugin: The package that brings it; None for what ships.
    """

    name: str
    summary: str
    plugin: Plugin | None = None

    def load(self) -> Export:
        """Import the format's module and return its function.

        Raises:
            InputError: A library that the format needs is not installed, or a plug-in is broken.
        """
        if self.plugin is not None:
            return self.plugin.load()
        try:
            function: Export = getattr(import_module(f"pipelines.exports.{self.name}"), f"export_{self.name}")
        except ModuleNotFoundError as fault:
            raise InputError(
                f"exporting to {self.name} needs a library that is not installed",
                got=f"no module named {fault.name}",
                hint=f"install it with: pip install 'grade[{self.name}]'",
            ) from fault
        return function


EXPORTERS: Final[tuple[Exporter, ...]] = (
    Exporter("parquet", "the tables as Parquet files, with notes in their metadata"),
    Exporter("csv", "the tables as CSV files that a spreadsheet opens safely"),
    Exporter("xlsx", "one workbook with a sheet for each table"),
    Exporter("duckdb", "one DuckDB file with tables, views and comments"),
    Exporter("arrow", "the tables as Arrow IPC files"),
    Exporter("report", "structured-evaluation report files, one for each model and task"),
    Exporter("eee", "every_eval_ever files: scores per model, and a line per run and dimension"),
)
"""The formats that ship, in the order in which the help lists them."""


def exporters() -> tuple[Exporter, ...]:
    """Return all formats: those that ship, then those of installed plug-ins, sorted."""
    plugins = find_plugins(EXPORTERS_GROUP, taken=[exporter.name for exporter in EXPORTERS])
    return (*EXPORTERS, *(Exporter(one.name, f"from the package {one.package}", one) for one in plugins))


def run_export(
    name: str, results: Place, out: Path, options: Mapping[str, Sequence[str | Path] | str | None]
) -> None:
    """Export a result folder.

    Args:
        name: The format.
        results: The result.
        out: The folder to write.
        options: What the user narrowed the export to; None where nothing was said.

    Raises:
        InputError: There is no such format, or it does not have an option that was given.
        OutputError: The files cannot be written.
    """
    every = exporters()
    known = {exporter.name: exporter for exporter in every}
    choose_plugin(name, [exporter.plugin for exporter in every if exporter.plugin is not None])
    require_known(name, known, "there is no such export format")
    function = known[name].load()
    accepted = set(inspect.signature(function).parameters) - {"results", "out"}
    given = {option: value for option, value in options.items() if value}
    if not accepted.issuperset(given):
        refused = ", ".join(
            f"--{option.removesuffix('s').replace('_', '-')}" for option in sorted(given.keys() - accepted)
        )
        raise InputError(f"exporting to {name} does not know {refused}", hint="leave it out")
    is_theirs = known[name].plugin is not None
    function(
        _folder(results) if is_theirs else results,
        out,
        **{option: given.get(option) for option in accepted & options.keys()},
    )


def _folder(results: Place) -> Path:
    """A result as a folder of this machine, since plug-ins know no other."""
    from pipelines.shared_results import Copy  # which loads polars, and the help needs this module

    return Copy(results).whole() if isinstance(results, Remote) else results
