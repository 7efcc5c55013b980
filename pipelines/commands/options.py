"""Options that several commands share, and what is done with them before anything heavy loads."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from grade.errors import InputError
from grade.settings import DEFAULTS, Settings, parse_settings

Runs = Annotated[
    list[str],
    typer.Argument(
        help="Files, folders or globs of answers: .json, .jsonl, .ndjson (also .gz, .zst), .parquet."
    ),
]
Packs = Annotated[
    Path, typer.Option(help="Folder with the tasks: every *.jsonl below it that holds gold facts.")
]
Verdicts = Annotated[
    list[str] | None,
    typer.Option(help="Judges' verdicts: .jsonl, .csv, .parquet or a verdict store; may be repeated."),
]
Out = Annotated[
    str,
    typer.Option(
        metavar="PLACE",
        help="Where the result goes: a folder, or s3://BUCKET/PREFIX; new, empty, or an earlier result,"
        " which is replaced.",
    ),
]
Results = Annotated[str, typer.Argument(help="A result: its folder, or s3://BUCKET/PREFIX.")]
MaxRejects = Annotated[
    int | None, typer.Option(help="Refused records that still let the command end with 0. (default: 0)")
]
SettingsFile = Annotated[Path | None, typer.Option("--settings", help="TOML file with settings.")]
PolicyName = Annotated[
    str | None,
    typer.Option(
        "--policy",
        help="How decisions are made: a policy that ships (default, strict) or a TOML file."
        " (default: default)",
    ),
]
Full = Annotated[
    bool,
    typer.Option(
        "--full",
        help="Score every group, also those that are as in the earlier result at --out.",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(min=1, help="Threads to use; the result does not depend on it. (default: all cores)"),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Say nothing on stderr but errors.")]


def load_settings(path: Path | None) -> Settings:
    """Read a settings file; the defaults where none is given.

    Raises:
        InputError: The file cannot be read.
        SettingsError: It does not say anything known.
    """
    if path is None:
        return DEFAULTS
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError("the settings file cannot be read", where=str(path), got=str(fault)) from fault
    return parse_settings(text, where=str(path))


def use_threads(threads: int | None) -> None:
    """Tell polars, which reads this once when it loads."""
    if threads is not None:
        os.environ["POLARS_MAX_THREADS"] = str(threads)
