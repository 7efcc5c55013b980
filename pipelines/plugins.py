"""Formats that other packages add: found by their entry points, loaded only when they are asked for.

A package names a function of its own in its `pyproject.toml`:

    [project.entry-points."grade.exporters"]
    parade = "grade_parade:export_parade"

    [project.entry-points."grade.readers"]
    ledger = "grade_ledger:read_ledger"

`grade export --to parade` and `grade import ledger` then work like the formats that ship. What the
functions get and give is said by `pipelines.exports.registry.Exporter` and
`pipelines.imports.registry.Reader`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from grade.errors import InputError

EXPORTERS_GROUP: Final = "grade.exporters"
"""Entry points of formats that a result is exported to."""

READERS_GROUP: Final = "grade.readers"
"""Entry points of formats that answers are imported from."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """A format of another package.

    Attributes:
        name: What the user calls it.
        package: The package that brings it, with its version.
        entry: Where its function is.
    """

    name: str
    package: str
    entry: EntryPoint

    def load(self) -> Callable[..., Any]:
        """Import the package's function.

        Raises:
            InputError: It cannot be imported, or is no function.
        """
        try:
            function: Callable[..., Any] = self.entry.load()
        except Exception as fault:
            raise InputError(
                f"the plug-in for {self.name} cannot be loaded",
                where=f"{self.package}: {self.entry.value}",
                got=f"{type(fault).__name__}: {fault}",
                hint="install what it needs, or tell its authors",
            ) from fault
        if not callable(function):
            raise InputError(
                f"the plug-in for {self.name} names no function",
                where=f"{self.package}: {self.entry.value}",
                got=type(function).__name__,
            )
        return function


def find_plugins(group: str, *, taken: Collection[str] = ()) -> tuple[Plugin, ...]:
    """Return what installed packages add to a group, sorted by name; nothing is imported.

    Args:
        group: `EXPORTERS_GROUP` or `READERS_GROUP`.
        taken: Names that ship with grade; a plug-in never takes the place of one of them.
    """
    found = {_plugin(entry) for entry in entry_points(group=group) if entry.name not in taken}
    return tuple(sorted(found, key=lambda plugin: (plugin.name, plugin.package)))


def choose_plugin(name: str, plugins: Collection[Plugin]) -> Plugin | None:
    """Return the plug-in of a name, None if there is none.

    Raises:
        InputError: Several packages bring this name, and nothing tells which is meant.
    """
    named = [plugin for plugin in plugins if plugin.name == name]
    if len(named) > 1:
        raise InputError(
            f"several packages add a format called {name}",
            got=", ".join(plugin.package for plugin in named),
            hint="uninstall all but one of them",
        )
    return named[0] if named else None


def _plugin(entry: EntryPoint) -> Plugin:
    package = f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.module
    return Plugin(entry.name, package, entry)
