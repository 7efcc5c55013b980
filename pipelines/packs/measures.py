"""Read `measures.sql`: the one definition of each measure of a pack.

Each definition is a view under a comment of its own, whose first word is the view's name::

    -- attendance_by_month: one row per month; attended records / records of completed sessions.
    CREATE VIEW attendance_by_month AS SELECT ...;
"""

from __future__ import annotations

import re

_HEADING = re.compile(
    r"^-- (?P<name>[a-z][a-z0-9_]*): (?P<text>.+(?:\n-- .+)*)\nCREATE VIEW (?P=name) AS", re.MULTILINE
)


def describe_measures(sql: str) -> dict[str, str]:
    r"""Return what the comment above each view says, by the view's name.

    >>> describe_measures("-- enrolled: students\n-- on the rolls.\nCREATE VIEW enrolled AS SELECT 1 AS a;")
    {'enrolled': 'students on the rolls.'}
    """
    return {found["name"]: found["text"].replace("\n-- ", " ") for found in _HEADING.finditer(sql)}
