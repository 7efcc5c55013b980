"""The nearest known name to one that is not known, for the hint of an error."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


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
