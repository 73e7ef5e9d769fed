"""The wall that is pushed live is the wall of the laboratory, to rounding."""

import numpy as np
import pytest
from scipy.linalg import expm

import touchback as tb
from branching_walls import AdaptiveWall, FingerIdentifier, build_oracle
from touchback.haptics.wall import (
    Controller,
    Finger,
    Plant,
    State,
    Target,
    hand_work,
    kind,
    simulate,
)
from touchback.haptics.wall.encoder_sensing import EXACT
from touchback.haptics.wall.passivity_limits import BENCH_DAMPING, BENCH_DEVICE
from touchback.haptics.wall.wall_mechanism import RENDERED, TICKS, rendered_wall, rendering
from touchback.recording import Run
from touchback.system import System

RATE, SAMPLES = 1000.0, 300
EVERY = round(TICKS / RATE)


@pytest.fixture(scope="module")
def wall() -> System:
    return rendered_wall().compile()


def pushed(wall: System, name: str, stiffness: float) -> Run:
    """From 10 mm outside, by a finger that wishes to be 20 mm inside."""
    start = wall.assemble({"handle": 0.01})
    given = rendering(name).parameters(wall.model, stiffness, RATE) | {"follows": 0.0}
    with tb.live(
        wall, start, rate=TICKS, substeps=2, speed=None, record=True, parameters=given
    ) as live:
        live["hand"] = -0.02
        live.run(SAMPLES / RATE)
    return live.recorded()


def in_laboratory(name: str, plant: Plant, stiffness: float) -> Controller:
    if name == "adaptive":
        identifier = FingerIdentifier(BENCH_DEVICE, 1.0 / RATE, Finger())
        wall = Target(stiffness)
        return AdaptiveWall(
            lambda found: build_oracle("deadbeat", found, wall, 1.0 / RATE), identifier
        )
    target = Target(stiffness, BENCH_DAMPING if kind(name).damped else 0.0)
    return kind(name).build(plant, target, 1.0 / RATE)


@pytest.mark.parametrize("name", RENDERED)
def test_each_wall_moves_the_handle_as_in_the_laboratory(wall: System, name: str) -> None:
    """At 1 kHz within ticks of 4 kHz."""
    run = pushed(wall, name, 5000.0)
    plant = Plant(BENCH_DEVICE, Finger(), anchor=-0.02)
    controller = in_laboratory(name, plant, 5000.0)
    sensing = EXACT if name == "adaptive" else kind(name).sensing
    lab = simulate(plant, controller, State(0.01, 0.0), 1.0 / RATE, SAMPLES, sensing=sensing)
    # Runge–Kutta in eight steps a sample on a smooth arc of 10 ms; a chattering wall takes it along
    way, push = 1e-11, 1e-6  # m, N
    if name == "adaptive":  # what it learns from a smooth arc hangs on the last bits of samples,
        way = 5e-6  # and what reaches a state within a sample on where it begins: m a
        push = (BENCH_DEVICE.mass + Finger().mass) * way * RATE**2
    np.testing.assert_allclose(run["handle"][EVERY - 1 :: EVERY], lab.y[1:], atol=way)
    np.testing.assert_allclose(run["wall force"][::EVERY], lab.wall_force, atol=push)
    assert np.all(np.ptp(run["wall force"].reshape(-1, EVERY), axis=1) == 0.0)


def test_the_energy_that_a_wall_gave_is_what_device_and_hand_got(wall: System) -> None:
    """The hand's work by the laboratory's books, less what the device took, is the wall's."""
    run = pushed(wall, "standard", 5000.0)
    plant = Plant(BENCH_DEVICE, Finger(), anchor=-0.02)
    lab = simulate(
        plant, kind("standard").build(plant, Target(5000.0), 1e-3), State(0.01, 0.0), 1e-3, SAMPLES
    )
    gave = np.cumsum(lab.wall_force * np.diff(lab.y))
    np.testing.assert_allclose(run["wall gave"][EVERY - 1 :: EVERY], gave, atol=1e-10)
    work = hand_work(lab)
    kinetic = 0.5 * BENCH_DEVICE.mass * lab.v**2
    lost = np.diff(work)[1:] + np.diff(gave) - np.diff(kinetic)[1:]
    assert lost.min() > -1e-12  # the device's damping only takes


@pytest.mark.parametrize("name", ["half-sample", "deadbeat", "deadbeat throughout", "adaptive"])
def test_a_stiff_standard_wall_gives_energy_and_one_that_looks_ahead_hardly_any(
    wall: System, name: str
) -> None:
    standard, ahead = (pushed(wall, each, 5000.0)["wall gave"].max() for each in ("standard", name))
    assert standard > 0.01
    assert ahead < 0.05 * standard


def test_a_wall_that_looks_ahead_is_as_stiff_as_a_contact_of_two_samples() -> None:
    mass = BENCH_DEVICE.mass + Finger().mass
    most = mass * (0.5 * np.pi * 250.0) ** 2
    assert rendering("deadbeat").felt(1e6, 250.0) == pytest.approx(most, rel=1e-12)
    assert rendering("deadbeat").felt(1e4, 250.0) == 1e4
    assert rendering("standard").felt(1e6, 250.0) == 1e6


def test_an_unknown_wall_is_refused_by_name() -> None:
    with pytest.raises(tb.InputError, match=r"'deadbeet'.*did you mean 'deadbeat'"):
        rendering("deadbeet")


def shown_condition(name: str, stiffness: float, rate: float) -> float:
    """Colgate & Schenkel's (1994) left over: b − T/2 · max Re{(1 − z⁻¹) H(z)}/(1 − cos ωT) [N s/m],
    for H = K + B (1 − z⁻¹)/T, frequency by frequency."""
    turn = np.linspace(1e-3, np.pi, 2000)
    late = 1.0 - np.exp(-1j * turn)
    answer = stiffness + RENDERED[name].damping * late * rate
    needed = 0.5 / rate * np.real(late * answer) / (1.0 - np.cos(turn))
    return BENCH_DEVICE.damping - float(needed.max())


@pytest.mark.parametrize(
    ("name", "bound"), [("standard", 2000.0), ("damped, differentiated", 1000.0)]
)
def test_the_bound_for_any_hand_is_where_colgates_condition_ends(name: str, bound: float) -> None:
    """2b/T, and 2(b − |B|)/T, with b = 1 and B = 0.5 N s/m at 1 kHz."""
    shown = rendering(name).passive_bound(RATE)
    assert shown == pytest.approx(bound)
    assert shown_condition(name, bound, RATE) == pytest.approx(0.0, abs=1e-9)
    assert rendering(name).passive_bound(2.0 * RATE) == pytest.approx(2.0 * bound)


@pytest.mark.parametrize(("stiffness", "grows"), [(990.0, False), (1900.0, True)])
def test_a_hand_that_is_a_spring_shakes_a_damped_wall_above_its_bound_alone(
    stiffness: float, grows: bool
) -> None:
    """One that swings with the device once in two samples, the worst frequency: the wall with
    differences of the positions is unstable below 2b/T, not below 2(b − |B|)/T."""
    period, damping = 1.0 / RATE, RENDERED["damped, differentiated"].damping
    hand = BENCH_DEVICE.mass * (np.pi / period) ** 2
    flow = np.zeros((3, 3))  # of position, velocity and a force that is held
    flow[0, 1], flow[1] = 1.0, np.array([-hand, -BENCH_DEVICE.damping, 1.0]) / BENCH_DEVICE.mass
    held = expm(flow * period)
    gains = np.array(
        [-stiffness - damping / period, 0.0, damping / period]
    )  # position before, last
    loop = np.zeros((3, 3))
    loop[:2, :2], loop[2, 0] = held[:2, :2], 1.0
    loop[:2] += np.outer(held[:2, 2], gains)
    assert (np.abs(np.linalg.eigvals(loop)).max() > 1.0) == grows


def test_a_wall_told_more_than_positions_has_no_bound_for_any_hand() -> None:
    """A velocity between two equal positions may be anything: no damping takes that."""
    bounded = {name for name, each in RENDERED.items() if each.passive_bound(RATE) is not None}
    assert bounded == {"standard", "damped, differentiated"}
