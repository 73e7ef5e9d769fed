"""The action with modes: its geometry is the full-contact model's, its modes have their causes."""

import numpy as np
import pytest

import touchback as tb
from studies.piano.repetition import repeat
from touchback.instruments.piano import (
    PressedTouch,
    RepeatedTouch,
    grand_piano_action,
    piano_action_modes,
)
from touchback.instruments.piano.action_specification import Specification
from touchback.instruments.piano.piano_action_modes import (
    MODES,
    RIGID,
    STRIKES,
    RigidContacts,
    contact_changes,
    piano_action_with_modes,
    regulate_for_modes,
)
from touchback.instruments.piano.stroke_analysis import play, stroke_of
from touchback.recording import Run
from touchback.system import System

STEP = 62.5e-6
TICK = 250e-6


def _play(system: System, duration: float, **screws: float) -> Run:
    return tb.simulate(
        system, duration=0.1 + duration, start=-0.1, method="rk4", step=STEP,
        output_step=4 * STEP, parameters=screws, progress=False,
    )  # fmt: skip


def _order(run: Run) -> str:
    """The letters of the modes that lasted longer than a tick, from the first touch on."""
    marks = [each for each in run.transitions if each.time > 0.0]
    ends = [*(each.time for each in marks[1:]), float(run.time[-1])]
    lasting = [m.target[0] for m, end in zip(marks, ends, strict=True) if end - m.time > TICK]
    return "".join(x for i, x in enumerate(lasting) if i == 0 or lasting[i - 1] != x)


def _first(run: Run, cause: str) -> float:
    """When a cause first had its effect after the touch began; infinity for never."""
    times = [each.time for each in run.transitions if each.time > 0.0 and cause in each.cause]
    return min(times, default=np.inf)


@pytest.fixture(scope="module")
def system() -> System:
    return piano_action_with_modes("motion", PressedTouch(0.5)).compile()


def test_gaps_of_rigid_contacts_are_those_of_the_felts_they_stand_for(system: System) -> None:
    felts = grand_piano_action(
        "motion", PressedTouch(0.5), regulate_for_modes(Specification())
    ).compile()
    random = np.random.default_rng(4)
    screws = {"capstan height": 0.4e-3, "let-off button height": -0.3e-3, "jack position": 0.2e-3}
    past_edge = 0
    for given in ({}, screws):
        system.parameters.update(given)
        felts.parameters.update(given)
        for _ in range(40):
            q, v = random.uniform(-0.06, 0.06, 6), np.zeros(6)
            ours, theirs = system.sensors(q, v), felts.sensors(q, v)
            if theirs["jack gap"] < -2e-3:
                continue  # deep inside the jack it is its sides that are near
            past_edge += ours["jack overlap"] < 0.0
            for name in (*(f"{contact} gap" for contact in RIGID), "jack overlap", "string gap"):
                assert ours[name] == pytest.approx(theirs[name], abs=1e-14), name
    system.parameters.update(dict.fromkeys(screws, 0.0))
    assert past_edge > 5


def test_the_lever_of_the_knuckle_is_how_its_gap_goes_with_the_jack(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By virtual work: the moment of a unit force at a contact is what its gap does with an angle.
    On the jack's face and beyond its edge, by central differences."""
    add = piano_action_modes.add_modes

    def add_and_tell(m: tb.Model, contacts: RigidContacts, load: tb.Expr) -> None:
        m.sensor("turning", tb.Signal(contacts.turning, "m"))
        add(m, contacts, load)

    monkeypatch.setattr(piano_action_modes, "add_modes", add_and_tell)
    system = piano_action_with_modes("motion", PressedTouch(0.5)).compile()
    random, still, step = np.random.default_rng(5), np.zeros(6), np.zeros(6)
    step[system.coordinates.index("jack")] = 1e-6
    overlaps = []
    for _ in range(40):
        q = random.uniform(-0.06, 0.06, 6)
        here = system.sensors(q, still)
        gaps = [system.sensors(near, still)["jack gap"] for near in (q + step, q - step)]
        assert here["turning"] == pytest.approx((gaps[0] - gaps[1]) / 2e-6, abs=1e-8)
        overlaps.append(here["jack overlap"])
    assert min(overlaps) < -1e-4 and max(overlaps) > 1e-4


def test_every_mode_says_what_touches_and_a_change_adds_or_takes_its_contact() -> None:
    assert len({mode.name for mode in MODES}) == len(MODES) == 12
    for mode in MODES:
        for change in contact_changes(mode):
            before, after = set(mode.constraints), set(change.after.constraints)
            assert (change.contact in after) == change.closes
            assert (change.contact in before) != change.closes
            assert len(after - before) <= 1 and len(before - after) <= 1


def test_a_stroke_accelerates_lets_off_and_catches_for_gillespies_reasons(system: System) -> None:
    run = _play(system, 0.3)
    assert _order(run).startswith("ABC")
    toe, leaves, strike = (_first(run, x) for x in ("toe meets", "hammer leaves jack", STRIKES))
    assert toe < leaves < strike < np.inf
    assert np.interp(toe, run.time, run["button gap"]) == pytest.approx(0.0, abs=2e-4)
    slipped = float(run.time[(run.time > 0.0) & (run["jack overlap"] < 0.0)][0])
    assert leaves == pytest.approx(slipped, abs=TICK)  # by its edge, with the hammer still pushed
    assert run["check force"][-1] > 0.2  # and caught


def test_screws_decide_when_and_whether_modes_occur(system: System) -> None:
    usual = _play(system, 0.15)
    early = _play(system, 0.15, **{"let-off button height": -0.5e-3})
    assert _first(early, "toe meets button") < _first(usual, "toe meets button") - 1e-3
    higher = _play(system, 0.15, **{"capstan height": 0.3e-3})
    assert _first(higher, "toe meets button") < _first(usual, "toe meets button")
    farther = _play(system, 0.15, **{"blow distance": 47.5e-3})
    assert _first(farther, STRIKES) > _first(usual, STRIKES) + 0.5e-3
    softly = {"touch speed": 0.1}
    shallow = _play(system, 0.25, **{"key dip": 6.5e-3}, **softly)
    assert _first(shallow, "toe meets button") == np.inf
    assert _first(_play(system, 0.25, **softly), "toe meets button") < 0.2


def test_without_a_button_a_key_that_is_pressed_blocks_its_hammer_at_the_string() -> None:
    """Pressed by a force: a motion that goes on to the key bed would be one that breaks the action,
    with kilonewtons at the string."""
    system = piano_action_with_modes("force").compile()

    def pressed(height: float) -> Run:
        return tb.simulate(
            system, duration=0.5, start=-0.1, method="rk4", step=STEP, output_step=4 * STEP,
            parameters={"let-off button height": height}, progress=False,
            inputs={"key force": ([-0.1, 0.0, 0.01, 1.0], [0.0, 0.0, 5.0, 5.0])},
        )  # fmt: skip

    usual, never = pressed(0.0), pressed(3e-3)
    assert _first(usual, "toe meets button") < 0.3 and usual["string force"][-1] == 0.0
    assert _first(never, "toe meets button") == np.inf
    assert never["string force"][-1] > 0.5 and np.ptp(never["string force"][-100:]) < 0.1
    assert never["key depth"][-1] < 8.5e-3 < 9.3e-3 < usual["key depth"][-1]


@pytest.mark.parametrize(
    ("screw", "speed", "apart"),
    [
        ("let-off button height", 0.5, 0.1), ("let-off button height", 3.0, 0.1),
        ("drop screw height", 0.1, 0.13),
    ],
)  # fmt: skip
def test_a_hammer_that_jack_or_lever_hold_up_to_the_string_blocks_without_chattering(
    system: System, screw: str, speed: float, apart: float
) -> None:
    """As fast in both models within a tenth. A touch as slow as 0.1 m/s with the drop screw high is
    out of regulation, and felt tells there: a rigid button turns the jack at once, whose corner
    throws the hammer on, where one of felt is pressed in first. So the rigid one is 12 % faster."""
    felts = grand_piano_action("motion", PressedTouch()).compile()
    screws = {screw: 0.5e-3, "touch speed": speed}
    ours, theirs = (play(each, 0.1 + 0.02 / speed, screws) for each in (system, felts))
    assert len(ours.transitions) < 30
    mine, other = stroke_of(ours), stroke_of(theirs)
    assert mine and other and mine.speed == pytest.approx(other.speed, rel=apart)


def test_the_readout_is_the_capstans_load_and_nothing_while_the_whippen_is_aloft(
    system: System,
) -> None:
    run = _play(system, 0.15, **{"touch speed": 2.0})
    aloft = np.isin(run["mode"], [i for i, p in enumerate(MODES) if not p.carried])
    assert 10 < aloft.sum() < 100
    assert not run["action force"][aloft].any() and not run["capstan force"][aloft].any()
    q = np.array([run[name][-1] for name in system.coordinates])
    step = np.array([1e-6, 0, 0, 0, 0, 0])  # of the key alone: virtual work
    gaps = [system.sensors(q + side * step, np.zeros(6))["capstan gap"] for side in (-1, 1)]
    lever = (gaps[0] - gaps[1]) / 2e-6
    expected = run["capstan force"][-1] * lever / 0.2595
    assert run["action force"][-1] == pytest.approx(expected, rel=1e-8)


def test_a_note_repeats_fifteen_times_a_second_without_full_release() -> None:
    system = piano_action_with_modes("motion", RepeatedTouch()).compile()

    def strikes(**screws: float) -> int:
        run = repeat(system, 15.0, 2e-3, screws).run
        return sum(STRIKES in each.cause for each in run.transitions)

    assert strikes() == 16
    assert strikes(**{"repetition spring": 0.0}) < 16


def test_every_way_of_driving_is_that_of_the_full_contact_model() -> None:
    with pytest.raises(tb.InputError, match="'force', 'motion', 'finger' or 'press'"):
        piano_action_with_modes("magic")
    system = piano_action_with_modes("force", felt_string=True).compile()
    pressed = tb.simulate(
        system, duration=0.3, method="rk4", step=STEP, inputs={"key force": 4.0}, progress=False
    )
    assert pressed["key depth"][-1] > 9e-3 and pressed["string gap"].min() < 0.0
