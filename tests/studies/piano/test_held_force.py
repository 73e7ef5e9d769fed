"""The force at the capstan: close to 3 N while a key is held (Docquier 2021, fig. 15), tens of
newtons in a hard blow (Timmermans 2020: an actuator of up to 50 N)."""

from dataclasses import replace

import pytest

from studies.piano.held_force import (
    CARRIED,
    FRICTION,
    WEIGHTS,
    HeldForce,
    held_force,
)
from touchback.instruments.piano import Specification
from touchback.instruments.piano.action_specification import find_placements
from touchback.instruments.piano.stroke_analysis import play
from touchback.system import System

SOFT, MEZZO_FORTE, FORTE = 0.5, 1.5, 4.0  # hammer speeds [m/s]


@pytest.fixture(scope="module")
def held() -> dict[float, HeldForce]:
    return {speed: held_force(speed) for speed in (SOFT, MEZZO_FORTE, FORTE)}


def test_close_to_three_newtons_are_held_after_soft_and_hard_strokes(
    held: dict[float, HeldForce],
) -> None:
    for speed, found in held.items():
        assert found.held == pytest.approx(3.0, abs=0.3), speed


def test_a_soft_stroke_ends_on_the_lever_and_a_hard_one_in_check(
    held: dict[float, HeldForce],
) -> None:
    assert 2e-3 < held[SOFT].below < 4e-3  # let-off and drop
    assert 10e-3 < held[MEZZO_FORTE].below < held[FORTE].below < 16e-3


def test_statics_of_the_whippen_explain_the_force(held: dict[float, HeldForce]) -> None:
    """Sensed forces and gaps on one side, the capstan's own force on the other: what remains is
    friction, which creeps away."""
    for found in held.values():
        assert sum(found.shares.values()) == pytest.approx(found.held)
        assert abs(found.shares[FRICTION]) < 0.01


def test_the_weights_share_is_their_moment_over_the_heels_arm(held: dict[float, HeldForce]) -> None:
    """By hand, in the pose of rest."""
    spec = Specification()
    m, d, at = spec.masses, spec.dimensions, find_placements(spec.dimensions, spec.regulation)
    jack, lever = at.whippen - at.jack, at.whippen - at.lever
    moment = (
        -m.whippen * m.whippen_centre[0]
        + m.jack * (jack[0] - m.jack_centre[0])
        + m.lever * (lever[0] - m.lever_centre[0])
    )
    by_hand = 9.81 * moment / d.whippen_arm
    assert held[SOFT].shares[WEIGHTS] == pytest.approx(by_hand, rel=0.03)


def test_in_check_the_toe_presses_its_button_as_it_did_before(held: dict[float, HeldForce]) -> None:
    """The jack is clear of the knuckle when the key is down: a technician's rule. A toe with an
    arm almost twice as long turns it less far; the knuckle of a hammer in check then holds it off
    its button."""
    button, jack = CARRIED["button"], CARRIED["jack"]
    for found in held.values():
        assert found.shares[button] == pytest.approx(held[SOFT].shares[button], rel=0.1)
        assert found.shares[jack] < 0.05
    usual = Specification()
    longer = replace(usual, dimensions=replace(usual.dimensions, toe_x=-0.033))
    pushed = held_force(MEZZO_FORTE, longer)
    assert pushed.shares[button] < 0.3 < held[MEZZO_FORTE].shares[button]
    assert pushed.shares[jack] > 0.1 and pushed.held < 2.5


def test_a_hard_blow_presses_with_tens_of_newtons(pressed: System) -> None:
    hard = play(pressed, 0.2, {"touch speed": 5.0})
    assert 20.0 < hard["capstan force"].max() < 60.0
