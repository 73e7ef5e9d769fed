"""`python -m studies piano` as users run it."""

from pathlib import Path

import pytest

from command import studies


def test_piano_measures_and_draws(tmp_path: Path) -> None:
    shown = studies("piano", "stages")
    assert shown.returncode == 0 and "the jack's toe meets the button" in shown.stdout
    assert studies("piano", "--gestures", "2").stdout.startswith("2 gestures, ")
    assert studies("piano", "--picture", "a.svg", cwd=tmp_path).returncode == 0
    assert "animateTransform" in (tmp_path / "a.svg").read_text()
    assert studies("piano", "flute").returncode == 2
    assert studies("piano", "--picture", "a.png").returncode == 2


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("--gestures", "-1"), "--gestures is "),
        (("--picture", "nowhere/a.svg"), "--picture: "),
        (("--picture", "a.txt"), "--picture: "),
    ],
)
def test_wrong_use_is_refused_before_the_work(words: tuple[str, str], option: str) -> None:
    done = studies("piano", *words)
    assert done.returncode == 2
    assert done.stderr.removeprefix("error: ").startswith(option)
