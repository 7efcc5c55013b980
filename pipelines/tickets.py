"""Have one program at a time exchange the object that tells what a place of an object store holds.

Arrow's client cannot ask for a write on condition, but every store that speaks S3 lists an object
as soon as it is written. So whoever wants to exchange writes an object of its own, a ticket, and
then looks for others: of two who are there at once, the later one sees the earlier one's ticket, or
each sees the other's. Who sees another ticket takes back its own and tries again a little later.
A ticket stands for as long as a small object takes to be read and written.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from grade.errors import OutputError
from pipelines.places import Remote, asking

TICKETS: Final = "tickets"
"""Where tickets lie, below the place that they are about."""

_TRIES: Final = 12
_LONGEST_S: Final = 1.5


@contextmanager
def holding_ticket(place: Remote) -> Iterator[None]:
    """Keep everybody else from exchanging what a place holds while the body runs.

    Raises:
        OutputError: Somebody else's ticket stands and does not go away, or the store refuses.
    """
    with asking(place):
        mine = _ticket(place)
        try:
            yield
        finally:
            mine.remove()


def _ticket(place: Remote) -> Remote:
    tickets, draw = place / TICKETS, secrets.SystemRandom()
    others: list[str] = []
    for number in range(_TRIES):
        name = secrets.token_hex(16)
        mine = tickets / name
        mine.write_bytes(b"mine\n")
        others = [other for other in tickets.names() if other != name]
        if not others:
            return mine
        mine.remove()
        time.sleep(draw.uniform(0, _LONGEST_S * (number + 1) / _TRIES))
    raise OutputError(
        "somebody else is exchanging what lies here",
        where=str(tickets / others[0]),
        hint="try again; if no program is at work there, one was killed: remove this object",
    )
