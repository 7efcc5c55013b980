"""Simulated models with known error rates, so that scores can be held against what was planted."""
