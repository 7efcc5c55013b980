"""Random tasks, runs and verdicts, made of words that the rules of the method turn on.

Phrases are drawn once per example and then quoted, edited, joined and cut by claims and answers
alike, so that matches, near misses and all the exclusions come up often. A phrase, a task or a run
is drawn as a few bytes that choose its parts: an example has a hundred runs within the bounds of
hypothesis, and still shrinks to a few words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from grade.dimensions import DIMENSIONS, WEIGHTS

_WORDS = (
    "students enrolled attendance program october session sessions cancellation school tutors tutor coaching gap "
    "group groups tutoring survey rate rates missed highest lower higher increased fell below above same exceeds "
    "caused dip in of at by with is was a than between and while whereas versus not no without never can't don't "
    "neither nor whether wrong unknown false per cent percent percentage points point pp thousand million hundred "
    "may May March sept Oct since until year over under up to more less fewer least most one count total value "
    "f1 f2 students' reading_level pct share SHARE İstanbul straße Größe ΣΊΣΥΦΟΣ ﬁnal ² Ⅷ ½ 学校 e\u0301te\u0301"
).split()
_NAMES = (
    "SCH-001 SCH-002 sch-003 TUT-005 TUT-008 GRP-012 LAB-204-017 non-IEP IEP October September Sept November 2025-10 "
    "2025-05 Oct-2025 may-2025 2025-10-08 covid-19 top-3 fall-2025 fy-2024 SCH‑001 ‘tutor’s’ TUT-005's SCH_001 mid-oct"
).split()
_NUMBERS = (
    "135 60 45 0.8236 82.4% 82.36% 82.36 78.8 14 14.0 14.04pp 14-point 14-percentage-point 14-percentage 2.6x 9percent "
    "-3.28 −3.28 –3.28 3.28 $1,234 -$5 $-5 €.5 -.5 .82 1,234.50 1.234,56 1.234,5 0.824,0.789 12,3456 1.5e-3 1.5e+3 1.5e 2e4 "
    "eight forty-five forty five twenty two one one-point 2025 1999 1899 2,025 5-10 1/2 4156 4,156 100 100% 1 0 0.5 <42 "
    ">=42 ≥7 ≤7 ->9 =>10 -> => < > <= >= 1e999 １２ (14.0) **60** 00.50 80's -7 (-7) 1.2.3 5%% 120 5 007 99,999,999"
).split()
_BREAKS = [
    *[" "] * 12,
    *(
        ", ",
        "; ",
        ": ",
        ". ",
        "! ",
        ".) ",
        " - ",
        " – ",
        "–",
        "\n",
        "\r\n",
        "\r",
        " | ",
        "\u2028",
        "\u00a0",
        "\t",
        "  ",
    ),
    *(",", ".", ":", "-", "/", "_", "'", "*", "** ", " (", ") ", "\u200b", "... ", "\u3000", "+", "%", " % "),
]
_LEADS = [
    "",
    "",
    "",
    "",
    "- ",
    "2. ",
    "1) ",
    "* ",
    "# ",
    "| ",
    "| - ",
    "> ",
    "• ",
    "**",
    "## **",
    " \t- ",
    "-",
    "1. 2. ",
]
_TAILS = [
    "",
    "",
    "",
    ".",
    "!",
    "%",
    " |",
    " points",
    " hundred",
    ". Not so.",
    ", not",
    "\n---\n",
    " TUT-005",
    "\u2029x",
]
_SILENCE = ["", "1. ", "---", "**", "|---|", "\u200b", "... !"]
_VALUES = [
    *(
        135,
        60,
        45,
        0.8236,
        82.36,
        78.79,
        0.7879,
        14,
        14.04,
        2.6,
        -3.28,
        1234,
        1234.5,
        0.82,
        0.0015,
        1500,
        8,
        20,
        1,
        2,
    ),
    *(
        2025,
        4156,
        100,
        0,
        0.5,
        42,
        7,
        9,
        10,
        120,
        5,
        1.2e6,
        80,
        -7,
        1e300,
        -1e300,
        1e-300,
        5e-324,
        10**30,
        2**63,
        -0.0,
    ),
]
_TEXTS = [
    *_NUMBERS[:40],
    *(
        "80.9%",
        "$-5",
        "n/a",
        "TUT-005",
        "tut-005",
        "nan",
        "inf",
        "-inf",
        "1e999",
        "14.0 pp",
        "-$3.5 million",
        "October",
    ),
    *(
        " 5 ",
        "5 percent",
        "5 per cent",
        "7 percentage points",
        "3 thousand",
        "",
        "STRASSE",
        "straße",
        "+5",
        "1.5e+3",
        "June 2025",
    ),
]
_KEYS = (
    "students enrolled_students sch_001_students SCH-002 sch_0012 f1_value F1 f2 F10 attendance_rate october_rate gap Sep-2025 "
    "2025-09 totals total_enrolled a.b a rate pct m1 tutor id straße 5 tut_005.rate RATE f1.value total.enrolled"
).split()
_STRINGS = ["TUT-005", "sch-001", "GRP-012", "coaching gap", "Straße", "ΣΊΣΥΦΟΣ", "?", "ﬁnal", "October"]
_TOLERANCES = [None, 0, 0.0005, 0.05, 1, "5%", "0.5%", " 10 % "]
_UNITS = ["fraction", "percent", "points", "count", "score"]
_VERDICTS = [
    *({"score": word} for word in ("pass", "partial", "fail")),
    *({"int_score": number} for number in (1, 2, 3, 4, 5)),
    *({"numeric_score": number} for number in (0.0, 0.1, 0.5, 0.55, 1.0)),
    {"score": "pass", "int_score": 4, "numeric_score": 0.85},
]
_MODELS = ["lab/a", "b", "ü B"]

_DIRECTIONS = "higher lower increased fell below above same exceeds more fewer less".split()
_PIECES = [*_WORDS, *_NAMES, *_NAMES, *_NUMBERS, *_DIRECTIONS, *_DIRECTIONS]
_SORTS = ([*_NAMES], [*_NUMBERS], _DIRECTIONS)

any_text = st.text(
    st.sampled_from(
        "aAbZ019 .,-'_|*\n%$İıſßẞςΣσﬁǅéÅ½²Ⅷ٣५一é\u0301\u200d😀\u00a0\u2003\u202f\u2013\u2212’“\u02bc\u0345#>)("
    ),
    max_size=14,
)

T = TypeVar("T")
Record = dict[str, object]


@dataclass(frozen=True)
class Records:
    """What is to be scored."""

    tasks: list[Record]
    runs: list[Record]
    verdicts: list[Record]

    def __repr__(self) -> str:
        parts = (
            f"{name} = [\n" + "".join(f"    {row!r},\n" for row in rows) + "]"
            for name, rows in vars(self).items()
        )
        return "\n".join(parts)


class Choices:
    """Choices that drawn bytes stand for; when they are used up, the first of every list is chosen."""

    def __init__(self, drawn: bytes) -> None:
        self._left = int.from_bytes(drawn, "little")

    def of(self, options: Sequence[T]) -> T:
        """One of the options."""
        self._left, at = divmod(self._left, len(options))
        return options[at]

    def up_to(self, most: int) -> int:
        """A number from 0 to `most`."""
        return self.of(range(most + 1))


def spell(drawn: bytes) -> str:
    """A phrase: two bytes choose a word and what follows it."""
    pairs = [Choices(drawn[at : at + 2]) for at in range(0, len(drawn), 2)]
    return "".join(pair.of(_PIECES) + pair.of(_BREAKS) for pair in pairs)


phrases = st.binary(min_size=4, max_size=24).map(spell)


def metric_values(depth: int = 3) -> SearchStrategy[object]:
    """A number, a text, or objects and lists of them."""
    leaves = st.sampled_from([*_VALUES, *_TEXTS, True, False, None])
    if depth == 0:
        return leaves
    inner = metric_values(depth - 1)
    return leaves | metric_objects(inner) | st.lists(inner | list_items, max_size=3)


def metric_objects(values: SearchStrategy[object]) -> SearchStrategy[Record]:
    """An object with keys that may speak of facts."""
    return st.dictionaries(st.sampled_from(_KEYS), values, max_size=4)


_PLACES = ["SCH-001", "SCH-002", "sch-001", "SCH-001 and SCH-002", "the hall of SCH-001"]
list_items = st.fixed_dictionaries(
    {"n": st.sampled_from(_VALUES)},
    optional={
        "month": st.sampled_from(["Oct", "October 2025", "2025-09", "x", "Oct and Nov"]),
        "school_id": st.sampled_from(_PLACES),
    },
)


class Pool:
    """The phrases and metrics of an example, and what tasks and runs make of them."""

    def __init__(self, phrases: list[str], metrics: list[Record]) -> None:
        self.phrases = phrases
        self.metrics = metrics

    def _edited(self, text: str, pick: Choices) -> str:
        """A text with a word left out, put in, replaced by one of its sort, or moved to the end."""
        parts = text.split(" ")
        at = pick.up_to(len(parts) - 1)
        word, others = pick.of(_PIECES), parts[:at] + parts[at + 1 :]
        like = pick.of(next((sort for sort in _SORTS if parts[at] in sort), _PIECES))
        replaced = [*parts[:at], like, *parts[at + 1 :]]
        moved = [*others, parts[at]]
        return " ".join(pick.of([others, [*parts, word], [*parts[:at], word, *parts[at:]], replaced, moved]))

    def _entry(self, pick: Choices) -> str:
        """An entry of an answer: phrases, with list marks, edits and company."""
        text = pick.of(self.phrases)
        for _ in range(pick.of([0, 0, 1, 1, 2])):
            text = self._edited(text, pick)
        if pick.up_to(2) == 2:
            text += pick.of([". ", ", ", "; ", "\n- ", " and "]) + pick.of(self.phrases)
        return pick.of(_LEADS) + text + pick.of(_TAILS)

    def entries(self, most: int, pick: Choices) -> list[str]:
        """A few entries."""
        return [self._entry(pick) for _ in range(pick.up_to(most))]

    def fields(self, pick: Choices) -> Record:
        """What a run says; one in twelve says nothing."""
        if pick.up_to(11) == 11:
            return {
                "key_findings": [pick.of(_SILENCE)],
                "limitations": [pick.of(_SILENCE)][: pick.up_to(1)],
                "raw_response_text": pick.of([None, *_SILENCE]),
                "structured_metrics": pick.of([{}, {}, {"b": True}, {"a": {"b": [None]}}, {"a": "1e999"}]),
            }
        findings = self.entries(4, pick)
        return {
            "key_findings": findings,
            "limitations": self.entries(2, pick),
            "raw_response_text": pick.of([None, None, "\n".join(self.entries(2, pick)), ". ".join(findings)]),
            "structured_metrics": pick.of([{}, *self.metrics]),
            "evidence_citations": pick.of(_CITATIONS),
        }


_CITATIONS: list[list[Record]] = [
    [],
    [],
    [{"citation_text": ""}],
    [{"citation_text": "TUT-005 had 82.4%"}],
    [
        {"citation_text": "row 0.5", "source_file": "sch-001.csv"},
        {"citation_text": "", "source_column": "rate"},
    ],
]


def _numbers_in(text: str) -> list[float]:
    """The plain numbers of a claim, and what they are as percentages: likely gold values."""
    numbers = [float(number) for number in re.findall(r"[0-9]+(?:\.[0-9]+)?", text)]
    return [value for number in numbers for value in (number, number / 100)]


def _fact(pool: Pool, number: int, pick: Choices) -> Record:
    fact: Record = {"fact_id": f"F{number}", "claim": pick.of(pool.phrases)}
    kind = pick.of("vvvsww")
    if kind == "v":
        gold = pick.of([*_numbers_in(str(fact["claim"])), pick.of(_VALUES)])
        fact |= {"numeric_value": float(gold), "tolerance": pick.of(_TOLERANCES)}
    elif kind == "s":
        fact["string_value"] = pick.of(_STRINGS)
    keys = pick.of([[], [], ["students"], ["total_enrolled", "RATE"], ["gap"], ["totals.rate"]])
    return fact | {"metric_keys": keys, "unit": pick.of([None, None, *_UNITS])}


def _task(pool: Pool, number: int, pick: Choices) -> Record:
    weights = pick.of([list(WEIGHTS.values()), [0, 100, 0, 0, 0, 0], [5, 10, 15, 15, 20, 35]])
    facts = [_fact(pool, n, pick) for n in range(1, 1 + pick.of([3, 0, 1, 4, 5, 11]))]
    texts = [[pick.of(pool.phrases) for _ in range(pick.up_to(3))] for _ in range(3)]
    insights = [
        pick.of([text, text, {"text": text, "calibration": True}, {"text": text}]) for text in texts[0]
    ]
    return {
        "task_id": f"T{number}",
        "pack_id": pick.of(["pack_a", "pack_b"]),
        "track": pick.of([3, 1, 3, 5]),
        "title": "t",
        "user_prompt": "p",
        "task_type": "retrieval",
        "allowed_inputs": [],
        "gold_facts": facts,
        "gold_insights": insights,
        "required_limitations": texts[1],
        "forbidden_claims": texts[2],
        "rubric": {key: {"weight": weight / 100} for key, weight in zip(DIMENSIONS, weights, strict=True)},
    }


def _run(pool: Pool, tasks: list[Record], runs: list[Record], pick: Choices) -> Record:
    """One more run; it may repeat an earlier one, as it is or with its findings reversed."""
    task_id, model_id = pick.of(tasks)["task_id"], pick.of(_MODELS)
    group = [run for run in runs if (run["task_id"], run["model_id"]) == (task_id, model_id)]
    key = {"task_id": task_id, "model_id": model_id, "run_index": len(group)}
    likeness = pick.of(["new", "new", "same", "reversed"])
    if likeness == "new" or not group:
        return pool.fields(pick) | key
    fields = dict(group[0])
    if likeness == "reversed":
        fields["key_findings"] = fields["key_findings"][::-1]
    return fields | key


_CLAIM_LISTS = {
    "insight": "gold_insights",
    "limitation": "required_limitations",
    "forbidden": "forbidden_claims",
}


def _verdicts(task: Record, run: Record, pick: Choices) -> list[Record]:
    about: list[Record] = [
        {"dimension": key} for key in ("evidence_linkage", "structure_usability", "insight_quality")
    ]
    about += [
        {"claim_id": f"{kind}:{n}"} for kind, name in _CLAIM_LISTS.items() for n in range(len(task[name]))
    ]
    about += [{"claim_id": f"fact:{fact['fact_id']}"} for fact in task["gold_facts"]]
    key = {name: run[name] for name in ("task_id", "model_id", "run_index")}
    given = {}
    for _ in range(pick.up_to(5)):
        item, judge = pick.of(about), pick.of(["j1", "j2", "human:a"])
        given[str(item), judge] = key | item | {"judge_id": judge} | pick.of(_VERDICTS)
    return list(given.values())


def _drawn(draw: DrawFn, most: int, n_bytes: int) -> list[Choices]:
    """Bytes for as many records as there shall be, mostly many."""
    bits = st.binary(min_size=n_bytes, max_size=n_bytes)
    sizes = [st.integers(0, most // 2), *[st.integers(most // 2, most)] * 3]
    return [Choices(draw(bits)) for _ in range(draw(st.one_of(sizes)))]


@st.composite
def records(draw: DrawFn) -> Records:
    """Tasks with their gold content, several models' runs on them, and verdicts; every record is valid."""
    pool = Pool(
        [*draw(st.lists(phrases, min_size=5, max_size=16)), *draw(st.lists(any_text, max_size=3))],
        draw(st.lists(metric_objects(metric_values()), min_size=4, max_size=8)),
    )
    tasks = [_task(pool, number, pick) for number, pick in enumerate(_drawn(draw, 9, 64))] or [
        _task(pool, 9, Choices(b""))
    ]
    runs: list[Record] = []
    for pick in _drawn(draw, 90, 56):
        runs.append(_run(pool, tasks, runs, pick))
    by_id = {task["task_id"]: task for task in tasks}
    judging = [Choices(draw(st.binary(min_size=8, max_size=8))) for _ in runs]
    verdicts = [
        found
        for run, pick in zip(runs, judging, strict=True)
        for found in _verdicts(by_id[run["task_id"]], run, pick)
    ]
    return Records(tasks, runs, verdicts)
