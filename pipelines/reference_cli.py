"""The reference page of the command line, read off the Typer app."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import typer
from typer.models import ArgumentInfo, OptionInfo

from pipelines.cli import app

_INTRO: Final = """\
# Commands

Results go to stdout or to files, progress and messages to stderr. Every command has `--help`, which says the
same as this page.

| exit code | meaning |
| --- | --- |
| 0 | done |
| 1 | a gate, check or decision that was asked about is not met |
| 2 | the command or an input that stops everything is wrong; nothing was written |
| 3 | done, but more records were refused than `--max-rejects` allows |"""

_NAMES: Final = {"Path": "PATH", "str": "TEXT", "int": "INTEGER", "float": "NUMBER"}


class _Command(NamedTuple):
    path: tuple[str, ...]
    call: Callable[..., Any]
    panel: str

    @property
    def text(self) -> str:
        return inspect.cleandoc(self.call.__doc__ or "")

    @property
    def first_line(self) -> str:
        return self.text.split("\n\n", maxsplit=1)[0].replace("\n", " ")


class _Parameter(NamedTuple):
    name: str
    hint: Any
    default: Any
    info: ArgumentInfo | OptionInfo
    declared: tuple[str, ...]

    @property
    def is_argument(self) -> bool:
        return isinstance(self.info, ArgumentInfo)

    @property
    def is_required(self) -> bool:
        return self.default in {inspect.Parameter.empty, ...}


def cli_page() -> str:
    """Return the page: one section per command, each option documented."""
    commands = list(_commands(app, ("grade",), panel=""))
    panels = dict.fromkeys(command.panel for command in commands)
    indexes = [_index(panel, [command for command in commands if command.panel == panel]) for panel in panels]
    return "\n\n".join([_INTRO, *indexes, *map(_section, commands)]) + "\n"


def _index(panel: str, commands: list[_Command]) -> str:
    lines = [f"- [`{' '.join(one.path)}`](#{'-'.join(one.path)}): {one.first_line}" for one in commands]
    return "\n".join([f"**{panel or 'Commands'}**\n", *lines])


def _commands(group: typer.Typer, path: tuple[str, ...], *, panel: str) -> Iterator[_Command]:
    """The commands of a group and of the groups within it, under the panel of `--help` that they stand in."""
    for info in group.registered_commands:
        if info.callback is not None and not info.hidden:
            name = info.name or info.callback.__name__.replace("_", "-")
            yield _Command((*path, name), info.callback, panel or _text(info.rich_help_panel))
    for sub in group.registered_groups:
        if sub.typer_instance is not None:
            inner = panel or _text(sub.rich_help_panel)
            yield from _commands(sub.typer_instance, (*path, _text(sub.name)), panel=inner)


def _text(value: object) -> str:
    """A text that the app sets; Typer holds its place with an object where it does not."""
    return value if isinstance(value, str) else ""


def _section(command: _Command) -> str:
    parameters = list(_parameters(command.call))
    arguments = [parameter for parameter in parameters if parameter.is_argument]
    options = [parameter for parameter in parameters if not parameter.is_argument]
    required = [f"{_flags(one)[0]} {_type(one)}" for one in options if one.is_required]
    rest = ["[OPTIONS]"] if len(required) < len(options) else []
    usage = " ".join([*command.path, *map(_placeholder, arguments), *required, *rest])
    parts = [f"## {' '.join(command.path)}", f"```text\n{usage}\n```", command.text]
    if arguments:
        parts.append(_table("argument", [(f"`{_metavar(one)}`", _told(one)) for one in arguments]))
    if options:
        parts.append(_table("option", [(_spelling(one), _told(one)) for one in options]))
    return "\n\n".join(parts)


def _parameters(call: Callable[..., Any]) -> Iterator[_Parameter]:
    """Read each parameter, whether Typer's part stands in its type or in its default value."""
    hints = get_type_hints(call, include_extras=True)
    for name, parameter in inspect.signature(call).parameters.items():
        hint, default = hints[name], parameter.default
        infos = [extra for extra in get_args(hint)[1:] if isinstance(extra, ArgumentInfo | OptionInfo)]
        if get_origin(hint) is Annotated and infos:
            # In `Annotated` there is no default value, so that the first name stands in its place.
            names = (infos[0].default, *(infos[0].param_decls or ()))
            yield _Parameter(name, get_args(hint)[0], default, infos[0], _flags_among(names))
        elif isinstance(default, ArgumentInfo | OptionInfo):
            yield _Parameter(name, hint, default.default, default, _flags_among(default.param_decls or ()))


def _flags_among(names: Iterable[object]) -> tuple[str, ...]:
    flags = (name for name in names if isinstance(name, str) and name.startswith("-"))
    return tuple(sorted(flags, key=lambda flag: not flag.startswith("--")))


def _metavar(parameter: _Parameter) -> str:
    return str(parameter.info.metavar or parameter.name.upper())


def _placeholder(argument: _Parameter) -> str:
    shown = _metavar(argument) + ("..." if _is_list(argument.hint) else "")
    return shown if argument.is_required else f"[{shown}]"


def _flags(option: _Parameter) -> tuple[str, ...]:
    dashed = option.name.replace("_", "-")
    is_switch = _bare(option.hint) is bool
    return option.declared or ((f"--{dashed}/--no-{dashed}",) if is_switch else (f"--{dashed}",))


def _spelling(option: _Parameter) -> str:
    flags = ", ".join(f"`{flag}`" for flag in _flags(option))
    kind = _type(option)
    return flags + (f" `{kind}`" if kind else "")


def _type(option: _Parameter) -> str:
    kind = _bare(option.hint)
    if kind is bool:
        return ""
    if option.info.metavar:
        return str(option.info.metavar)
    if get_origin(kind) is Literal:
        return "|".join(map(str, get_args(kind)))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "|".join(str(member.value) for member in kind)
    return _NAMES.get(getattr(kind, "__name__", ""), "TEXT")


def _bare(hint: Any) -> Any:  # noqa: ANN401
    """The type of one value: without None, and without the list of a repeated option."""
    if get_origin(hint) in {Union, UnionType}:
        return _bare(next(part for part in get_args(hint) if part is not NoneType))
    return _bare(get_args(hint)[0]) if get_origin(hint) in {list, tuple} else hint


def _is_list(hint: Any) -> bool:  # noqa: ANN401
    if get_origin(hint) in {Union, UnionType}:
        return any(_is_list(part) for part in get_args(hint))
    return get_origin(hint) in {list, tuple}


def _told(parameter: _Parameter) -> str:
    text = (parameter.info.help or "").strip()
    default = parameter.default.value if isinstance(parameter.default, Enum) else parameter.default
    is_told = "(default:" in text or default is None or default is False or default == ""
    if parameter.is_required:
        return text if parameter.is_argument else f"{text} Required."
    return text if is_told else f"{text} (default: {default})"


def _table(title: str, rows: list[tuple[str, str]]) -> str:
    lines = [(title, "meaning"), ("---", "---"), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
