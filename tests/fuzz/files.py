"""Random whole files: of runs, verdicts and tasks, well-formed, odd and damaged."""

from __future__ import annotations

import gzip
import io
import json
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from support.strategies import metric_values, spell
from whole import RUN, TASK

TEXTS = st.text(max_size=20) | st.binary(max_size=6).map(spell)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
MARKS = st.sampled_from(
    (
        *(
            b"\n",
            b"\r\n",
            b"\xef\xbb\xbf",
            b"\x00",
            b"{",
            b"}",
            b"[",
            b"]",
            b",",
            b'"',
            b"\\",
            b"NaN",
            b"1e999",
        ),
        *(b"\xff", b"\\ud800", b"\xe2\x80\xa8", b"\x1f\x8b", b"PAR1", b"null", b"[" * 200, b"9" * 400),
        b'"task_id":',
    )
)


def changed(record: dict[str, Any], values: SearchStrategy[Any]) -> SearchStrategy[dict[str, Any]]:
    """A record with some fields replaced by anything, left out or added."""
    names = st.sampled_from(sorted(record)) | TEXTS
    return st.lists(st.tuples(names, values | st.just(...)), max_size=3).map(
        lambda pairs: {name: value for name, value in (record | dict(pairs)).items() if value is not ...}
    )


CITATIONS = st.lists(
    st.none()
    | st.fixed_dictionaries({"citation_text": TEXTS}, optional={"source_file": TEXTS, "grounded": JSON}),
    max_size=3,
)
ANSWERS = st.fixed_dictionaries(
    {"task_id": st.just("T"), "model_id": st.sampled_from(["m", "n"]), "run_index": st.integers(0, 2)},
    optional={
        "key_findings": st.lists(TEXTS | st.none(), max_size=4),
        "limitations": st.none() | st.lists(TEXTS, max_size=3),
        "structured_metrics": st.none() | st.dictionaries(TEXTS, metric_values(), max_size=4),
        "evidence_citations": st.none() | CITATIONS,
        "raw_response_text": st.none() | TEXTS,
        "runtime_metadata": st.none()
        | st.dictionaries(st.sampled_from(["latency_ms", "cost_usd", "x"]), JSON, max_size=2),
    },
)
RUNS = ANSWERS | changed(RUN, JSON)
VERDICT = {"model_id": "m", "task_id": "T", "run_index": 0, "judge_id": "j", "dimension": "evidence_linkage"}
SCORES = st.sampled_from(["pass", "partial", "fail", "4", "nan", "", "=1"]) | st.integers(-1, 6) | st.floats()
VERDICTS = st.builds(
    lambda record, claim, form, score: record | claim | {form: score},
    changed(VERDICT, JSON),
    st.sampled_from(
        [{}, {"dimension": None, "claim_id": "insight:0"}, {"claim_id": "fact:F3"}, {"dimension": ""}]
    ),
    st.sampled_from(["score", "int_score", "numeric_score", "confidence", "findings"]),
    SCORES | JSON,
)
FACTS = st.builds(
    lambda fact, fields: fact | fields,
    st.sampled_from(TASK["gold_facts"]),
    st.fixed_dictionaries(
        {},
        optional={
            "claim": TEXTS,
            "numeric_value": st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(),
            "tolerance": st.none() | st.floats(0, 1e300) | st.sampled_from(["5%", "0 %", "1000000%"]),
            "string_value": st.none() | TEXTS,
            "metric_keys": st.lists(TEXTS, max_size=2),
            "unit": st.sampled_from(["fraction", "percent", "points", "count", "score"]),
        },
    ),
)
GOOD_TASKS = st.builds(
    lambda facts, lists, track: TASK | {"gold_facts": facts, "track": track} | lists,
    st.lists(FACTS, max_size=3, unique_by=lambda fact: fact["fact_id"]),
    st.fixed_dictionaries(
        {},
        optional={
            name: st.lists(TEXTS, max_size=2)
            for name in ("gold_insights", "required_limitations", "forbidden_claims", "allowed_inputs")
        },
    ),
    st.integers(1, 5),
)
"""Valid tasks whose gold says anything; they are numbered when they are written."""


@st.composite
def damaged(draw: DrawFn, whole: SearchStrategy[bytes]) -> bytes:
    """Some bytes are changed, left out or put in, or the end is cut off."""
    data = bytearray(draw(whole))
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        at = draw(st.integers(0, len(data)))
        data[at : at + draw(st.integers(0, 3))] = draw(MARKS | st.binary(max_size=3))
    return bytes(
        data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) and draw(st.booleans()) else data
    )


def written(records: SearchStrategy[Any]) -> SearchStrategy[bytes]:
    """Records as lines, an array, a document, or packed."""
    lines = st.lists(records, max_size=4).map(lambda found: b"".join(_text(one) + b"\n" for one in found))
    arrays = st.lists(records, max_size=3).map(lambda found: b"[" + b",\n".join(map(_text, found)) + b"]")
    documents = records.map(lambda one: json.dumps(one, indent=1).encode())
    plain = lines | arrays | documents
    packed = plain.map(gzip.compress) | plain.map(zstandard.ZstdCompressor().compress)
    return damaged(plain) | damaged(packed) | damaged(plain).map(gzip.compress)


TASK_FILES = st.one_of(
    st.lists(GOOD_TASKS, min_size=1, max_size=3).map(
        lambda tasks: b"".join(
            _text(task | {"task_id": f"T{number}"}) + b"\n" for number, task in enumerate(tasks)
        )
    ),
    written(changed(TASK, JSON)),
)
"""Files of valid tasks, and files of tasks with anything in them, damaged."""


def _text(record: object) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass")


NAMES = st.sampled_from(["f.jsonl", "f.json", "f.ndjson.gz", "f.jsonl.zst", "f.json.gz"])
VERDICT_NAMES = NAMES | st.just("f.csv")
CSV = st.lists(
    st.lists(
        st.sampled_from(["m", "T", "0", "j", "evidence_linkage", "pass", '"', ",", "", "=1", "\n"]),
        max_size=7,
    ),
    max_size=5,
).map(
    lambda rows: (
        b"model_id,task_id,run_index,judge_id,dimension,score,findings\n"
        + "".join(",".join(row) + "\n" for row in rows).encode()
    )
)


METRICS = ('{"rate": 0.5}', '{"a": [1, {"b": 2}]}', "{}", '{"rate": "80.9%"}', None, "{", "[]", '{"a": NaN}')


@st.composite
def parquet(draw: DrawFn) -> bytes:
    """A Parquet file with the right columns, of the right types or others, now and then damaged."""
    n_rows = draw(st.integers(0, 4))
    texts = st.none() | TEXTS.filter(lambda text: not any("\ud800" <= mark <= "\udfff" for mark in text))
    kinds: dict[str, tuple[pa.DataType, SearchStrategy[Any]]] = {
        "task_id": (pa.string(), st.just("T")),
        "model_id": (pa.string(), st.sampled_from(["m", "m", "n", " ", None])),
        "run_index": (pa.int64(), st.integers(0, 3)),
        "key_findings": (pa.list_(pa.string()), st.none() | st.lists(texts, max_size=3)),
        "structured_metrics": (
            pa.string(),
            st.sampled_from(METRICS),
        ),
        "raw_response_text": (pa.large_string(), texts),
        "latency_ms": (pa.float64(), st.none() | st.floats()),
    }
    others = [
        (pa.float64(), st.floats()),
        (pa.binary(), st.none() | st.binary(max_size=4)),
        (pa.list_(pa.int32()), st.lists(st.integers(0, 9), max_size=2)),
        (pa.struct([("a", pa.string())]), st.none() | st.fixed_dictionaries({"a": texts})),
        (pa.dictionary(pa.int32(), pa.string()), texts),
        (pa.timestamp("us"), st.integers(0, 2**40)),
        (pa.null(), st.none()),
    ]
    columns = {}
    for name in draw(st.sets(st.sampled_from(sorted(kinds)), min_size=1)) | {
        "task_id",
        "model_id",
        "run_index",
    }:
        kind, values = draw(st.sampled_from(others)) if draw(st.integers(0, 9)) == 0 else kinds[name]
        column = draw(st.lists(values, min_size=n_rows, max_size=n_rows))
        columns[name] = pa.array(column, kind)
    sink = io.BytesIO()
    table = pa.table(columns)
    if draw(st.booleans()):
        pq.write_table(table, sink, row_group_size=2, use_dictionary=draw(st.booleans()))
    else:
        pl.DataFrame(table).write_parquet(sink)
    return draw(damaged(st.just(sink.getvalue()))) if draw(st.integers(0, 3)) == 0 else sink.getvalue()
