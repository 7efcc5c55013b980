"""Functions of arrays and numbers; no column names."""
