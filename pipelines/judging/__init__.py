"""Judging: plans of questions, the store of verdicts, and the endpoints that are asked."""
