"""Which formats `grade import` knows, and which of them a file is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from grade.errors import InputError
from grade.hints import require_known
from grade.imports.answer import Answer
from grade.imports.eee import is_eee
from grade.imports.lm_eval import is_lm_eval
from grade.imports.openai_batch import is_openai_batch
from grade.imports.promptfoo import is_promptfoo
from pipelines.plugins import READERS_GROUP, Plugin, choose_plugin, find_plugins

if TYPE_CHECKING:  # the help is made from this list, before polars may be loaded
    from pipelines.files import Found
    from pipelines.imports.files import AnswerFile

Read = Callable[["AnswerFile"], Iterable[Answer]]

JSON_SUFFIXES: Final = (".json", ".jsonl", ".ndjson")
_TEXTS: Final = (".md", ".markdown", ".txt", ".text")
_TABLES: Final = (".csv", ".parquet")


@dataclass(frozen=True, slots=True)
class Reader:
    """A format that answers are imported from.

    Its function takes a `pipelines.imports.files.AnswerFile` and gives `grade.imports.answer.Answer`s in
    the order of the file. What gives no answer it tells with the file's `skip`.

    Attributes:
        name: What the user calls it.
        summary: What it reads, for the help.
        module: Where its function is, `pipelines.imports.<module>`.
        function: The function's name.
        suffixes: Endings of its files; those of compression may follow. A plug-in's function has them as
            an attribute of this name; without it, all that other formats have are taken.
        plugin: The package that brings it; None for what ships.
    """

    name: str
    summary: str
    module: str = ""
    function: str = ""
    suffixes: tuple[str, ...] = ()
    plugin: Plugin | None = None

    def load(self) -> Read:
        """Import the reader's function.

        Raises:
            InputError: A plug-in cannot be loaded.
        """
        if self.plugin is not None:
            return self.plugin.load()
        function: Read = getattr(import_module(f"pipelines.imports.{self.module}"), self.function)
        return function


READERS: Final[tuple[Reader, ...]] = (
    Reader(
        "text",
        "raw Markdown or text, a file or a JSON field each",
        "text",
        "read_text",
        (*_TEXTS, *JSON_SUFFIXES),
    ),
    Reader("inspect", "Inspect AI logs", "inspect", "read_inspect_file", (".eval", ".json")),
    Reader("lm-eval", "lm-evaluation-harness samples", "harnesses", "read_lm_eval_file", JSON_SUFFIXES),
    Reader("promptfoo", "promptfoo results", "harnesses", "read_promptfoo_file", JSON_SUFFIXES),
    Reader("openai-batch", "OpenAI batch results", "harnesses", "read_openai_batch_file", JSON_SUFFIXES),
    Reader("eee", "every_eval_ever instances", "harnesses", "read_eee_file", JSON_SUFFIXES),
    Reader("table", "CSV or Parquet with a row per answer", "table", "read_table", _TABLES),
)
"""The formats that ship, in the order in which the help lists them."""

AUTO: Final = "auto"
_TESTS: Final[dict[str, Callable[[Mapping[str, Any]], bool]]] = {
    "openai-batch": is_openai_batch,
    "lm-eval": is_lm_eval,
    "eee": is_eee,
    "promptfoo": is_promptfoo,
    "inspect": lambda record: {"eval", "plan"} <= set(record) and "status" in record,
}


def readers() -> tuple[Reader, ...]:
    """Return all formats: those that ship, then those of installed plug-ins, sorted."""
    plugins = find_plugins(READERS_GROUP, taken=[AUTO, *(reader.name for reader in READERS)])
    return (*READERS, *(Reader(one.name, f"from the package {one.package}", plugin=one) for one in plugins))


def choose_reader(name: str) -> Reader | None:
    """Return the reader of a format; None for `auto`.

    Raises:
        InputError: There is no such format, or several packages bring it.
    """
    every = readers()
    known = {AUTO: None, **{reader.name: reader for reader in every}}
    choose_plugin(name, [reader.plugin for reader in every if reader.plugin is not None])
    require_known(name, known, "there is no such format to import")
    return known[name]


def detect(found: Found) -> Reader:
    """Tell a file's format from its ending and its first record.

    Raises:
        InputError: It cannot be told.
    """
    known = {reader.name: reader for reader in READERS}
    if found.suffix in _TEXTS:
        return known["text"]
    if found.suffix in _TABLES:
        return known["table"]
    if found.suffix == ".eval":
        return known["inspect"]
    from pipelines.imports.files import AnswerFile

    file = AnswerFile(found)
    record = next((record.value for record in file.records()), None)
    if isinstance(record, dict):
        for name, fits in _TESTS.items():
            if fits(record):
                return known[name]
    raise InputError("the format of the file cannot be told", where=found.name, **_told(record, file))


def _told(record: object, file: AnswerFile) -> dict[str, str]:
    """What was seen of a file whose format is not known, and what to do."""
    if not isinstance(record, dict):
        seen = file.skipped[0].reason if file.skipped else "no record"
        return {"got": seen, "hint": "name the format instead of auto"}
    if {"task_id", "model_id", "run_index"} <= set(record):
        return {"got": "runs as grade reads them", "hint": "give the file to `grade score` as it is"}
    keys = ", ".join(sorted(record)[:8])
    return {
        "got": f"records with the keys {keys}",
        "expected": "a record of " + ", ".join(_TESTS),
        "hint": "name the format; `grade import text --text-field NAME` reads any JSON record",
    }
