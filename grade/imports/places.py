"""Find a record's task, model and run: by the path of a field, or by a pattern over a name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from grade.errors import SettingsError
from grade.hints import nearest

PARTS: Final = ("task", "model", "run")
_PLACEHOLDER: Final = re.compile(r"\{(\w*)\}")


def lookup(record: object, path: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return what stands at a path of keys and list positions, None where there is nothing.

    A key that holds a dot itself is found, too.

    Examples:
        >>> lookup({"doc": {"ids": ["T1", "T2"]}}, "doc.ids.1"), lookup({"a.b": 3}, "a.b")
        ('T2', 3)
    """
    if isinstance(record, Mapping) and path in record:
        return record[path]
    head, _, rest = path.partition(".")
    if isinstance(record, Mapping):
        inner = record.get(head)
    elif isinstance(record, list) and head.isdigit() and int(head) < len(record):
        inner = record[int(head)]
    else:
        return None
    return lookup(inner, rest) if rest else inner


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Turn a pattern such as `{model}/{task}/{run}.md` into an expression for the end of a name.

    `{task}` and `{any}` stand for text without "/", `{run}` for digits, `{model}` for any text where the
    pattern begins with something else, else for text without "/".

    Examples:
        >>> found = compile_pattern("{model}/{task}-{run}.md").search("answers/m-1/OPS-T1-04-2.md")
        >>> found["model"], found["task"], found["run"]
        ('m-1', 'OPS-T1-04', '2')

    Raises:
        SettingsError: The pattern names something else, or a part twice, or no task.
    """
    names = _PLACEHOLDER.findall(pattern)
    known = (*PARTS, "any")
    for name in names:
        if name not in known:
            raise SettingsError(
                "a pattern does not know this part",
                where=pattern,
                got=f"{{{name}}}",
                expected=", ".join(f"{{{part}}}" for part in known),
                hint=nearest(name, known),
            )
    doubled = [part for part in PARTS if names.count(part) > 1]
    if doubled or not set(names) & set(PARTS):
        raise SettingsError(
            "a pattern names each part once", where=pattern, expected="such as {model}/{task}/{run}.md"
        )
    pieces = _PLACEHOLDER.split(pattern)
    expression = "".join(
        re.escape(piece) if number % 2 == 0 else _part(piece, is_first=number == 1 and not pieces[0])
        for number, piece in enumerate(pieces)
    )
    return re.compile(rf"(?:^|/){expression}$")


def _part(name: str, *, is_first: bool) -> str:
    if name == "run":
        return r"(?P<run>[0-9]{1,18})"
    if name == "any":
        return "[^/]+?"
    return f"(?P<{name}>.+?)" if name == "model" and not is_first else f"(?P<{name}>[^/]+?)"


def run_number(value: object) -> int | None:
    """Return a run's number from a whole number or its digits, None for anything else.

    Examples:
        >>> run_number("3"), run_number(2), run_number(2.0), run_number("a"), run_number(-1)
        (3, 2, 2, None, None)
    """
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 18:  # noqa: PLR2004
        return int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**62 else None
