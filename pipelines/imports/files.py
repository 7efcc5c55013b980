"""A file that answers are imported from, as readers of formats see it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

import msgspec

from grade.imports.answer import Answer, Skip
from grade.ingest.batch import Records
from grade.ingest.decoding import explain
from grade.ingest.limits import DEFAULT_LIMITS
from grade.ingest.records import cut_records
from grade.ingest.refusals import ReadFault
from pipelines.files import Found
from pipelines.sources import InputFile, Source

_DECODER: Final = msgspec.json.Decoder()
_LIMITS: Final = replace(DEFAULT_LIMITS, max_record_bytes=2**30)
"""Documents of results are one record each, and large; only one is held at a time."""


class Skipped(NamedTuple):
    """A record that was not imported.

    Attributes:
        file: The file.
        line: The record's line, from 1; None where lines say nothing.
        reason: A fixed code.
        detail: The reason in words.
    """

    file: str
    line: int | None
    reason: str
    detail: str


class Record(NamedTuple):
    """A JSON record of a file.

    Attributes:
        value: The decoded record.
        text: Its text, as it stands in the file.
        line: Its first line, from 1.
    """

    value: Any
    text: str
    line: int | None


@dataclass(slots=True)
class AnswerFile:
    """One file to import from. A reader takes records or text from it and gives answers.

    What is wrong with a record is told with `skip` (or by raising `Skip` within `read_each`); the
    reading goes on with its neighbours.

    Attributes:
        found: The file.
        options: What the user chose, by name (`text_field`, `columns`, ...).
        skipped: What was skipped so far.
        entry: Hash and size, once the file was read to its end.
    """

    found: Found
    options: dict[str, Any] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    entry: InputFile | None = None

    @property
    def name(self) -> str:
        """The file's name, as given or below the folder as given."""
        return self.found.name

    def skip(self, reason: str, detail: str = "", *, line: int | None = None) -> None:
        """Note that a record, or the rest of the file, gives no answer."""
        self.skipped.append(Skipped(self.name, line, reason, detail))

    def blocks(self) -> Iterator[bytes]:
        """Give the file's bytes, uncompressed; a fault ends them and is raised as `ReadFault`."""
        with Source(self.found, limits=_LIMITS) as source:
            yield from source.blocks()
            self.entry = source.entry()

    def text(self) -> str | None:
        """Return the whole file as text; None, with a note, when it is not UTF-8 or cannot be read."""
        try:
            data = b"".join(self.blocks())
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self.skip("not_utf8", f"byte {error.start} of the file is not UTF-8")
        except ReadFault as fault:
            self.skip(fault.reason, fault.detail)
        return None

    def records(self) -> Iterator[Record]:
        """Give the records of a JSON file (lines, an array or one document), those that can be read."""
        try:
            is_document = self.found.suffix == ".json"
            cut = cut_records(self.blocks(), file=self.name, is_document=is_document, limits=_LIMITS)
            for batch in cut:
                yield from self._decoded(batch)
        except ReadFault as fault:
            self.skip(fault.reason, fault.detail)

    def read_each(
        self, read: Callable[[Any], Answer | Iterable[Answer | Skip]], *, keeps_original: bool = True
    ) -> Iterator[Answer]:
        """Give the answers that a function finds in each record, with the record's place and text.

        Args:
            read: From a decoded record to an answer or several; may raise `Skip`.
            keeps_original: The record as text is kept with an answer that has no original of its own.
        """
        for record in self.records():
            try:
                found = read(_object(record.value))
                for answer in [found] if isinstance(found, Answer) else found:
                    if isinstance(answer, Skip):
                        self.skip(answer.reason, answer.detail, line=record.line)
                        continue
                    original = answer.original or (record.text if keeps_original else None)
                    yield replace(answer, line=record.line, original=original)
            except Skip as skip:
                self.skip(skip.reason, skip.detail, line=record.line)

    def _decoded(self, batch: Records) -> Iterator[Record]:
        for refusal in batch.refused:
            self.skip(refusal.reason, refusal.detail, line=refusal.line)
        for item, line in zip(batch.items, batch.lines, strict=True):
            try:
                text = item.decode()
                yield Record(_decode(text), text, line)
            except (msgspec.MsgspecError, ValueError, RecursionError) as error:
                self.skip(*explain(error, item), line=line)


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Skip("other_format", "the record is no object")
    return value


def _decode(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """Decode JSON; NaN and infinities, which some programs write, are let pass where no field needs them."""
    try:
        return _DECODER.decode(text)
    except msgspec.DecodeError as error:
        try:
            return json.loads(text)
        except ValueError:
            raise error from None
