"""How much random input the tests look at.

`make test` looks at few examples, so that it is quick; `make fuzz` asks for more of them with
FUZZ_EXAMPLES. The comparisons with the twin look at fixed parts: FUZZ_PARTS asks for more of
them and FUZZ_FROM for others. FUZZ_SHRINKS=0 leaves an input that fails as it is, where only the
failure counts.
"""

from __future__ import annotations

import os

from hypothesis import Phase

_FIRST = int(os.environ.get("FUZZ_FROM", "0"))

PARTS = range(_FIRST, _FIRST + int(os.environ.get("FUZZ_PARTS", "2")))
"""Seeds of the parts."""

PHASES = tuple(phase for phase in Phase if phase is not Phase.shrink or os.environ.get("FUZZ_SHRINKS") != "0")
"""What hypothesis does in the comparisons with the twin."""

IS_LONG = "FUZZ_EXAMPLES" in os.environ
"""Whether this is `make fuzz`."""


def examples(usual: int) -> int:
    """How many examples a hypothesis test looks at: as many as were asked for, else the usual number."""
    return int(os.environ.get("FUZZ_EXAMPLES", usual))
