"""Walls on the simulated key at 1 kHz: the standard one chatters, each compensator doesn't."""

import numpy as np
import pytest
from scipy.linalg import expm

import touchback as tb
from touchback.errors import InputError
from touchback.haptics.displays import WALLS
from touchback.haptics.human_operator import Operator
from touchback.instruments.keyboard.key_device import FRONT, KeyDevice
from touchback.instruments.keyboard.key_mechanisms import MIDDLE, voice_called
from touchback.instruments.keyboard.key_strokes import Stroke
from touchback.instruments.keyboard.keyboard_model import touchback_key
from touchback.instruments.keyboard.keyboard_player import KEYBOARD_METHOD, STEPS, make_keyboard
from touchback.recording import Run
from touchback.system import System

RATE = 1000.0
LABELS = ["wall", *list(WALLS)[1:], "balanced"]  # in the order of their numbers
SENSES = ["wall sense", "differences", "observer", "observer-of-hand", "counting"]
HELD = Stroke.of(0.05, 60, 0.3, stay=0.3)
BLOW = Stroke(0.01, 60, 0.05, 14e-3, stay=0.1)  # the key flies to the wall and back to the finger
PASSIVE = {  # N/m, with the observer of counts of 4.15 µm
    "half-sample": 20e3, "z-plane": 20e3, "deadbeat": 20e3, "deadbeat-throughout": 10e3,
    "adaptive": 20e3,
}  # fmt: skip


@pytest.fixture(scope="module")
def key() -> System:
    return touchback_key("walls", rate=RATE).compile()


def pressed(
    key: System, wall: str, stiffness: float, sense: str = "observer", stroke: Stroke = HELD
) -> Run:
    """A finger's stroke; one that is held for 0.3 s and leaves, unless given."""
    return tb.simulate(
        key, duration=0.7, rate=RATE, step=1.0 / STEPS, method=KEYBOARD_METHOD,
        output_step=2.0 / STEPS,
        inputs=stroke.inputs, progress=False,
        parameters={
            "wall stiffness": stiffness, "wall choice": LABELS.index(wall),
            "wall sense choice": SENSES.index(sense),
        },
    )  # fmt: skip


def work_of_the_finger(run: Run) -> np.ndarray:
    """On the key, so far [J], by the trapezoidal rule in eighths of a tick."""
    force, depth = run["finger force"], run["key"] * FRONT
    return np.array(np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(depth)))


def swing(run: Run) -> float:
    """Of the key while it is held [m], root mean square."""
    held = (run.time > 0.3) & (run.time < 0.4)
    return float(np.std(run["key"][held]) * FRONT)


def test_the_standard_wall_feeds_the_finger_and_chatters(key: System) -> None:
    weak, stiff = (pressed(key, "wall", stiffness) for stiffness in (2500.0, 20e3))
    assert work_of_the_finger(weak).min() < -1e-4
    assert work_of_the_finger(stiff).min() < -1e-2
    assert swing(stiff) > 1e-4


@pytest.mark.parametrize("wall", PASSIVE)
def test_a_compensator_feeds_nothing_up_to_its_stiffness_and_lies_still(
    key: System, wall: str
) -> None:
    for stiffness in (2500.0, PASSIVE[wall]):
        run = pressed(key, wall, stiffness)
        work = work_of_the_finger(run)
        # The trapezoidal rule errs by a thousandth of what passes.
        assert work.min() > -1e-3 * work.max(), stiffness
        assert swing(run) < 5e-6  # a count
        deepest = run["key"].max() * FRONT - MIDDLE
        assert deepest < 5.0 / stiffness + 1e-3 and deepest > 2.0 / stiffness


@pytest.mark.parametrize("stiffness", [2500.0, 20e3, 40e3])
def test_a_balanced_wall_that_is_told_when_counts_change_feeds_nothing_and_lies_still(
    key: System, stiffness: float
) -> None:
    run = pressed(key, "balanced", stiffness, "counting")
    work = work_of_the_finger(run)
    assert work.min() > -1e-3 * work.max()
    assert swing(run) < 5e-6
    assert run["key"].max() * FRONT - MIDDLE < 5.0 / stiffness + 1e-3


def test_of_a_blow_that_bounces_only_a_deadbeat_wall_throughout_keeps_the_energy(
    key: System,
) -> None:
    """Five samples of the bare key's own bounce at 10 kN/m: the half sample by which a contact may
    be met late is K T²/4m = 11 % of its energy."""
    kept = work_of_the_finger(pressed(key, "deadbeat-throughout", 10e3, "counting", BLOW))
    assert kept.min() > -1e-3 * kept.max()
    for wall, sense in (("half-sample", "observer"), ("balanced", "counting")):
        work = work_of_the_finger(pressed(key, wall, 10e3, sense, BLOW))
        assert -0.3 * work.max() < work.min() < -0.05 * work.max()


def test_without_an_observer_counts_take_the_compensators_stiffness(key: System) -> None:
    assert work_of_the_finger(pressed(key, "deadbeat", 20e3, "differences")).min() < -1e-3


def spectral_radius(stiffness: float) -> float:
    """Of key, pad and finger in contact with a standard wall that is sampled: their equations of
    motion by hand, the hold by the matrix exponential."""
    device, operator = KeyDevice().at_front, Operator()
    m, b, pad, drag = device.mass, device.damping, operator.pad_stiffness, operator.pad_damping
    finger = operator.finger
    loop = np.zeros((5, 5))  # key: y, v; finger: y, v; held force
    loop[0, 1] = loop[2, 3] = 1.0
    loop[1] = np.array([-pad, -drag - b, pad, drag, 1.0]) / m
    loop[3] = np.array([pad, drag, -pad - finger.stiffness, -drag - finger.damping, 0.0])
    loop[3] /= finger.mass
    step = expm(loop / RATE)
    sampled = step[:4, :4] + np.outer(step[:4, 4], [-stiffness, 0.0, 0.0, 0.0])
    return float(np.abs(np.linalg.eigvals(sampled)).max())


def test_the_standard_wall_chatters_for_ever_from_where_the_loop_s_eigenvalues_say(
    key: System,
) -> None:
    low, high = 1e3, 1e5
    while high - low > 1.0:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if spectral_radius(middle) < 1.0 else (low, middle)
    # Friction of the rotor stills a weak swing, and the wall is left in a strong one: 10 % room.
    assert swing(pressed(key, "wall", 0.9 * low)) < 5e-6
    assert swing(pressed(key, "wall", 1.1 * low)) > 5e-5


def test_each_wall_is_a_voice_that_sounds() -> None:
    keys = make_keyboard([60], "wall-half-sample")
    (note,) = keys.hear([Stroke.of(0.1, 60, 0.5, stay=0.1)], 0.5)
    assert note.loudness > 0.3
    for wall in (*WALLS, "balanced"):
        assert voice_called(f"wall-{wall}")
    with pytest.raises(InputError, match="wall-deadbeat"):
        voice_called("wall-deadbeet")


def test_each_key_of_a_keyboard_takes_another_wall_while_it_is_played() -> None:
    keys = make_keyboard(2, "walls", rate=RATE)
    with tb.live(
        keys.system, rate=RATE, substeps=keys.substeps, method=KEYBOARD_METHOD, speed=None
    ) as live:
        live.run(0.01)
        live.choose("C4/wall", "deadbeat")
        live.run(0.01)
        assert live["C4/wall choice"] == LABELS.index("deadbeat")
        assert live["D4/wall choice"] == 0.0
        with pytest.raises(InputError, match=r"'C4/wal'.*C4/wall"):
            live.choose("C4/wal", "deadbeat")
