"""What ships with judging: the versioned prompts and the table of model families."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from grade.errors import InputError
from grade.judging.families import Families, parse_families
from grade.judging.templates import Template, parse_template

_HERE: Final = Path(__file__).resolve().parent
_REPAIR: Final = "repair.v1"

CURRENT: Final = {
    "claim": "claim.v1",
    "evidence_linkage": "evidence_linkage.v1",
    "structure_usability": "structure_usability.v1",
}
"""The version of each template that new questions use; a changed prompt gets a file of its own."""


def load_templates() -> dict[str, Template]:
    """Return the current templates by what they ask about."""
    return {subject: parse_template(name, _prompt(name)) for subject, name in CURRENT.items()}


def repair_prompt(problem: str) -> str:
    """Return what a judge is told after a reply that cannot be read."""
    return _prompt(_REPAIR).strip().replace("{{problem}}", problem)


def load_families(path: Path | None = None) -> Families:
    """Return the table of model families: the one that ships, or the user's own.

    Raises:
        InputError: The file cannot be read.
    """
    place = path or _HERE / "families.toml"
    try:
        text = place.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError(
            "the table of model families cannot be read", where=str(place), got=str(fault)
        ) from fault
    return parse_families(text, where=str(place))


def _prompt(name: str) -> str:
    return (_HERE / "prompts" / f"{name}.txt").read_text(encoding="utf-8")
