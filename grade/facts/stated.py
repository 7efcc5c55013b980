"""Values stated in text: which sentences state which sought value, and where each run says it first.

Whether a sentence states a value depends on the sentence and the value alone, so it is worked
out once per distinct sentence and only then looked up in the runs.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from grade.expressions.values import as_read, reading
from grade.gold import Gold
from grade.text.corpus import Corpus, sentence_words
from grade.text.nearest import first_after, last_before

_AT: Final = ["sentence_id", "sought_no", "position"]
_CUE_REACH: Final = 5
_LAST_FIELD: Final = 2


def state_values(corpus: Corpus, spans: pl.DataFrame, gold: Gold, claim_words: pl.DataFrame) -> pl.DataFrame:
    """Find the first place in each run that states each sought value.

    A quantity states a value when its sentence and the claim share a content word, the nearest
    entity of every kind that the value has is one of the value's own, and no negation cue stands
    shortly before it.

    Args:
        corpus: The texts.
        spans: SPANS with task_no.
        gold: The catalogue.
        claim_words: fact_no and word, the content words of each fact's claim.

    Returns:
        One row per run and sought value: run_id, sought_no, field_no, entry_no, sentence_no,
        sentence_id, position, predicted_value, method.
    """
    stating = _stating(corpus, spans, gold, claim_words)
    first = stating.sort(_AT).unique(["sentence_id", "sought_no"], keep="first", maintain_order=True)
    place = ["field_no", "entry_no", "sentence_no"]
    return (
        spans.filter(pl.col("field_no") <= _LAST_FIELD)
        .join(first, on=["sentence_id", "task_no"])
        .sort("run_id", "sought_no", *place)
        .unique(["run_id", "sought_no"], keep="first", maintain_order=True)
        .select("run_id", "sought_no", *place, "sentence_id", "position", "predicted_value", "method")
    )


def _stating(corpus: Corpus, spans: pl.DataFrame, gold: Gold, claim_words: pl.DataFrame) -> pl.DataFrame:
    """Quantities that state a sought value: their place, task_no, fact_no, predicted_value, method."""
    equal = _equal(corpus, spans, gold)
    related = _sharing_words(equal, corpus, claim_words)
    owned = related.join(_misplaced(related, corpus, gold), on=_AT, how="anti")
    return owned.join(_denied(owned, corpus, gold), on=_AT, how="anti")


def _equal(corpus: Corpus, spans: pl.DataFrame, gold: Gold) -> pl.DataFrame:
    """Quantities within reach of a sought value of their task."""
    sought = gold.sought.join(gold.facts.select("fact_no", "task_no"), on="fact_no").rename(
        {"value": "wanted"}
    )
    with_quantity = corpus.quantities.select("sentence_id").unique()
    met = spans.select("task_no", "sentence_id").join(with_quantity, on="sentence_id", how="semi").unique()
    stated = met.join(corpus.quantities, on="sentence_id")
    values = stated.select("task_no", "value", "is_percent").unique()
    value = pl.col("value")
    method = reading(
        value,
        pl.col("wanted"),
        pl.col("slack"),
        divides=pl.col("may_divide") & pl.col("is_percent"),
        multiplies=pl.col("may_multiply") & (value.abs() > 0) & (value.abs() < 1) & ~pl.col("is_percent"),
    )
    matched = values.join(sought, on="task_no").with_columns(method=method).drop_nulls("method")
    return (
        stated.join(matched, on=["task_no", "value", "is_percent"])
        .with_columns(predicted_value=as_read(value, pl.col("method")))
        .select(*_AT, "last", "clause", "task_no", "fact_no", "predicted_value", "method")
    )


def _sharing_words(equal: pl.DataFrame, corpus: Corpus, claim_words: pl.DataFrame) -> pl.DataFrame:
    pair = ["sentence_id", "fact_no"]
    pairs = equal.select(pair).unique()
    words = sentence_words(corpus, pairs.select("sentence_id").unique(), claim_words["word"])
    sharing = pairs.join(words, on="sentence_id").join(claim_words, on=["fact_no", "word"], how="semi")
    return equal.join(sharing.select(pair).unique(), on=pair, how="semi")


def _misplaced(related: pl.DataFrame, corpus: Corpus, gold: Gold) -> pl.DataFrame:
    """Quantities whose nearest entity of some kind is another one's."""
    kinds = gold.sought_entities.select("sought_no", "kind").unique()
    met = related.select(*_AT, "last", "clause").join(kinds, on="sought_no")
    place = ["sentence_id", "kind", "position", "last", "clause"]
    nearest = _nearest_entities(met.select(place).unique(), corpus)
    wrong = met.join(nearest, on=place).join(
        gold.sought_entities, on=["sought_no", "kind", "entity"], how="anti"
    )
    return wrong.select(_AT).unique()


def _nearest_entities(places: pl.DataFrame, corpus: Corpus) -> pl.DataFrame:
    """Add to places of a kind the nearest entity of that kind; places without any are left out.

    Nearest counts tokens, to the number's first or last: within its clause, the one before
    winning a tie; then before it in the sentence, then after it.
    """
    by = ["sentence_id", "kind"]
    entities = corpus.entities.select(*by, "position", "entity", its_clause="clause")
    before = last_before(places, entities, by=by)
    after = entities.rename({"entity": "entity_after", "its_clause": "clause_after"})
    both = first_after(before.rename({"at": "at_before"}), after, by=by)
    in_clause = [
        (pl.col("clause") == pl.col(name)).fill_null(value=False) for name in ("its_clause", "clause_after")
    ]
    steps_before = pl.col("position") - pl.col("at_before")
    steps_after = pl.col("at") - pl.col("last")
    takes_after = in_clause[1] & ~(in_clause[0] & (steps_before <= steps_after))
    nearest = pl.when(takes_after).then("entity_after").otherwise(pl.coalesce("entity", "entity_after"))
    return both.select(*places.columns, entity=nearest).drop_nulls("entity")


def _denied(owned: pl.DataFrame, corpus: Corpus, gold: Gold) -> pl.DataFrame:
    """Quantities with a negation cue shortly before them in their clause, unless the claim has one."""
    plain = gold.facts.filter(~pl.col("has_cue")).select("fact_no")
    cues = corpus.cues.select("sentence_id", "position", its_clause="clause")
    met = last_before(owned.join(plain, on="fact_no", how="semi"), cues, by=["sentence_id"])
    is_near = (pl.col("position") - pl.col("at") <= _CUE_REACH) & (pl.col("clause") == pl.col("its_clause"))
    return met.filter(is_near).select(_AT).unique()
