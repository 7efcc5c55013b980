"""Logs of Inspect AI, `.eval` and JSON, read sample by sample through its own library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from grade.errors import InputError
from grade.imports.answer import Answer, Skip
from pipelines.imports.files import AnswerFile

_MILLISECONDS: Final = 1000.0


def read_inspect_file(file: AnswerFile) -> Iterator[Answer]:
    """Read a log; a sample's epochs are its runs.

    Raises:
        InputError: The library is not installed.
    """
    library = _library()
    try:
        for _ in file.blocks():
            pass  # for the hash; the library opens the file itself
        header, samples = _opened(library, str(file.found.path), is_document=file.found.suffix == ".json")
        for sample in samples:
            try:
                yield _answer(header, sample)
            except Skip as skip:
                file.skip(skip.reason, f"sample {sample.id}, epoch {sample.epoch}: {skip.detail}")
    except Exception as fault:  # noqa: BLE001 - the library raises of many kinds on a broken log
        file.skip(
            "other_format", f"inspect_ai cannot read the log: {type(fault).__name__}: {str(fault)[:200]}"
        )


def _opened(library: Any, path: str, *, is_document: bool) -> tuple[Any, Iterator[Any]]:  # noqa: ANN401 - as below
    """The log's header, and its samples: one after the other, but for JSON, which is read whole."""
    if is_document:
        log = library.read_eval_log(path)
        return log, iter(log.samples or [])
    samples = (
        library.read_eval_log_sample(path, id=told.id, epoch=told.epoch)
        for told in library.read_eval_log_sample_summaries(path)
    )
    return library.read_eval_log(path, header_only=True), samples


def _library() -> Any:  # noqa: ANN401 - a module without types where it is not installed
    try:
        from inspect_ai import log
    except ModuleNotFoundError as fault:
        raise InputError(
            "importing Inspect AI logs needs a library that is not installed",
            got=f"no module named {fault.name}",
            hint="install it with: pip install 'grade[inspect]'",
        ) from fault
    return log


def _answer(header: Any, sample: Any) -> Answer:  # noqa: ANN401 - objects of the library
    output = sample.output
    choices = getattr(output, "choices", None) or []
    if not choices:
        if sample.error is not None:
            raise Skip("failed_request", str(sample.error.message))
        raise Skip("no_answer", "the sample has no output")
    task = sample.metadata.get("task_id") if isinstance(sample.metadata, Mapping) else None
    return Answer(
        text=output.completion,
        task_id=str(task if task is not None else sample.id),
        model_id=header.eval.model,
        run_index=max(int(sample.epoch) - 1, 0),
        record={
            "id": sample.id,
            "epoch": sample.epoch,
            "metadata": dict(sample.metadata or {}),
            "eval": {"task": header.eval.task, "model": header.eval.model, "run_id": header.eval.run_id},
        },
        metadata=_metadata(header, sample, choices[0]),
        original=sample.model_dump_json(exclude={"events", "attachments"}, exclude_none=True),
    )


def _metadata(header: Any, sample: Any, choice: Any) -> dict[str, Any]:  # noqa: ANN401 - objects of the library
    usages = list((sample.model_usage or {}).values()) or [usage for usage in [sample.output.usage] if usage]
    costs = [getattr(usage, "total_cost", None) for usage in usages]
    seconds = sample.output.time if sample.output.time is not None else getattr(sample, "working_time", None)
    config = getattr(getattr(header, "plan", None), "config", None)
    stop = choice.stop_reason
    return {
        "prompt_tokens": sum(usage.input_tokens for usage in usages) if usages else None,
        "completion_tokens": sum(usage.output_tokens for usage in usages) if usages else None,
        "cost_usd": sum(costs) if costs and None not in costs else None,
        "latency_ms": None if seconds is None else seconds * _MILLISECONDS,
        "timestamp_utc": str(getattr(sample, "started_at", None) or header.eval.created),
        "model_temperature": getattr(config, "temperature", None),
        "finish_reason": "length" if stop == "max_tokens" else stop,
        "provider": header.eval.model.partition("/")[0],
    }
