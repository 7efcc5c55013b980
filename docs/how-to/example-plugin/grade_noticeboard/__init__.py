"""A format for grade: results as a notice for the wall."""
