"""The model with modes and the full-contact model agree where they should, and differ by felt:
with ever harder felts the one becomes the other, with friction and without."""

import numpy as np
import pytest

from studies.piano.two_models import (
    FRICTIONLESS,
    cost,
    curve,
    gillespie_in_modes,
    moments,
    nearly_rigid,
    strokes,
)
from touchback.instruments.piano import PressedTouch, grand_piano_action
from touchback.instruments.piano.action_specification import Specification
from touchback.instruments.piano.piano_action_modes import (
    NAP,
    RESTITUTION,
    STRIKES,
    piano_action_with_modes,
)
from touchback.instruments.piano.stroke_analysis import ForceCurve, play, stroke_of
from touchback.recording import Run
from touchback.simulate import simulate

# A slow press begins and ends at once, and runs with modes say that its impulses don't act.
pytestmark = pytest.mark.filterwarnings("ignore:.*prescribed rates jump:RuntimeWarning")


@pytest.fixture(scope="module")
def his_stroke() -> Run:
    return gillespie_in_modes()


@pytest.fixture(scope="module")
def pressed_slowly() -> ForceCurve:
    return curve(piano_action_with_modes)


def test_gillespies_stroke_has_one_order_in_both_models(his_stroke: Run) -> None:
    found = moments(his_stroke)
    assert [each.name for each in found][1:5] == ["let-off", "slipped", "flight", "strike"]
    times = [each.modes for each in found]
    assert np.diff(times).min() > -1e-6  # the edge slips and the hammer flies at one instant
    for each in found:
        assert each.modes == pytest.approx(each.full, abs=7e-3), each.name


def test_hammers_are_as_fast_and_earlier_by_what_felt_takes_up() -> None:
    speeds = np.array([0.3, 1.0, 3.0])
    ours = [x for x in strokes(piano_action_with_modes, speeds) if x]
    theirs = [x for x in strokes(grand_piano_action, speeds) if x]
    assert len(ours) == len(theirs) == 3
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.speed == pytest.approx(other.speed, rel=0.1)
        assert 0.5e-3 < other.strike - mine.strike < 3e-3
    hard = grand_piano_action("motion", PressedTouch(), nearly_rigid(30.0)).compile()
    nearer = stroke_of(play(hard, 0.1, {"touch speed": 3.0}))
    assert nearer is not None
    assert nearer.strike - ours[-1].strike < 0.4 * (theirs[-1].strike - ours[-1].strike)


def test_the_check_catches_at_the_same_height() -> None:
    held = []
    for make in (piano_action_with_modes, grand_piano_action):
        system = make("motion", PressedTouch(), None).compile()
        run = play(system, 0.35, {"touch speed": 0.5}, output_step=1e-3)
        held.append(float(run["string gap"][-1]))
    assert held[0] == pytest.approx(held[1], abs=0.5e-3)
    assert 10e-3 < held[0] < 16e-3


def test_the_force_over_the_depth_is_the_same_outside_of_let_off(
    pressed_slowly: ForceCurve,
) -> None:
    full = curve(grand_piano_action)
    for low, high in ((1e-3, 4e-3), (5e-3, 7e-3)):
        assert pressed_slowly.force(low, high) == pytest.approx(full.force(low, high), abs=0.01)
    assert not any(STRIKES in each.cause for each in pressed_slowly.run.transitions)
    assert 1e-3 < pressed_slowly.run["string gap"].min() < 2e-3  # regulated


def test_let_off_differs_by_felt(pressed_slowly: ForceCurve) -> None:
    full = curve(grand_piano_action)
    harder = curve(grand_piano_action, None, nearly_rigid(30.0))
    peaks = [each.let_off[1] for each in (pressed_slowly, full, harder)]
    assert peaks[1:] == pytest.approx(peaks[:1] * 2, rel=0.06)
    depths = [each.stages["D"] for each in (pressed_slowly, full, harder)]
    assert depths[1] > depths[0] + 0.3e-3  # felt gives before it pushes
    assert depths[2] - depths[0] < 0.4 * (depths[1] - depths[0])


def test_friction_of_knuckle_and_capstan_raises_the_let_off_alike(
    pressed_slowly: ForceCurve,
) -> None:
    full = curve(grand_piano_action)
    smooth = [curve(make, FRICTIONLESS) for make in (piano_action_with_modes, grand_piano_action)]
    raised = [
        rough.let_off[1] / even.let_off[1]
        for rough, even in zip((pressed_slowly, full), smooth, strict=True)
    ]
    assert raised[0] == pytest.approx(raised[1], rel=0.02)
    assert raised == pytest.approx([7 / 6] * 2, rel=0.02)  # with their 0.15 and 0.2


def test_a_jack_that_leans_on_the_knuckle_with_its_corner_is_no_wedge() -> None:
    """With the button 0.4 mm low it does so; with friction there, no forces would agree."""
    found = curve(piano_action_with_modes, {"let-off button height": -0.4e-3})
    diagnostics = found.run.metadata["diagnostics"]
    assert all("the rate of 'touch' jumps" in each for each in diagnostics)  # the press begins so
    assert found.let_off[1] < 2.5


def test_books_of_the_modes_tell_what_rubs() -> None:
    system = piano_action_with_modes("motion", PressedTouch(0.7)).compile()
    run = simulate(system, duration=0.5, start=-0.3, rtol=1e-6, energy_balance=True, progress=False)
    lost = run.energy_balance.dissipated
    for name in ("capstan", "jack", "button"):
        assert lost[f"{name} friction"] > 1e-6, name
    assert abs(run.energy_balance.residual) < 1e-4 * sum(run.energy_balance.work.values())


def test_contacts_that_part_cost_nothing_and_those_that_meet_never_give(his_stroke: Run) -> None:
    for each in his_stroke.transitions:
        if "leaves" in each.cause:
            assert abs(each.energy) < 1e-15, each
        else:
            assert each.energy < NAP * 1.0, each  # moved out of the nap against a newton
    assert sum(each.energy for each in his_stroke.transitions) < -2e-3


def test_the_string_takes_its_share_of_the_hammers_energy(his_stroke: Run) -> None:
    strike = next(each for each in his_stroke.transitions if STRIKES in each.cause)
    before = his_stroke.time < strike.time - 1e-9
    rate = float(his_stroke["hammer rate"][before][-1])
    masses = Specification().masses
    parts = (
        (masses.head, masses.head_centre, masses.head_moment),
        (masses.shank, masses.shank_centre, masses.shank_moment),
    )
    inertia = sum(m * (c[0] ** 2 + c[1] ** 2) + moment for m, c, moment in parts)
    lost = (1.0 - RESTITUTION**2) * inertia * rate**2 / 2
    assert -strike.energy == pytest.approx(lost, rel=5e-3)


def test_both_models_cost_less_than_a_tick() -> None:
    found = cost(range(2))
    assert 0.0 < found.full < found.modes < 250e-6
    assert found.changes > 10
