"""Sample files of lm-evaluation-harness (`samples_TASK_TIME.jsonl`): a line per document and filter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from grade.imports.answer import Answer, Skip, first, mapping, text_or_none

_IDS: Final = ("task_id", "id", "question_id", "key")
_SETTINGS: Final = 2


def is_lm_eval(record: Mapping[str, Any]) -> bool:
    """Tell whether a record is a sample."""
    return "doc_id" in record and ("resps" in record or "filtered_resps" in record)


def read_lm_eval(record: Mapping[str, Any]) -> Iterator[Answer]:
    """Read one sample: an answer for each repeat of its request.

    The task is the document's own id, and else its number in the data set.

    Raises:
        Skip: The sample is no generated text, or of another format.
    """
    if not is_lm_eval(record):
        raise Skip("other_format", "no doc_id with resps")
    document = mapping(record.get("doc"))
    task = next((text_or_none(document.get(name)) for name in _IDS if document.get(name) is not None), None)
    responses = record.get("resps") or record.get("filtered_resps")
    inner = first(responses)
    repeats = inner if isinstance(inner, list) else responses
    texts = repeats if isinstance(repeats, list) and all(isinstance(text, str) for text in repeats) else []
    if not texts:
        raise Skip(
            "no_answer", "the sample holds no generated text; only tasks of the kind generate_until do"
        )
    for number, text in enumerate(texts):
        yield Answer(
            text=text,
            task_id=task or text_or_none(record.get("doc_id")),
            run_index=number if len(texts) > 1 else None,
            record=record,
            metadata={"model_temperature": _settings(record).get("temperature")},
        )


def filter_of(record: Mapping[str, Any]) -> str:
    """Return the filter that a sample was logged under; each logs the same answer again."""
    return str(record.get("filter", "none"))


def model_of(results: Mapping[str, Any]) -> str | None:
    """Return the model that a results file names."""
    named = text_or_none(results.get("model_name"))
    if named:
        return named
    settings = mapping(results.get("config")).get("model_args")
    if isinstance(settings, Mapping):
        return text_or_none(settings.get("pretrained", settings.get("model")))
    for part in str(settings or "").split(","):
        name, _, value = part.partition("=")
        if name.strip() in {"pretrained", "model"} and value.strip():
            return value.strip()
    return text_or_none(results.get("model_source"))


def _settings(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings of generation: the second argument of the first request."""
    arguments = record.get("arguments")
    if isinstance(arguments, Mapping):
        request = mapping(arguments.get("gen_args_0"))
        return mapping(request.get("arg_1"))
    request = first(arguments)
    return mapping(request[1]) if isinstance(request, list) and len(request) >= _SETTINGS else {}
