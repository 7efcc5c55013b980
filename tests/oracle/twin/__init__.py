"""A plain-Python twin of the scorer, written apart from it and used as a test oracle."""
