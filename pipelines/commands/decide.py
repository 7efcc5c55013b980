"""`grade decide` and `grade gate`: decisions by a policy, and a stop where they are not good enough."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pipelines.commands.options import Results
from pipelines.places import place_of


class Status(StrEnum):
    """What a decision may say, from worst to best."""

    FAIL = "fail"
    HUMAN_REVIEW = "human_review"
    CONDITIONAL = "conditional"
    PASS = "pass"


def decide(
    results: Results,
    policy: Annotated[
        str | None,
        typer.Option(
            help="A policy file (TOML), or a policy that ships: default, strict. (default: default)"
        ),
    ] = None,
) -> None:
    """Decide anew on a scored result by a policy, without scoring again.

    Replaces the categories and decisions of the folder, and what its result files and scorecards
    say of them; scores stay as they are. Prints each model's decision, and what it was before.
    """
    from pipelines.policies import load_policy
    from pipelines.redecide import redecide

    chosen = load_policy(policy)
    outcome = redecide(place_of(results), chosen)
    for row in outcome.decisions.filter(outcome.decisions["task_id"].is_null()).rows(named=True):
        before = row["previous_status"]
        was = f", was {before}" if before not in {None, row["status"]} else ""
        typer.echo(f"{row['model_id']}: {row['status']} ({row['rule']}{was}). {row['rationale']}")
    typer.echo(
        f"policy {chosen.name}: {outcome.n_changed} of {outcome.decisions.height} decisions changed", err=True
    )


def gate(
    results: Results,
    min_status: Annotated[
        Status, typer.Option(help="The worst decision of a model that still passes.")
    ] = Status.CONDITIONAL,
    model: Annotated[
        list[str] | None, typer.Option(help="Only this model; may be repeated. (default: all models)")
    ] = None,
    junit: Annotated[Path | None, typer.Option(help="File for a JUnit XML report.")] = None,
    github: Annotated[
        bool, typer.Option("--github", help="Print annotations that a code host shows beside the change.")
    ] = False,
) -> None:
    """Stop a pipeline when a model's decision is worse than asked.

    Ends with 0 when every model passes, 1 when one does not, 2 when the folder is no result.
    From worst to best: fail, human_review, conditional, pass.
    """
    from pipelines.gate import check_gate, describe_gate, require_gate

    cases = check_gate(place_of(results), min_status=min_status, models=tuple(model or ()), junit=junit)
    for line in describe_gate(cases, min_status=min_status, for_github=github):
        typer.echo(line)
    require_gate(cases, min_status=min_status)
