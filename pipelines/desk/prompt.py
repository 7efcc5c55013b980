"""The prompt of `grade sql`: queries over several lines, history, completion where it installs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from rich.console import Console

from grade.errors import GradeError
from pipelines.desk.formats import Format
from pipelines.desk.listing import print_dictionary
from pipelines.desk.output import show
from pipelines.desk.session import Session

_WELCOME: Final = "Queries end with ; and read only. .tables, .columns NAME, .help, .quit"
_HELP: Final = """\
.tables         the tables and views, with what one row is
.columns NAME   the columns of one of them, with their meaning
.quit           leave (also Ctrl-D)
SELECT ...;     a query, over as many lines as you like"""

ReadLine = Callable[[str], str]


def converse(session: Session, console: Console, read_line: ReadLine | None = None) -> None:
    """Answer queries until the user leaves; a query that fails is told and the prompt goes on.

    Args:
        session: The database.
        console: Where answers go.
        read_line: Reads a line after showing a prompt; raises EOFError at the end.
    """
    ask = read_line or make_reader(_words(session))
    console.print(_WELCOME, markup=False, highlight=False)
    while (text := _read_statement(ask)) is not None:
        try:
            _answer(session, console, text)
        except GradeError as fault:
            console.print(fault.render(), markup=False, highlight=False)
        except KeyboardInterrupt:
            console.print("stopped", markup=False)


def make_reader(words: Iterable[str]) -> ReadLine:
    """Return a line reader with history, and with completion where prompt_toolkit is installed."""
    history = history_file()
    try:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import WordCompleter
        from prompt_toolkit.history import FileHistory
    except ImportError:
        return _plain_reader(history)
    completer = WordCompleter(sorted(set(words)), ignore_case=True)
    asked: PromptSession[str] = PromptSession(history=FileHistory(str(history)), completer=completer)
    return asked.prompt


def history_file() -> Path:
    """Return where the history is kept, below the user's state folder; the folder is made."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    folder = Path(state) / "grade"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "sql_history"


def _plain_reader(history: Path) -> ReadLine:
    import atexit
    import readline

    if history.exists():
        readline.read_history_file(history)
    atexit.register(readline.write_history_file, history)
    return input


def _read_statement(ask: ReadLine) -> str | None:
    """Read lines up to one that ends a statement; None at the end of input."""
    lines: list[str] = []
    while True:
        try:
            line = ask("   ...> " if lines else "grade> ")
        except EOFError:
            return None
        except KeyboardInterrupt:
            lines = []
            continue
        if not lines and line.strip() in {".quit", ".exit", "quit", "exit"}:
            return None
        if line.strip() or lines:
            lines.append(line)
        if lines and (line.rstrip().endswith(";") or lines[0].startswith(".")):
            return "\n".join(lines).strip()


def _answer(session: Session, console: Console, text: str) -> None:
    command, _, name = text.partition(" ")
    match command:
        case ".tables":
            print_dictionary(session.dictionary(), console)
        case ".columns":
            print_dictionary(session.dictionary(), console, name.strip())
        case ".help":
            console.print(_HELP, markup=False, highlight=False)
        case _ if command.startswith("."):
            console.print(f"there is no {command}; .help lists what there is", markup=False)
        case _:
            show(session.select(text), Format.TABLE, console=console)


def _words(session: Session) -> set[str]:
    listed = session.dictionary()
    keywords = {"SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "JOIN", "USING", "LIMIT", "DESCRIBE"}
    return {*keywords, *listed["table"], *listed["column"]}
