"""The scorecard of one model, in Markdown, for the people who run programs.

It says first what was measured and what was not, then the scores, then task by task what the
answers got wrong, with the sentences that say so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from grade.dimensions import DIMENSIONS, TITLES, TRACKS
from grade.judging.usage import describe_judging
from grade.models import Task
from grade.report.markdown import escape, number, percent, quote, score, table
from grade.report.rows import Row

_REASONS: Final[dict[str, str]] = {
    "negation": "it is negated or doubted",
    "polarity": "only one of the two is negated or doubted",
    "numbers": "the numbers differ",
    "entities": "the names or months differ",
    "direction": "the directions differ",
}

_PLACES: Final[dict[str, str]] = {
    "key_findings": " (in the findings)",
    "limitations": " (in the limitations)",
    "raw_response_text": " (in the full text)",
}


@dataclass(frozen=True, slots=True)
class Card:
    """What one scorecard is made of: the model's rows of the tables.

    Attributes:
        overall: Of OVERALL_SCORES.
        tracks: Of TRACK_SCORES.
        packs: Of PACK_SCORES.
        tasks: Of TASK_SCORES.
        missed: Of the missed facts that `grade.report.notes.collect_notes` returns.
        claims: Of the claims that it returns.
        judging: Of JUDGE_USAGE, where verdicts come from a store.
        catalogue: The gold content, by task id.
    """

    overall: Row
    tracks: Sequence[Row]
    packs: Sequence[Row]
    tasks: Sequence[Row]
    missed: Sequence[Row]
    claims: Sequence[Row]
    judging: Sequence[Row]
    catalogue: Mapping[str, Task]


def render_scorecard(card: Card) -> str:
    """Return the scorecard as Markdown."""
    row = card.overall
    lines = [
        f"# Scorecard: {escape(row['model_id'])}",
        "",
        _headline(row),
        "",
        "## What was measured, and what was not",
        "",
        *_measured(row),
        "",
        "## Scores",
        "",
        *table(
            ["Dimension", "Score", "Tasks scored"],
            [
                [TITLES[key], score(row[key]), f"{row[f'n_scored_{key}']} of {row['n_tasks']}"]
                for key in DIMENSIONS
            ],
        ),
        *_breakdown("By track", card.tracks, [_track_name(row["track"]) for row in card.tracks]),
        *_breakdown("By pack", card.packs, [escape(row["pack_id"]) for row in card.packs]),
        *_breakdown("By task", card.tasks, [_task_name(card, row["task_id"]) for row in card.tasks]),
        *_judging(card.judging),
        *_details(card),
    ]
    return "\n".join(lines) + "\n"


def _headline(row: Row) -> str:
    rests_on = f"from {_runs(row['n_runs'])} on {row['n_tasks']} tasks"
    return f"Overall score: **{score(row['composite'])}** of 1, {rests_on}."


def _measured(row: Row) -> list[str]:
    unscored = [TITLES[key] for key in DIMENSIONS if row[key] is None]
    missing = f" Not measured: {', '.join(unscored)}." if unscored else ""
    lines = [
        f"- Tasks answered: {row['n_tasks']}, which is {percent(row['task_coverage'])} of the catalogue.",
        f"- The overall score rests on {percent(row['weight_scored'])} of the weights.{missing}",
    ]
    if row["n_claims"]:
        settled = f"{row['n_claims_settled']:,} of {row['n_claims']:,} ({percent(row['claims_judged'])})"
        lines.append(f"- Claim checks settled by a match or a verdict: {settled}.")
    if row["n_claims_settled"] < row["n_claims"]:
        lines.append(
            "- The other checks count as not made, because nobody judged them: insights and caveats that"
            " are said in other words are missing from the score, and so may forbidden claims be."
        )
    return lines


def _breakdown(title: str, rows: Iterable[Row], names: Iterable[str]) -> list[str]:
    headings = [title.removeprefix("By ").capitalize(), "Runs", "Score", *(TITLES[key] for key in DIMENSIONS)]
    scores = ("composite", *DIMENSIONS)
    cells = [
        [name, f"{row['n_runs']:,}", *(score(row[key]) for key in scores), percent(row["claims_judged"])]
        for name, row in zip(names, rows, strict=True)
    ]
    return ["", f"## {title}", "", *table([*headings, "Claims judged"], cells)]


def _track_name(track: int) -> str:
    return f"{track} {TRACKS[track]}"


def _task_name(card: Card, task_id: str) -> str:
    return f"{escape(task_id)} {escape(card.catalogue[task_id].title)}"


def _judging(usage: Sequence[Row]) -> list[str]:
    """What the judges took, which is no cost of the model's own."""
    if not usage:
        return []
    lines = [f"- {escape(line)}" for line in describe_judging(usage)]
    return ["", "## What judging took, apart from the model's own cost", "", *lines]


def _details(card: Card) -> list[str]:
    """What went wrong, task by task; tasks without anything to tell are left out."""
    missed, claims = _by_task(card.missed), _by_task(card.claims)
    lines = ["", "## Task by task"]
    for task_id in (row["task_id"] for row in card.tasks):
        task = card.catalogue[task_id]
        found = [*_missed(task, missed[task_id]), *_claims(task, claims[task_id])]
        lines += ["", f"### {_task_name(card, task_id)}", *found] if found else []
    return lines if len(lines) > 2 else [*lines, "", "No fact was missed and no forbidden claim was made."]  # noqa: PLR2004


def _by_task(notes: Iterable[Row]) -> Mapping[str, list[Row]]:
    rows: dict[str, list[Row]] = defaultdict(list)
    for row in notes:
        rows[row["task_id"]].append(row)
    return rows


def _missed(task: Task, rows: list[Row]) -> list[str]:
    claims = {fact.fact_id: fact.claim for fact in task.gold_facts}
    return _listed("Facts that were missed:", [_fact_line(row, claims[row["fact_id"]]) for row in rows])


def _fact_line(row: Row, claim: str) -> str:
    gold, slack = row["gold_value"], row["tolerance"]
    margin = f", give or take {number(slack)}" if slack else ""
    value = f" Right value: {number(gold)}{margin}." if gold is not None else ""
    return (
        f"- {escape(row['fact_id'])}: {quote(claim)}{value} Missed in {_of(row['n_missed'], row['n_runs'])}."
    )


def _claims(task: Task, rows: list[Row]) -> list[str]:
    made = [row for row in rows if row["kind"] == "forbidden" and row["made"]]
    unsettled = [row for row in rows if row["status"] == "inconclusive"]
    return [
        *_listed("Forbidden claims that were made:", [_made_line(task, row) for row in made]),
        *_listed("Not settled, for a person to look at:", [_unsettled_line(task, row) for row in unsettled]),
    ]


def _made_line(task: Task, row: Row) -> str:
    by_judge = " according to the verdicts" if row["status"] == "judge" else ""
    return (
        f"- {quote(_claim_text(task, row['claim_id']))} in {_runs(row['n_runs'])}{by_judge}{_sentence(row)}"
    )


def _unsettled_line(task: Task, row: Row) -> str:
    why = _REASONS.get(row["reason"] or "", row["reason"] or "")
    because = f", because {escape(why)}" if why else ""
    claim = f"{row['kind']} {quote(_claim_text(task, row['claim_id']))}"
    return f"- {claim} in {_runs(row['n_runs'])}{because}{_sentence(row)}"


def _sentence(row: Row) -> str:
    if not row["evidence"]:
        return "."
    place = _PLACES.get(row["field"] or "", "")
    return f": {quote(row['evidence'])}{place}"


def _claim_text(task: Task, claim_id: str) -> str:
    kind, _, place = claim_id.partition(":")
    texts = {
        "insight": [insight.text for insight in task.gold_insights],
        "limitation": list(task.required_limitations),
        "forbidden": list(task.forbidden_claims),
    }
    return texts[kind][int(place)]


def _listed(heading: str, lines: list[str]) -> list[str]:
    return ["", heading, "", *lines] if lines else []


def _runs(count: int) -> str:
    return f"{count:,} run" if count == 1 else f"{count:,} runs"


def _of(part: int, whole: int) -> str:
    return f"{part:,} of {_runs(whole)}"
