"""The model itself: its drives, its energy, its screws."""

import numpy as np
import pytest

import touchback as tb
from touchback.instruments.piano import PressedTouch, grand_piano_action
from touchback.instruments.piano.stroke_analysis import play
from touchback.system import System


def test_every_joule_of_a_stroke_is_accounted_for(pressed: System) -> None:
    run = play(pressed, 0.3, {"touch speed": 1.0}, rtol=1e-8, atol=1e-11, energy_balance=True)
    books = run.energy_balance
    assert abs(books.residual) < 1e-5 * books.total("work")
    lost = books.dissipated
    assert min(lost.values()) > -1e-9  # felt and friction take, and never give
    assert max(lost, key=lambda name: lost[name]) == "string"


def test_a_force_a_finger_and_a_motion_move_the_same_action(pressed: System) -> None:
    """The effort of a prescribed motion, applied as a force, gives that motion back."""
    driven = play(pressed, 0.05, {"touch speed": 0.2}, output_step=5e-5, rtol=1e-8, atol=1e-11)
    free = grand_piano_action().compile()
    force = driven["touch effort"] / 0.2595
    start = [driven[name][0] for name in free.state_names]
    run = tb.simulate(
        free, start, driven.duration, start=float(driven.time[0]), rtol=1e-8, atol=1e-11,
        inputs={"key force": (driven.time, force)}, output_step=5e-5, progress=False,
    )  # fmt: skip
    np.testing.assert_allclose(run["key depth"], driven["key depth"], atol=2e-5)


def test_a_finger_never_pulls() -> None:
    system = grand_piano_action("finger").compile()
    away = tb.simulate(system, duration=0.3, progress=False)
    assert abs(away["key depth"][-1]) < 0.2e-3


def test_a_wrong_drive_is_refused() -> None:
    with pytest.raises(tb.InputError, match="'force', 'motion', 'finger' or 'press'"):
        grand_piano_action("magic")
    with pytest.raises(tb.InputError, match="goes with driven='motion'"):
        grand_piano_action("force", PressedTouch())


def test_all_screws_are_live_parameters(pressed: System) -> None:
    for name in (
        "key dip", "blow distance", "capstan height", "let-off button height", "drop screw height",
        "repetition lever height", "jack position", "backcheck distance", "backcheck angle",
        "repetition spring", "jack spring", "hammer mass", "key lead mass", "key lead distance",
        "knuckle friction", "capstan friction", "backcheck friction", "centre friction",
        "pedal lift", "una corda", "string stiffness", "string hysteresis", "damper mass",
    ):  # fmt: skip
        assert name in pressed.parameters
    usual = play(pressed, 0.02)
    higher = play(pressed, 0.02, {"capstan height": 0.2e-3})
    lift = usual["string gap"][-1] - higher["string gap"][-1]
    assert 1.5e-3 < lift < 2.5e-3  # some ten times the screw


def test_only_what_is_asked_for_is_sensed() -> None:
    system = grand_piano_action("finger", reported=("string",)).compile()
    assert "string force" in system.output_names and "jack force" not in system.output_names
    with pytest.raises(tb.ModelError, match="no contact 'sting'"):
        grand_piano_action(reported=("sting",))


def test_a_live_action_plays_and_takes_a_screw_between_ticks() -> None:
    system = grand_piano_action("finger", reported=("string",)).compile()
    live = tb.live(system, rate=4000, speed=None, method="euler", substeps=4, record=True)
    with live:
        live["finger depth"], live["finger speed"] = 12e-3, 0.0
        live.run(0.3)
        live["let-off button height"] = -0.3e-3
        live["finger depth"] = -5e-3
        live.run(0.5)
    gap = live.recorded()["string gap"]
    assert gap.min() < 0.0 and gap[-1] == pytest.approx(gap[0], abs=1.5e-3)
