"""The force at the key front over its depth, as measured by Docquier et al. (2021, fig. 24–26)."""

import numpy as np
import pytest

from touchback.instruments.piano import Specification
from touchback.instruments.piano.action_specification import find_placements, rotate_in_plane
from touchback.instruments.piano.stroke_analysis import force_curve, strike_times
from touchback.system import System


def test_four_stages_follow_one_another(slowly: System) -> None:
    curve = force_curve(slowly)
    begins = [curve.stages[name] for name in "ABCD"]
    assert begins == sorted(begins)
    damper = curve.force(5e-3, 7e-3) - curve.force(2e-3, 4e-3)
    assert 0.1 < damper < 0.5  # the key carries the damper too
    depth, peak = curve.let_off
    assert 8e-3 < depth < 9e-3
    assert peak > 2 * curve.force(5e-3, 7e-3)
    assert curve.force(8.8e-3, 9.2e-3) < 0.9 * peak  # and is through
    assert np.interp(9.8e-3, *curve.down) > 2 * peak  # the key bed


def test_a_slow_press_makes_no_sound(slowly: System) -> None:
    run = force_curve(slowly).run
    assert not strike_times(run) and run["string gap"].min() > 1e-3


def test_the_let_off_button_moves_the_force_where_it_was_measured_to(slowly: System) -> None:
    low, usual, high = (
        force_curve(slowly, {"let-off button height": height}) for height in (-0.5e-3, 0.0, 0.5e-3)
    )
    assert low.force(8e-3, 9e-3) < usual.force(8e-3, 9e-3) - 0.2
    assert high.force(8e-3, 9e-3) > usual.force(8e-3, 9e-3)
    assert high.force(8.5e-3, 9e-3) > usual.force(8.5e-3, 9e-3) + 0.1


@pytest.mark.parametrize("screw", [{"let-off button height": 5e-4}, {"jack position": 5e-4}])
def test_the_let_off_s_peak_is_the_greatest_force_until_the_hammer_turns_back(
    slowly: System, screw: dict[str, float]
) -> None:
    """With the button higher the force still grows when the jack has passed the knuckle's middle;
    one that stands in front of it at rest is let off nevertheless."""
    curve = force_curve(slowly, screw)
    (depth, force), stages = curve.down, curve.stages
    before = (depth >= stages["C"]) & (depth <= stages["D"])
    assert stages["D"] < 9.4e-3  # the hammer turns back above the bed
    assert curve.let_off is not None
    assert curve.let_off[1] == force[before].max()


def test_a_heavier_hammer_is_felt_until_the_key_bed(slowly: System) -> None:
    """With one repetition spring for all, regulated for the heaviest: the usual one doesn't carry
    it, so that it would fall into its check, whose force the key has to bear on its bed."""
    masses = Specification().masses
    heads = [masses.head + more for more in (-2e-3, 0.0, 3e-3, 6e-3)]
    usual, heaviest = (
        head * masses.head_centre[0] + masses.shank * masses.shank_centre[0]
        for head in (masses.head, heads[-1])
    )
    spring = slowly.parameters["repetition spring"] * heaviest / usual
    curves = [
        force_curve(slowly, {"hammer mass": head, "repetition spring": spring}) for head in heads
    ]
    assert max(curve.run["check force"].max() for curve in curves) == 0.0
    for low, high in ((1e-3, 4e-3), (5e-3, 7e-3), (8e-3, 8.7e-3)):
        forces = [curve.force(low, high) for curve in curves]
        assert np.diff(forces).min() > 0.03
    beds = [np.interp(9.85e-3, *curve.down) for curve in curves]
    assert np.ptp(beds) < 0.02 * beds[0]


def test_without_the_damper_its_step_is_missing(slowly: System) -> None:
    curve = force_curve(slowly, {"pedal lift": 0.008})
    assert curve.force(5e-3, 7e-3) == pytest.approx(curve.force(2e-3, 4e-3), abs=0.05)


def test_without_friction_the_force_is_the_virtual_work_of_weights_and_springs(
    slowly: System,
) -> None:
    """Principle of virtual work, by differences of heights of all centres of mass and of the energy
    of both arms of the repetition spring."""
    spec = Specification()
    masses, at = spec.masses, find_placements(spec.dimensions, spec.regulation)
    smooth = {"centre friction": 0.0, "knuckle friction": 0.0, "capstan friction": 0.0}
    # Half as fast as usual: without friction the start, a jump to the touch's speed, rings longest.
    curve = force_curve(slowly, {**smooth, "pedal lift": 0.008, "touch speed": 0.005})
    run, low, high = curve.run, 2e-3, 4e-3

    def angles(depth: float) -> dict[str, float]:
        i = int(np.argmax(run["key depth"] >= depth))
        return {name: float(run[name][i]) for name in ("key", "whippen", "jack", "lever", "hammer")}

    def stored(depth: float) -> float:
        angle, springs = angles(depth), spec.springs
        lever = springs.lever * angle["lever"] - springs.lever_rate * angle["lever"] ** 2 / 2
        jack = springs.jack * angle["jack"] + springs.jack_rate * angle["jack"] ** 2 / 2
        return jack - lever

    def heights(depth: float) -> dict[str, float]:
        angle = angles(depth)
        on_jack = at.jack + rotate_in_plane(angle["jack"], masses.jack_centre)
        on_lever = at.lever + rotate_in_plane(-angle["lever"], masses.lever_centre)

        def carried(point: np.ndarray) -> float:
            return float((at.whippen + rotate_in_plane(-angle["whippen"], point - at.whippen))[1])

        swing = at.rest_angle + angle["hammer"]
        leads = (-masses.lead_distance, spec.dimensions.key_height / 2)
        return {
            "key": float(rotate_in_plane(angle["key"], masses.key_centre)[1]),
            "leads": float(rotate_in_plane(angle["key"], leads)[1]),
            "whippen": carried(at.whippen + masses.whippen_centre),
            "jack": carried(on_jack),
            "lever": carried(on_lever),
            "head": float(rotate_in_plane(swing, masses.head_centre)[1]),
            "shank": float(rotate_in_plane(swing, masses.shank_centre)[1]),
        }

    before, after = heights(low), heights(high)
    work = sum(9.81 * getattr(masses, name) * (after[name] - before[name]) for name in before)
    work += stored(high) - stored(low)
    assert curve.force(low, high) == pytest.approx(work / (high - low), rel=0.01)
