from __future__ import annotations

import subprocess
import sys


def test_the_command_line_loads_no_engine_before_a_command_runs():
    """`--threads` is told to polars by the environment, which polars reads once, when it loads."""
    code = "import sys, pipelines.cli; print(sorted({'polars', 'duckdb', 'numpy', 'pyarrow'} & set(sys.modules)))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
