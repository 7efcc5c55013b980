"""The closed list of codes that say why a record was not imported; beside those of `grade.ingest.reasons`."""

from __future__ import annotations

from typing import Final

from grade.ingest.reasons import REASONS

SKIPS: Final[dict[str, str]] = {
    "no_answer": "The record holds no text of an answer.",
    "failed_request": "The request failed; what came back is no answer of the model.",
    "missing_task": "Nothing says which task the answer is to.",
    "missing_model": "Nothing says which model answered.",
    "bad_run_index": "What should number the run is no whole number from 0.",
    "not_mapped": "The mapping file does not name this file or record.",
    "other_format": "The record is not of the format that is read.",
}
"""Codes of faults that only importing knows."""

LEFT_OUT: Final[dict[str, str]] = {
    "duplicate": "An equal copy of this answer was imported.",
    "logged_again": "The same answer was logged before, under another filter or metric.",
    "unknown_task": REASONS["unknown_task"],
}
"""Codes of records that are left out as they should be; they are no faults."""


def explain_skip(reason: str) -> str:
    """Return the sentence for a code of either list.

    Examples:
        >>> explain_skip("no_answer")
        'The record holds no text of an answer.'
    """
    return SKIPS.get(reason) or LEFT_OUT.get(reason) or REASONS.get(reason, reason)


def is_fault(reason: str) -> bool:
    """Tell whether a code means that something is wrong with the record."""
    return reason not in LEFT_OUT
