"""The scorecard of one model from a result folder, with what changed against a baseline."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from grade.errors import InputError
from grade.hints import nearest
from grade.report.deltas import Standing, render_deltas
from grade.report.filenames import file_stem
from grade.report.html.scorecard import of_model, render_card
from pipelines.desk.folder import ResultFolder, open_result
from pipelines.desk.report import load_assets, read_report
from pipelines.places import Place, Remote, place_of


def markdown_card(results: Place, model: str, baseline: str | None, baseline_model: str | None) -> str:
    """Return the scorecard that the result holds, and the changes after it.

    Args:
        results: The result folder.
        model: The model.
        baseline: A result folder, or another model of this folder; None for no comparison.
        baseline_model: The model of the baseline folder; the same one without.

    Raises:
        InputError: There is no such folder, model or scorecard.
    """
    result = open_result(results)
    now = _standing(result, model)
    path = result.file(f"scorecards/{file_stem(model)}.md")
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as fault:
        raise InputError("the result folder has no scorecard of this model", where=str(path)) from fault
    before = _baseline(result, model, baseline, baseline_model)
    return text if before is None else f"{text}\n{render_deltas(now, before)}"


def html_card(results: Place, model: str, baseline: str | None, baseline_model: str | None) -> str:
    """Return the scorecard as one HTML file; see `markdown_card`."""
    result = open_result(results)
    now = _standing(result, model)
    before = _baseline(result, model, baseline, baseline_model)
    return render_card(of_model(read_report(result), model), now, before, load_assets())


def _baseline(result: ResultFolder, model: str, baseline: str | None, other: str | None) -> Standing | None:
    if baseline is None:
        return None
    is_model = baseline in _models(result)
    place = Path(baseline) if is_model else place_of(baseline)
    if isinstance(place, Remote) or place.is_dir():
        return _standing(open_result(place), other or model, where=baseline)
    if is_model:
        return _standing(result, baseline)
    raise InputError(
        "there is no such baseline",
        got=baseline,
        expected="a result folder, or a model of this result",
        hint=nearest(baseline, _models(result)),
    )


def _standing(result: ResultFolder, model: str, *, where: str = "") -> Standing:
    known = _models(result)
    if model not in known:
        raise InputError(
            "the result has no such model",
            where=str(result.place),
            got=model,
            expected="one of " + ", ".join(known),
            hint=nearest(model, known),
        )
    names = ("overall_scores", "track_scores", "pack_scores", "task_scores")
    frames = [result.frame(name).filter(pl.col("model_id") == model) for name in names]
    return Standing(f"{model} in {where}" if where else model, *frames)


def _models(result: ResultFolder) -> list[str]:
    return sorted(result.frame("overall_scores", ["model_id"])["model_id"])
