"""How the records of a JSON file are laid out, told from the file's beginning."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

Layout = Literal["lines", "array", "document"]

_RAW: Final = msgspec.json.Decoder(msgspec.Raw)
_MARKS: Final = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_ZEROS: Final = {
    (True, True, True, False): "UTF-32",
    (False, True, True, True): "UTF-32",
    (True, False, True, False): "UTF-16",
    (False, True, False, True): "UTF-16",
}


def foreign_encoding(head: bytes) -> str | None:
    r"""Return the encoding of a file that is not UTF-8, by its byte order mark or its zero bytes.

    Examples:
        >>> foreign_encoding('{"a": 1}'.encode("utf-16-le"))
        'UTF-16'
        >>> foreign_encoding(b'{"a": 1}') is None
        True
    """
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    return _ZEROS.get(tuple(byte == 0 for byte in head[:4]))  # type: ignore[arg-type]


def find_layout(head: bytes, *, is_document: bool) -> Layout:
    """Return how the records of a file are laid out.

    A file of lines may really be one array, and a document may really be lines; what decides is
    whether the first line is whole by itself, and what follows it.

    Args:
        head: The beginning of the file, without byte order mark.
        is_document: The name promises one JSON document (`.json`), not lines.

    Examples:
        >>> find_layout(b'[{"a": 1},', is_document=False)
        'array'
        >>> find_layout(b'{"a": 1}', is_document=True)
        'document'
        >>> find_layout(b'{"a": 1}' + bytes([10]) + b'{"a": 2}', is_document=True)
        'lines'
    """
    first, second = _first_lines(head)
    if first.startswith(b"["):
        return "array" if is_document or not _is_lines(first, second) else "lines"
    return "document" if is_document and not (second and _is_whole(first)) else "lines"


def _is_lines(first: bytes, second: bytes) -> bool:
    """Tell whether a first line that begins an array is but one bad record among lines."""
    if not second:
        return False
    goes_on = first.endswith((b"[", b","))
    return _is_whole(first) or (not goes_on and second.startswith(b"{") and _is_whole(second))


def _first_lines(head: bytes) -> tuple[bytes, bytes]:
    """Return the first two lines that are not blank, b"" for what is not there."""
    start = 0
    found: list[bytes] = []
    while start < len(head) and len(found) < 2:  # noqa: PLR2004 - two lines decide
        end = head.find(b"\n", start)
        end = len(head) if end < 0 else end
        line = head[start:end].strip()
        if line:
            found.append(line)
        start = end + 1
    first, second, *_ = (*found, b"", b"")
    return first, second


def _is_whole(text: bytes) -> bool:
    try:
        _RAW.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True
