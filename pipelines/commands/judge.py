"""`grade judge`: ask a model for verdicts once, store them, and replay them for ever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grade.errors import SettingsError
from pipelines.commands.judge_telling import (
    named,
    print_table,
    short_validity,
    tell_collected,
    tell_counts,
    tell_outcome,
    write_tables,
)
from pipelines.commands.options import Results
from pipelines.places import place_of

if TYPE_CHECKING:
    from pipelines.judging.runner import JudgeRequest

app = typer.Typer(
    help="Ask a model for verdicts once, store them, replay them for ever.", no_args_is_help=True
)

Plan = Annotated[Path, typer.Argument(help="Questions, from grade judge plan.")]
StoreOption = Annotated[Path, typer.Option("--store", help="Verdict store: a folder, made when missing.")]
MaybeStore = Annotated[Path | None, typer.Option("--store", help="Verdict store.")]
Packs = Annotated[
    Path | None, typer.Option(help="The packs that were scored. (default: those in the result's manifest)")
]
Model = Annotated[str, typer.Option(help="The judge, by the name that the endpoint knows.")]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="NAME=JSON",
        help="A parameter of the request, such as seed=1; null leaves one out. May be repeated."
        " (default: temperature=0, max_tokens=1000)",
    ),
]
PriceIn = Annotated[float | None, typer.Option(min=0, help="USD per million prompt tokens.")]
PriceOut = Annotated[float | None, typer.Option(min=0, help="USD per million reply tokens.")]
PlainJson = Annotated[
    bool, typer.Option("--plain-json", help="Do not send a JSON schema; for endpoints that take none.")
]
RetryUnscored = Annotated[
    bool, typer.Option("--retry-unscored", help="Ask again where an earlier reply could not be read.")
]
FamiliesFile = Annotated[
    Path | None, typer.Option("--families", help="Your own table of model families (TOML).")
]
AllowSame = Annotated[
    bool,
    typer.Option("--allow-same-family", help="Let the judge score its own family; each verdict is flagged."),
]
SkipSame = Annotated[
    bool, typer.Option("--skip-same-family", help="Leave out what concerns the judge's own family.")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Say nothing on stderr but errors.")]


@app.command("plan")
def plan_questions(
    results: Results,
    out: Annotated[Path, typer.Option(help="File for the questions (Parquet).")],
    store: MaybeStore = None,
    claims: Annotated[
        bool, typer.Option("--claims/--no-claims", help="Ask about claims and facts that matching left open.")
    ] = True,
    again: Annotated[
        bool, typer.Option("--again", help="Ask what a verdict answers already, too: for a second judge.")
    ] = False,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Ask about this many runs only; the same ones each time.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="How often each question is put.")] = 1,
    packs: Packs = None,
    quiet: Quiet = False,
) -> None:
    """List the questions that no match and no verdict settles, one row each, with its prompt.

    These are evidence linkage and structure of every run, claims that are inconclusive or
    unmatched, and facts without a number that were not found. Verdicts of the result, and those
    of --store, leave their questions out.
    """
    from pipelines.judging.plan import PlanRequest, plan
    from pipelines.progress import make_progress

    request = PlanRequest(
        results=place_of(results),
        out=out,
        packs=packs,
        store=store,
        with_claims=claims,
        again=again,
        sample=sample,
        n_repeats=repeats,
    )
    print_table(plan(request, progress=make_progress(is_quiet=quiet)))
    typer.echo(str(out))


@app.command("run")
def ask_judge(
    plan: Plan,
    model: Model,
    store: StoreOption,
    base_url: Annotated[
        str | None,
        typer.Option(help="The endpoint, such as http://localhost:8000/v1. (default: the openai library's)"),
    ] = None,
    key_variable: Annotated[
        str, typer.Option("--key-env", help="Environment variable that holds the key.")
    ] = "OPENAI_API_KEY",
    concurrency: Annotated[int, typer.Option(min=1, help="Questions under way at a time.")] = 8,
    max_calls: Annotated[int | None, typer.Option(min=0, help="Send at most this many requests.")] = None,
    max_usd: Annotated[
        float | None, typer.Option(min=0, help="Spend at most this much; needs both prices.")
    ] = None,
    price_in: PriceIn = None,
    price_out: PriceOut = None,
    param: Parameters = None,
    plain_json: PlainJson = False,
    retries: Annotated[int, typer.Option(min=0, help="Tries after a failed one, each later.")] = 6,
    timeout: Annotated[float, typer.Option(min=0.01, help="Seconds that one call may take.")] = 120.0,
    retry_unscored: RetryUnscored = False,
    families: FamiliesFile = None,
    allow_same_family: AllowSame = False,
    skip_same_family: SkipSame = False,
    quiet: Quiet = False,
) -> None:
    """Ask a model behind an OpenAI-compatible endpoint, and store each verdict as it arrives.

    Run it again to ask what is still missing, after a stop or a failure. Several processes may
    work on one store. Ends with 0 when every question has a verdict or a ceiling is reached, 2
    when the endpoint or an option is wrong, and 3 when some questions got no verdict.
    """
    from pipelines.judging.endpoint import EndpointSettings
    from pipelines.judging.runner import run_judge
    from pipelines.progress import make_progress

    request = _request(
        plan,
        store,
        model,
        param,
        prices=(price_in, price_out),
        endpoint=EndpointSettings(base_url=base_url, key_variable=key_variable, timeout_s=timeout),
        concurrency=concurrency,
        max_calls=max_calls,
        max_usd=max_usd,
        with_schema=not plain_json,
        n_retries=retries,
        retry_unscored=retry_unscored,
        families=families,
        allow_same_family=allow_same_family,
        skip_same_family=skip_same_family,
    )
    tell_outcome(run_judge(request, progress=make_progress(is_quiet=quiet)))


@app.command("batch")
def write_batch_files(
    plan: Plan,
    model: Model,
    store: StoreOption,
    out: Annotated[Path, typer.Option(help="File for the requests (.jsonl).")],
    param: Parameters = None,
    plain_json: PlainJson = False,
    retry_unscored: RetryUnscored = False,
    families: FamiliesFile = None,
    allow_same_family: AllowSame = False,
    skip_same_family: SkipSame = False,
) -> None:
    """Write the questions as a provider's batch file, which is the cheap way for many.

    Questions that the store answers are left out; more than 50,000 go into several files. Hand
    the files to the provider, and its results to grade judge collect.
    """
    from pipelines.judging.requests import write_batch

    request = _request(
        plan,
        store,
        model,
        param,
        prices=(None, None),
        with_schema=not plain_json,
        retry_unscored=retry_unscored,
        families=families,
        allow_same_family=allow_same_family,
        skip_same_family=skip_same_family,
    )
    written = write_batch(request, out)
    told = {"requests": written.n_requests, "stored before": written.n_before}
    tell_counts(told | {"same family": written.n_skipped})
    for path in written.files:
        typer.echo(str(path))


@app.command("collect")
def collect_results(
    plan: Plan,
    replies: Annotated[list[Path], typer.Argument(help="The provider's result files (.jsonl).")],
    store: StoreOption,
    repairs: Annotated[
        Path | None,
        typer.Option(help="Write requests that ask once more for what cannot be read; else it is unscored."),
    ] = None,
    plain_json: PlainJson = False,
    price_in: PriceIn = None,
    price_out: PriceOut = None,
    families: FamiliesFile = None,
    allow_same_family: AllowSame = False,
) -> None:
    """Read the results of batch files into the store.

    With --repairs, replies that cannot be read are not stored; give the results of the repairs
    together with the first results. Ends with 3 when some results hold no verdict.
    """
    from pipelines.judging.budget import Prices
    from pipelines.judging.collect import CollectRequest, collect

    request = CollectRequest(
        plan=plan,
        replies=tuple(replies),
        store=store,
        repairs=repairs,
        with_schema=not plain_json,
        prices=Prices(price_in, price_out),
        families=families,
        allow_same_family=allow_same_family,
    )
    tell_collected(collect(request))


@app.command("status")
def show_status(
    results: Results,
    store: StoreOption,
    packs: Packs = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON instead of tables.")] = False,
) -> None:
    """Say what a store answers of a result, what is missing, stale or orphaned, and what it took.

    Stale verdicts are on checks whose text or prompt has changed since; orphaned ones on runs or
    checks that the result does not have. The first row is all judges together.
    """
    from pipelines.judging.reports import tell_status

    status = tell_status(place_of(results), store, packs=packs)
    if as_json:
        told = {"standing": status.standing.to_dicts(), "usage": status.usage.to_dicts()}
        typer.echo(json.dumps(told, indent=2, ensure_ascii=False))
        return
    print_table(named(status.standing))
    print_table(status.usage.drop("p50_latency_ms", "max_latency_ms"))


@app.command("export")
def export_store(
    results: Results,
    store: StoreOption,
    out: Annotated[Path, typer.Option(help="Verdict file: .parquet, or JSON lines.")],
    packs: Packs = None,
) -> None:
    """Write the stored verdicts on a result's runs as a verdict file for grade score --verdicts."""
    from pipelines.judging.reports import export_verdicts

    verdicts = export_verdicts(place_of(results), store, out, packs=packs)
    typer.echo(f"{verdicts.height:,} verdicts: {out}")


@app.command("calibrate")
def calibrate_judges(
    results: Results,
    labels: Annotated[Path, typer.Option(help="JSON lines of model_id, task_id, run_index, item and label.")],
    store: MaybeStore = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the tables as Parquet.")] = None,
    packs: Packs = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON instead of tables.")] = False,
) -> None:
    """Compare judges with labels of careful readers: precision, recall, F1, accuracy, calibration.

    Rows without a judge are the checks as they were scored. Intervals are 95 %, and allow for
    checks of one answer standing or falling together.
    """
    from pipelines.judging.reports import calibrate

    told = calibrate(place_of(results), labels, store=store, packs=packs)
    if out is not None:
        write_tables(out, {"judge_validity": told.validity, "judge_reliability": told.reliability})
    if told.n_unknown:
        typer.echo(f"{told.n_unknown:,} labels are on checks that the result does not have", err=True)
    if as_json:
        tables = {"validity": told.validity.to_dicts(), "reliability": told.reliability.to_dicts()}
        typer.echo(json.dumps(tables, indent=2, ensure_ascii=False))
        return
    print_table(short_validity(named(told.validity)))
    print_table(told.reliability.drop("bin"))


def _request(
    plan: Path,
    store: Path,
    model: str,
    param: list[str] | None,
    *,
    prices: tuple[float | None, float | None],
    **options: Any,  # noqa: ANN401
) -> JudgeRequest:
    from pipelines.judging.budget import Prices
    from pipelines.judging.runner import JudgeRequest

    parameters = _parameters(param or [])
    return JudgeRequest(
        plan=plan, store=store, model=model, parameters=parameters, prices=Prices(*prices), **options
    )


def _parameters(given: list[str]) -> dict[str, Any]:
    from grade.judging.keys import DEFAULT_PARAMETERS

    parameters = dict(DEFAULT_PARAMETERS)
    for text in given:
        name, sign, value = text.partition("=")
        try:
            parameters[name.strip()] = json.loads(value)
        except ValueError:
            parameters[name.strip()] = value
        if not sign or not name.strip() or name.strip() in {"model", "messages", "stream", "n"}:
            raise SettingsError(
                "a parameter of the judge does not fit",
                got=text,
                expected="NAME=JSON, such as seed=1, other than model, messages, stream and n",
            )
    return {name: value for name, value in parameters.items() if value is not None}
