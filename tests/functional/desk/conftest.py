"""One scored result for all tests of the desk, and its commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from desk_inputs import make_result
from typer.testing import CliRunner, Result

from pipelines.commands.export import export
from pipelines.commands.leaderboard import leaderboard
from pipelines.commands.report import report
from pipelines.commands.scorecard import scorecard
from pipelines.commands.sql import sql


@pytest.fixture(scope="session")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result folder; only to be read."""
    return make_result(tmp_path_factory.mktemp("desk"))


@pytest.fixture(scope="session")
def desk() -> Callable[..., Result]:
    """The desk's commands; an error of the user's is raised."""
    app = typer.Typer(pretty_exceptions_enable=False)
    for command in (sql, export, leaderboard, report, scorecard):
        app.command(command.__name__)(command)
    runner = CliRunner()

    def call(*arguments: object) -> Result:
        done = runner.invoke(app, [str(argument) for argument in arguments])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    return call
