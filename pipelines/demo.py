"""The data that ships, as a request to score it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from grade.errors import InputError
from grade.settings import DEFAULTS
from pipelines.places import Place
from pipelines.score import ScoreRequest

_HERE: Final = Path(__file__).resolve().parent.parent
_ROOTS: Final = (_HERE / "grade" / "_data", _HERE / "data")


def data_folder() -> Path:
    """Return the folder of the data that ships: in the installed package, or else in the checkout.

    Raises:
        InputError: This installation has no data.
    """
    for root in _ROOTS:
        if root.is_dir():
            return root
    raise InputError("this installation has no demo data", where=str(_ROOTS[0]))


def demo_request(out: Place, *, threads: int | None = None) -> ScoreRequest:
    """Return the request that `grade demo` scores: the packs, runs and verdicts that ship."""
    root = data_folder()
    return ScoreRequest(
        runs=(str(root / "runs"),),
        packs=root / "packs",
        verdicts=(str(root / "verdicts"),),
        out=out,
        settings=DEFAULTS,
        threads=threads,
        told_below=root,
    )
