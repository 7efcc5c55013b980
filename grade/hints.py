"""What an error says of a name that is not known: which are, and the nearest of them."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable

from grade.errors import InputError


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `did you mean ...?` for the known name nearest to this one, or nothing.

    Examples:
        >>> nearest("max_reject", ["max_rejects", "batch_runs"])
        'did you mean max_rejects?'
        >>> nearest("colour", ["max_rejects"])
        ''
    """
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean {found[0]}?" if found else ""


def require_known(name: str, known: Collection[str], what: str) -> None:
    """Stop at a name that is not known.

    Args:
        name: What the user said.
        known: All that may be said.
        what: The fault in a sentence.

    Raises:
        InputError: Tells what is known, and the nearest of it.
    """
    if name not in known:
        expected = "one of " + ", ".join(known)
        raise InputError(what, got=name, expected=expected, hint=nearest(name, known))
