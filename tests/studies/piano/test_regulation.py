"""The regulated action has the figures of technicians' specification sheets."""

import numpy as np
import pytest

from studies.piano.regulation import Regulated, measure
from touchback.instruments.piano import Specification
from touchback.instruments.piano.action_specification import (
    Surface,
    find_placements,
    rotate_in_plane,
)


@pytest.fixture(scope="module")
def figures() -> Regulated:
    return measure()


def test_blow_let_off_drop_and_check_are_within_usual_specifications(figures: Regulated) -> None:
    assert 42e-3 < figures.blow < 49e-3
    assert 1e-3 < figures.let_off < 2e-3 and 1e-3 < Specification().regulation.let_off < 2e-3
    assert 1e-3 < figures.held - figures.let_off < 2e-3
    assert 12e-3 < figures.check < 16e-3


def test_the_weights_at_the_key_front_are_usual(figures: Regulated) -> None:
    assert 0.046 < figures.down_weight < 0.055 and figures.up_weight > 0.020
    balance = (figures.down_weight + figures.up_weight) / 2
    friction = (figures.down_weight - figures.up_weight) / 2
    assert 0.035 < balance < 0.042 and 0.010 < friction < 0.015


def test_the_hammer_goes_about_five_times_as_far_as_the_key(figures: Regulated) -> None:
    assert figures.ratio == pytest.approx(5.0, abs=0.5)
    whole = (figures.blow - figures.let_off) / figures.let_off_depth
    assert whole == pytest.approx(5.0, abs=0.5)


def test_the_effective_mass_at_the_key_front_is_that_of_measured_actions(
    figures: Regulated,
) -> None:
    assert 0.15 < figures.effective_mass < 0.25  # Dijksterhuis: 0.208 kg


def test_surfaces_that_should_touch_at_rest_do_so_exactly() -> None:
    spec = Specification()
    d, r = spec.dimensions, spec.regulation
    at = find_placements(d, r)

    def gap(face: Surface, centre: np.ndarray, radius: float) -> float:
        return float(face.normal @ (centre - face.at)) - radius

    assert gap(at.lever_top, at.knuckle, d.knuckle_radius) == pytest.approx(0.0, abs=1e-15)
    assert gap(at.jack_top, at.knuckle, d.knuckle_radius) == pytest.approx(d.lever_over_jack)
    assert gap(at.heel, at.capstan, d.capstan_radius) == pytest.approx(-r.capstan_sag)
    assert at.string - (at.crown[1] + d.crown_radius) == pytest.approx(r.blow)
    key = np.arcsin(r.dip / d.key_front)
    check = Surface(rotate_in_plane(key, at.backcheck.at), at.backcheck.lean - key)
    caught = at.hammer + rotate_in_plane(_angle_below(r.check), (d.tail_x, d.tail_z))
    assert gap(check, caught, d.tail_radius) == pytest.approx(0.0, abs=1e-12)


def _angle_below(below: float) -> float:
    from touchback.instruments.piano.action_specification import rest_angle

    return rest_angle(Specification().dimensions, below)
