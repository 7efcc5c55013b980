"""How much random input the comparisons with the twin look at.

`make test` looks at fixed examples, so that it says the same every time; FUZZ_PARTS asks for more
parts of them and FUZZ_FROM for others.
"""

from __future__ import annotations

import os

_FIRST = int(os.environ.get("FUZZ_FROM", "0"))

PARTS = range(_FIRST, _FIRST + int(os.environ.get("FUZZ_PARTS", "3")))
"""Seeds of the parts."""
