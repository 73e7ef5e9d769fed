"""`touchback piano-models`: tables and gestures."""

import pytest
from typer.testing import CliRunner

from touchback.cli.app import app
from touchback.errors import InputError

RUNNER = CliRunner()


def test_gestures_are_counted_and_reported() -> None:
    result = RUNNER.invoke(app, ["piano-models", "--gestures", "2", "--first", "5"])
    assert result.exit_code == 0
    assert "2 gestures, " in result.stdout and "0 in trouble" in result.stdout


def test_an_unknown_experiment_is_answered_with_the_known_ones() -> None:
    result = RUNNER.invoke(app, ["piano-models", "magic"])
    assert isinstance(result.exception, InputError)
    with pytest.raises(InputError, match="stroke, transitions, speeds, curves, cost"):
        raise result.exception
