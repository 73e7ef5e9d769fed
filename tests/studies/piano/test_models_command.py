"""`python -m studies piano-models`: tables and gestures."""

from command import studies


def test_gestures_are_counted_and_reported() -> None:
    done = studies("piano-models", "--gestures", "2", "--first", "5")
    assert done.returncode == 0
    assert "2 gestures, " in done.stdout and "0 in trouble" in done.stdout


def test_an_unknown_experiment_is_answered_with_the_known_ones() -> None:
    done = studies("piano-models", "magic")
    assert done.returncode == 2
    assert "stroke, transitions, speeds, curves, cost, presses" in done.stderr
