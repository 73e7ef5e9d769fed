"""Walls inside the tick: they move a handle as in the laboratory, at their own rate, and change
within a tick."""

import math
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback.errors import InputError, TouchbackError
from touchback.haptics.displays import (
    WALLS,
    AdmittanceDisplay,
    ChosenWall,
    ImpedanceControl,
    ImpedanceDisplay,
    WallDisplay,
)
from touchback.haptics.wall import Finger, Plant, State, Target, kind, simulate
from touchback.haptics.wall.laws import (
    CountIntervalEstimator,
    EnergyBalanced,
    HalfSample,
    KalmanEstimator,
)
from touchback.haptics.wall.passivity_limits import BENCH_DEVICE, BENCH_FINGER
from touchback.haptics.wall.wall_plant import Device
from touchback.model import Model
from touchback.realtime import Live
from touchback.recording.run_formats import run_of_recording
from touchback.system import System

RATE, TICKS = 1000.0, 150
PLANT = Plant(BENCH_DEVICE, BENCH_FINGER)
START = 1e-3  # m outside


def handle() -> Model:
    """A device with a finger on it, pushed by an input."""
    m = Model("handle", gravity=(0, 0, 0))
    motion = PLANT.motion
    m.joint(
        "handle", tb.Prismatic("x"), m.ground, m.body("handle", mass=motion.mass),
        damping=motion.damping, spring=motion.stiffness,
    )  # fmt: skip
    m.force("hand", tb.JointEffort("handle", m.input("push", unit="N")))
    return m


NO_NUMBERS = (math.nan, math.inf, -1.0, 1e300, "stiff", True)


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (Device, ("mass",)),
        (Finger, ("mass", "damping", "stiffness")),
        (ChosenWall, ("stiffness", "damping", "resolution")),
        (
            lambda **given: WallDisplay(**{"stiffness": 1.0} | given),
            ("stiffness", "damping", "rate"),
        ),
    ],
)
@pytest.mark.parametrize("wrong", NO_NUMBERS)
def test_numbers_that_no_wall_can_have_are_refused_by_name(make, names, wrong) -> None:
    for name in names:
        with pytest.raises(InputError, match=f"its {name} is .* to .*, got "):
            make(**{name: wrong})


def test_a_device_may_feed_back_what_a_finger_damps_but_no_more_than_a_number() -> None:
    assert Device(damping=-1.0).damping == -1.0
    for wrong in set(NO_NUMBERS) - {-1.0}:
        with pytest.raises(InputError, match=r"its damping is -.* to .*, got "):
            Device(damping=wrong)


@pytest.mark.parametrize("wrong", [math.nan, -1.0, "strong"])
@pytest.mark.parametrize("make", [ChosenWall, lambda **given: WallDisplay(1.0, **given)])
def test_a_motor_has_a_limit_that_is_a_number_or_none(make, wrong) -> None:
    with pytest.raises(InputError, match="its limit is 0 to inf, got "):
        make(limit=wrong)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda **given: ImpedanceControl(**{"stiffness": 1.0} | given), ("stiffness", "damping")),
        (lambda **given: ImpedanceDisplay(**{"stiffness": 1.0} | given), ("stiffness", "damping")),
        (
            lambda **given: AdmittanceDisplay(**{"proportional": 1.0} | given),
            ("integral", "derivative"),
        ),
        (
            lambda **given: KalmanEstimator(**{"resolution": 1e-6} | given),
            ("resolution", "noise", "hand_rate"),
        ),
        (
            lambda **given: CountIntervalEstimator(**{"resolution": 1e-6} | given),
            ("resolution", "noise", "wander"),
        ),
        (
            lambda **given: EnergyBalanced(**{"law": HalfSample(), "resolution": 1e-6} | given),
            ("resolution", "margin"),
        ),
    ],
)
def test_displays_and_laws_are_made_of_finite_numbers(make, names, wrong) -> None:
    for name in names:
        with pytest.raises(TouchbackError):
            make(**{name: wrong})


@pytest.fixture(scope="module")
def chosen() -> System:
    """All walls on the handle."""
    m = handle()
    display = ChosenWall(device=BENCH_DEVICE, finger=BENCH_FINGER, resolution=4.15e-6)
    display.fresh(m, "wall", m.coordinate("handle"), m.rate("handle"), RATE)
    m.force("wall", tb.JointEffort("handle", m.signal("wall force")))
    return m.compile()


def pushed(
    system: System,
    choices: dict[float, str],
    stiffness: float,
    rate: float,
    record: bool | str = True,
) -> Live:
    """Two newtons inwards from a millimetre outside; at each time another wall is chosen."""
    live = tb.live(
        system, system.assemble({"handle": START}), rate=RATE, substeps=8, speed=None,
        record=record, parameters={"wall stiffness": stiffness, "wall rate": rate},
    )  # fmt: skip
    with live:
        live["push"] = -2.0
        times = [*choices, TICKS / RATE]
        for (time, name), following in zip(choices.items(), times[1:], strict=True):
            live.choose("wall", name)
            live.run(following - time)
    return live


def in_laboratory(name: str, stiffness: float, rate: float) -> np.ndarray:
    controller = kind(name).build(PLANT, Target(stiffness), 1.0 / rate)
    samples = round(TICKS / RATE * rate)
    push = np.full(samples, -2.0)
    trace = simulate(PLANT, controller, State(START, 0.0), 1.0 / rate, samples, volition=push)
    return np.array(trace.y[1:])


@pytest.mark.parametrize("name", [name for name in WALLS if name != "adaptive"])
def test_each_wall_moves_the_handle_as_in_the_laboratory(chosen: System, name: str) -> None:
    label = "wall" if name == "standard" else name
    run = pushed(chosen, {0.0: label}, 20e3, RATE).recorded()
    due = in_laboratory(name.replace("deadbeat-", "deadbeat "), 20e3, RATE)
    # Runge–Kutta in eight steps a tick; a chattering wall takes its error along
    np.testing.assert_allclose(run["handle"], due, atol=1e-11)


def test_a_wall_at_250_hz_is_felt_in_a_run_of_1_khz(chosen: System) -> None:
    run = pushed(chosen, {0.0: "z-plane"}, 3000.0, 250.0).recorded()
    due = in_laboratory("z-plane", 3000.0, 250.0)
    np.testing.assert_allclose(run["handle"][3::4][: len(due)], due[: TICKS // 4], atol=1e-11)
    assert np.all(np.ptp(run["wall force"][:120].reshape(-1, 4), axis=1) == 0.0)


def test_another_controller_acts_from_the_very_next_tick_and_is_replayed_to_the_bit(
    chosen: System, tmp_path: Path
) -> None:
    plain = pushed(chosen, {0.0: "wall"}, 20e3, RATE).recorded()
    inside = plain["handle"] < 0.0
    tick = int(np.flatnonzero(inside[:-1] & inside[1:])[0]) + 1  # in the midst of a contact
    path = tmp_path / "changed.mcap"
    pushed(chosen, {0.0: "wall", tick / RATE: "half-sample"}, 20e3, RATE, str(path))
    again = tb.replay(path, chosen)
    assert again.same and again.ticks == TICKS
    run = run_of_recording(again.recording)
    assert np.flatnonzero(run["wall force"] != plain["wall force"])[0] == tick
    # The force of that tick is the other law's own answer to the state at its beginning.
    law = kind("half-sample").build(PLANT, Target(20e3), 1.0 / RATE)
    due = law.force(0, State(run["handle"][tick - 1], run["handle rate"][tick - 1]))
    assert run["wall force"][tick] == pytest.approx(due, rel=1e-9)


@pytest.mark.parametrize("name", list(WALLS)[1:])
def test_every_controller_takes_over_within_one_tick(chosen: System, name: str) -> None:
    """In the midst of a contact."""
    plain = pushed(chosen, {0.0: "wall"}, 20e3, RATE).recorded()
    inside = plain["handle"] < 0.0
    tick = int(np.flatnonzero(inside[:-1] & inside[1:])[0]) + 1
    run = pushed(chosen, {0.0: "wall", tick / RATE: name}, 20e3, RATE).recorded()
    assert np.flatnonzero(run["wall force"] != plain["wall force"])[0] == tick
    if name in ("half-sample", "z-plane"):  # the others remember what was before
        before = State(run["handle"][tick - 1], run["handle rate"][tick - 1])
        due = kind(name).build(PLANT, Target(20e3), 1.0 / RATE).force(0, before)
        assert run["wall force"][tick] == pytest.approx(due, rel=1e-9)


def test_a_wall_is_a_building_block_of_a_law_of_ones_own() -> None:
    """Half the force of a wall, and a drag, at half the rate."""
    m = handle()
    y, v = m.coordinate("handle"), m.rate("handle")
    display = WallDisplay(4000.0, law="standard", device=BENCH_DEVICE, rate=500.0)
    force = 0.5 * display.fresh(m, "stop", y, v, RATE) - 0.3 * v
    m.force("law", tb.JointEffort("handle", tb.haptics.hold(m, "command", force)))
    system = m.compile()
    with tb.live(
        system, system.assemble({"handle": -START}), rate=RATE, speed=None, record=True
    ) as live:
        live.run(0.004)
    run = live.recorded()
    assert run["stop"][0] == run["stop"][1] == pytest.approx(4000.0 * START)
    assert run["command"][0] == pytest.approx(0.5 * run["stop"][0])
    assert run["stop"][2] == pytest.approx(-4000.0 * run["handle"][1])


def test_a_motor_s_limit_is_what_the_law_believes_to_act() -> None:
    m = handle()
    display = WallDisplay(1e5, law="z-plane", device=BENCH_DEVICE, limit=3.0)
    held = display.add(m, "wall", m.coordinate("handle"), m.rate("handle"), RATE)
    m.force("wall", tb.JointEffort("handle", held))
    system = m.compile()
    with tb.live(
        system, system.assemble({"handle": -START}), rate=RATE, speed=None, record=True
    ) as live:
        live.run(0.003)
    assert live.recorded()["wall"][0] == 3.0


def test_a_display_needs_ticks() -> None:
    m = handle()
    with pytest.raises(tb.InputError, match="Display 'wall'"):
        WallDisplay(1.0).fresh(m, "wall", m.coordinate("handle"), m.rate("handle"), 0.0)


def test_an_adaptive_wall_takes_the_grip_that_it_found_within_the_tick() -> None:
    """Told of a finger half as heavy, it is thrown in once: outside again its design is for the
    finger that really holds the handle."""
    m = handle()
    display = ChosenWall(device=BENCH_DEVICE, finger=Finger(0.01, 2.0, 120.0))
    display.fresh(m, "wall", m.coordinate("handle"), m.rate("handle"), RATE)
    m.force("wall", tb.JointEffort("handle", m.signal("wall force")))
    system = m.compile()
    start = system.assemble({"handle": START}, rates={"handle": -0.3})
    with tb.live(
        system, start, rate=RATE, substeps=8, speed=None, record=True,
        parameters={"wall stiffness": 5000.0},
    ) as live:  # fmt: skip
        live["push"] = -1.0
        live.choose("wall", "adaptive")
        live.run(0.06)
    run = live.recorded()
    out = int(np.flatnonzero((run["handle"][1:] >= 0.0) & (run["handle"][:-1] < 0.0))[0]) + 3
    found = np.array([run[f"wall.adaptive.{17 + i}"][out] for i in range(3)])
    due = (BENCH_FINGER.mass, BENCH_FINGER.damping, BENCH_FINGER.stiffness)
    np.testing.assert_allclose(found * (0.02, 3.75, 257.0), due, rtol=1e-2)
