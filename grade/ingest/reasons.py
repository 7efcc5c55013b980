"""The closed list of codes that say why a record was refused."""

from __future__ import annotations

from typing import Final

REASONS: Final[dict[str, str]] = {
    # the file
    "unreadable_file": "The file vanished, may not be read, or is no regular file.",
    "outside_folder": "The file is a link that leads out of the folder that was searched.",
    "wrong_encoding": "The file is UTF-16 or UTF-32; only UTF-8 is read.",
    "expanded_too_large": "The compressed file unpacks to more than the limit; its rest was left unread.",
    "too_many_refused": "The file holds so many bad records that its rest was left unread.",
    "bad_compression": "The compressed file is damaged; its rest could not be read.",
    "bad_parquet": "The file, or a part of it, is not readable Parquet.",
    "bad_header": "The CSV header names a column twice.",
    # the text of the record
    "bad_json": "The record is not JSON.",
    "bad_csv": "The row is not CSV, or has another number of cells than the header.",
    "truncated": "The record, or the file that it stands in, ends before it is complete.",
    "not_utf8": "The record holds bytes that are not UTF-8.",
    "lone_surrogate": "A text holds half of a surrogate pair, which is no character.",
    "too_long": "The record is longer than the limit.",
    "too_deep": "The record is nested deeper than the limit.",
    "too_many_entries": "A list of the record has more entries than the limit.",
    # its fields
    "missing_field": "A required field is missing.",
    "wrong_type": "A field has another type than it must have; nothing is converted by guess.",
    "out_of_range": "A value lies outside its range, or is none of the allowed ones.",
    "nonfinite_number": "A number is NaN, infinite, or larger than any that can be counted with.",
    "empty_id": "An identifier is empty or blank.",
    "duplicate_key_in_object": "The record says twice which model, task or run it is.",
    # its place among the others
    "unknown_task": "No task of the catalogue has this id.",
    "duplicate_conflict": "Several records have the same key and differ.",
    "unknown_run": "The verdict judges a run that is not among the accepted ones.",
    "dimension_or_claim": "The verdict must name either a dimension or a claim, and not both.",
    "unknown_dimension": "The verdict names something that is none of the six dimensions.",
    "unknown_claim": "The verdict names a claim that its task does not have.",
    "no_score": "The verdict gives no score in any form.",
    "unknown_report": "The report is of no form that is read here.",
    "contradictory_verdict": "The forms of the verdict's score do not agree.",
}
"""Every code, with the sentence that explains it."""
