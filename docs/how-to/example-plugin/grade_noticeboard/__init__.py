"""Formats for grade: answers from note cards, results as a notice for the wall."""
