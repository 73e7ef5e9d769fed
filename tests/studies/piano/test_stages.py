"""The stages of a stroke come in Gillespie's order, for his reasons, and not by any script."""

import numpy as np
import pytest

from studies.piano.stages import Stage, ballistic, gillespie, stages
from touchback.instruments.piano.stroke_analysis import play, strike_times
from touchback.recording import Run
from touchback.system import System

ORDER = [
    "acceleration", "let-off", "slipped", "flight", "strike", "caught by the lever",
    "caught by the check",
]  # fmt: skip


@pytest.fixture(scope="module")
def stroke() -> tuple[Run, list[Stage]]:
    return gillespie()


def test_under_his_ramp_all_stages_come_in_order(stroke: tuple[Run, list[Stage]]) -> None:
    assert [stage.name for stage in stroke[1]] == ORDER


def test_the_hammer_flies_from_its_state_at_release_alone(stroke: tuple[Run, list[Stage]]) -> None:
    run, found = stroke
    strike = next(stage.time for stage in found if stage.name == "strike")
    speed, time = ballistic(run)
    assert time == pytest.approx(strike, abs=1e-5)
    rate = np.interp(strike, run.time, run["hammer rate"])
    assert speed == pytest.approx(rate * 0.131, rel=1e-3)


def test_the_button_is_why_the_jack_turns(pressed: System) -> None:
    """Without a button the jack stays in and blocks the hammer against the string."""
    usual = play(pressed, 0.3, {"touch speed": 0.5})
    blocked = play(pressed, 0.3, {"touch speed": 0.5, "let-off button height": 3e-3})
    names = [stage.name for stage in stages(usual)]
    assert "let-off" in names and "slipped" in names
    assert "let-off" not in [stage.name for stage in stages(blocked)]
    assert usual["jack"].max() > 0.05 > blocked["jack"].max()
    assert blocked["string force"][-1] > 0.5 and usual["string force"][-1] == 0.0


def test_the_screws_decide_when_and_whether_stages_occur(pressed: System) -> None:
    def times(**screws: float) -> dict[str, float]:
        run = play(pressed, 0.3, {"touch speed": 0.5, **screws})
        return {stage.name: stage.time for stage in stages(run)}

    usual = times()
    early = times(**{"let-off button height": -0.5e-3})
    assert early["let-off"] < usual["let-off"] - 1e-3
    assert early["slipped"] < usual["slipped"]
    assert "caught by the check" in usual
    assert "caught by the check" not in times(**{"backcheck distance": -8e-3})
    assert times(**{"blow distance": 47.5e-3})["strike"] > usual["strike"] + 0.5e-3


def test_a_stroke_strikes_once_and_a_strong_one_stays_in_check(
    pressed: System, struck: System
) -> None:
    for system in (pressed, struck):
        for speed in (0.13, 0.2, 0.3, 0.7, 2.0):
            run = play(system, 0.5, {"touch speed": speed}, output_step=2e-4)
            assert len(strike_times(run)) == 1, speed
            if speed > 0.5:
                assert abs(run["hammer rate"][-1]) < 0.02 and run["check force"][-1] > 0.5
