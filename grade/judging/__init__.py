"""Judging: questions to a model that judges, its replies, and what they are worth; no I/O here."""
