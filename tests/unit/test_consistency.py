"""A group of runs is scored as if it were alone, whatever words the groups beside it use."""

from __future__ import annotations

import polars as pl

from grade.consistency import score_consistency
from grade.schemas import METRICS, RUNS, SPANS, TOKENS


def scored(*groups):
    """Consistency of groups of runs, each run a list of findings, each finding a set of token ids."""
    runs, spans, tokens = [], [], []
    for group_id, members in enumerate(groups):
        for run_index, findings in enumerate(members):
            key = {"model_id": "m", "task_id": f"T{group_id}", "run_index": run_index}
            run_id = len(runs)
            runs.append(key | {"run_id": run_id, "group_id": group_id})
            for entry_no, words in enumerate(findings):
                sentence = {"sentence_id": len(spans)}
                place = {"run_id": run_id, "field_no": 0, "entry_no": entry_no, "sentence_no": 0}
                spans.append(sentence | place)
                tokens += [sentence | {"token_id": word} for word in sorted(words)]
    ids = {"run_id": SPANS.dtypes["run_id"], "group_id": pl.UInt32}
    kept = ("sentence_id", "token_id")
    return score_consistency(
        pl.DataFrame(runs, schema={name: RUNS.dtypes[name] for name in RUNS.key} | ids),
        pl.DataFrame(spans, schema=SPANS.dtypes),
        pl.DataFrame(tokens, schema={name: TOKENS.dtypes[name] for name in kept}),
        METRICS.empty(),
    )["finding_stability"].to_list()


def apart(word):
    """Two runs with a finding each, which share one word of three: two findings."""
    return [[{word, 5}], [{word, 6}]]


PLAIN = [[{0}, {1}], [{0}, {1}]]


def test_words_of_other_groups_link_no_findings():
    assert scored(apart(9), PLAIN) == [0.5, 1.0]
    assert scored(PLAIN, apart(9)) == [1.0, 0.5]
    assert scored(PLAIN, apart(9), PLAIN, apart(9)) == [1.0, 0.5, 1.0, 0.5]
    assert scored(apart(1), apart(9), *[PLAIN] * 9)[:2] == [0.5, 0.5]
