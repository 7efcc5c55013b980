"""Small functions that return polars expressions."""
