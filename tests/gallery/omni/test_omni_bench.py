"""The omni wheel's test bench: what is conserved, what friction does, and what the servo holds."""

import math
from functools import cache

import numpy as np
import pytest

import touchback as tb
from touchback.gallery import omni_wheel
from touchback.gallery.omni_wheel import DENSITY, WheelShape, total_mass

R = 0.05
STRAIGHT = WheelShape(R, 6, 0.04)
INCLINED = WheelShape(R, 6, 0.04, 0.3)
RATES = {"wheel.vx": 0.3, "wheel.vy": 0.2, "wheel.wy": 12.0, "wheel.wz": 1.5}
POINTED = WheelShape.pointed(R, 6, 0.3)


@cache
def system(
    shape: WheelShape, tracker: str = "explicit", friction: float = 0.3, slip_speed: float = 0.02
) -> tb.System:
    return omni_wheel.make(shape, tracker, friction, slip_speed).compile()


@pytest.mark.parametrize("shape", [STRAIGHT, INCLINED, POINTED])
def test_a_wheel_that_slides_freely_keeps_energy_and_momenta(shape: WheelShape) -> None:
    """Kosenko's free motion: rotation and sliding, ten units of time."""
    made = system(shape, friction=0.0)
    start = made.assemble(rates=RATES)
    run = tb.simulate(made, start, 10.0, rtol=1e-11, atol=1e-13, progress=False, output_step=0.1)
    assert np.ptp(run["energy"]) < 1e-9 * run["energy"][0]
    q = np.stack([run[name] for name in made.coordinates], axis=1)
    moving = [f"wheel.{word}" for word in ("vx", "vy", "vz", "wx", "wy", "wz")]
    moving += [name for name in run.names if name.endswith(" rate")]
    v = np.stack([run[name] for name in moving], axis=1)
    momentum = np.array([made.momentum(a, b) for a, b in zip(q[::20], v[::20], strict=True)])
    assert np.ptp(momentum[:, 0, :2], axis=0).max() < 1e-9  # along the floor
    assert np.ptp(momentum[:, 1, 2]) < 1e-9  # about the vertical
    np.testing.assert_allclose(
        run["load"], total_mass(omni_wheel.MASS, shape) * omni_wheel.G, rtol=1e-9
    )
    np.testing.assert_allclose(run["centre.z"], R, atol=1e-12)


AHEAD = {"wheel.vx": 0.6, "wheel.wy": 12.0}


def longer(*case: object) -> object:
    """One more wheel, which `make soak` has time for."""
    return pytest.param(*case, marks=pytest.mark.soak)


@pytest.mark.parametrize(
    ("shape", "tracker", "rates"),
    [
        (STRAIGHT, "implicit", RATES),
        (INCLINED, "implicit", RATES),
        (INCLINED, "section", RATES),
        longer(WheelShape.pointed(R, 6), "implicit", RATES),
        longer(WheelShape.pointed(R, 6, 0.1), "implicit", RATES),
        (WheelShape.pointed(R, 5, 0.3), "implicit", AHEAD),  # along curves rounding grows
        longer(WheelShape.pointed(R, 5, 0.3), "section", AHEAD),
    ],
)
def test_trackers_keep_together_for_ten_units_of_time(
    shape: WheelShape, tracker: str, rates: dict[str, float]
) -> None:
    """With friction, over dozens of hand-overs: the same run to 1e-9 (Kosenko: 1e-6, his solver's
    noise)."""
    assert apart(shape, ("explicit", tracker), (rates, rates)) < 1e-9


FREE = [
    (WheelShape.pointed(R, 4), 1),
    longer(WheelShape(R, 6, 0.04, math.pi / 6), -1),
    longer(WheelShape.pointed(R, 6, math.pi / 6), 1),
    (WheelShape(R, 9, 0.037, math.pi / 4), -1),
    longer(WheelShape.pointed(R, 12, -math.pi / 4), 1),
    longer(WheelShape.pointed(R, 3, 0.1), 1),
    (WheelShape(1.0, 6, 0.8, 0.3), 1),
]


@pytest.mark.parametrize(("shape", "way"), FREE)
def test_trackers_keep_together_in_free_motion_whatever_the_wheel(
    shape: WheelShape, way: int
) -> None:
    """Kosenko's comparison: rotation and sliding, ten units of time; ahead and backwards."""
    rates = {name: way * rate for name, rate in RATES.items()}
    off = apart(shape, ("explicit", "implicit"), (rates, rates), friction=0.0)
    assert off < 1e-9


def test_friction_parts_trackers_no_more_than_rounding_parts_a_run_from_itself() -> None:
    """With friction much inclined rollers make a wheel sensitive: a start changed in the twelfth
    digit ends farther away than the other tracker does."""
    shape = WheelShape(R, 9, 0.037, math.pi / 4)
    other = {**RATES, "wheel.vx": RATES["wheel.vx"] * (1 + 1e-12)}
    sensitivity = apart(shape, ("explicit", "explicit"), (RATES, other))
    assert apart(shape, ("explicit", "implicit"), (RATES, RATES)) < sensitivity
    assert sensitivity > 1e-9


def apart(
    shape: WheelShape,
    trackers: tuple[str, str],
    rates: tuple[dict[str, float], dict[str, float]],
    friction: float = 0.3,
) -> float:
    """How far two runs of ten units of time come apart, each signal by its size or by 1."""
    runs = []
    for tracker, start in zip(trackers, rates, strict=True):
        made = system(shape, tracker, friction, slip_speed=0.2)
        at = made.assemble(rates=start)
        runs.append(
            tb.simulate(made, at, 10.0, method="rk4", step=1e-3, output_step=0.1, progress=False)
        )
    assert np.count_nonzero(np.diff(runs[0]["roller"])) > 20
    names = ("centre.x", "centre.y", "wheel.vx", "wheel.wy", "wheel.wz", "servo torque")
    return max(
        float(np.abs(runs[1][name] - runs[0][name]).max() / max(1.0, np.abs(runs[0][name]).max()))
        for name in names
    )


@pytest.mark.parametrize("way", [-1, 1])
@pytest.mark.parametrize("shape", [INCLINED, longer(POINTED), WheelShape.pointed(R, 4)])
def test_a_wheel_may_start_between_two_rollers(shape: WheelShape, way: int) -> None:
    """On a tip, where rollers are pointed; ahead and backwards, by each tracker alike."""
    half = shape.half_sector / 2
    ends = []
    for tracker in ("explicit", "section", "implicit"):
        made = system(shape, tracker, slip_speed=0.2)
        turned = {"wheel.qw": math.cos(half), "wheel.qy": math.sin(half)}
        rates = {"wheel.vx": 0.3 * way, "wheel.vy": 0.2, "wheel.wy": 6.0 * way}
        start = made.assemble(**turned, rates=rates)
        run = tb.simulate(made, start, 0.3, method="rk4", step=2e-4, progress=False)
        ends.append([run[name][-1] for name in ("centre.x", "centre.y", "servo torque")])
        ends[-1].append(run["servo torque"][0])
    np.testing.assert_allclose(ends[1:], [ends[0]] * 2, atol=1e-11)


@pytest.mark.parametrize("shape", [STRAIGHT, INCLINED])
def test_friction_takes_what_the_energy_loses(shape: WheelShape) -> None:
    made = system(shape)
    start = made.assemble(rates=RATES)
    run = tb.simulate(made, start, 1.0, rtol=1e-9, atol=1e-11, energy_balance=True, progress=False)
    lost = run["energy"][0] - run["energy"][-1]
    assert run.energy_balance.dissipated["friction"] == pytest.approx(lost, abs=1e-8)
    assert lost > 1e-3 and abs(run.energy_balance.residual) < 1e-8


def test_work_of_the_motor_and_the_vehicle_is_booked() -> None:
    """Work in = stored + dissipated, with a vehicle that presses, pulls and drives."""
    made = omni_wheel.make(INCLINED).compile()
    made["pressing"] = 2.0
    inputs = {"force x": 0.5, "axle torque": 0.02}
    run = tb.simulate(
        made,
        made.assemble(),
        0.5,
        inputs=inputs,
        rtol=1e-9,
        atol=1e-11,
        energy_balance=True,
        progress=False,
    )
    books = run.energy_balance
    assert books.work["motor"] > 0.05 and books.work["vehicle"] > 0.05
    assert books.dissipated["friction"] > 5e-5 and abs(books.residual) < 1e-8
    weight = total_mass(omni_wheel.MASS, INCLINED) * omni_wheel.G
    np.testing.assert_allclose(run["load"], weight + 2.0, rtol=1e-9)  # what friction uses


def test_the_servo_holds_the_load_off_the_wheels_plane() -> None:
    """Straight ahead without friction: λ k × n balances the load at the track R₁ tan q tan ψ."""
    made = system(INCLINED, friction=0.0)
    start = made.assemble(rates={"wheel.wy": 3.0})
    run = tb.simulate(made, start, 2.0, progress=False, output_step=0.01, rtol=1e-10)
    sector = 2 * INCLINED.half_sector
    angle = 3.0 * run.time
    q = angle - sector * np.floor(angle / sector + 0.5)
    away = np.abs(np.abs(q) - INCLINED.half_sector) > 1e-3
    weight = total_mass(omni_wheel.MASS, INCLINED) * omni_wheel.G
    track = INCLINED.track(q)
    np.testing.assert_allclose(run["contact.y"][away], track[away], atol=1e-9)
    np.testing.assert_allclose(run["servo torque"][away], -weight * track[away], atol=1e-8)


def test_a_wheel_pushed_sideways_ends_rolling_on_one_roller() -> None:
    """ψ = 0: friction spins the roller up until M v′ = M v − p, I s = p ρ, v′ = ρ s."""
    made = system(STRAIGHT)
    run = tb.simulate(
        made, made.assemble(rates={"wheel.vy": 0.3}), 1.0, rtol=1e-9, atol=1e-12, progress=False
    )
    rho = STRAIGHT.radius - STRAIGHT.off
    _, moment, _ = STRAIGHT.roller_inertia(DENSITY)
    mass = total_mass(omni_wheel.MASS, STRAIGHT)
    expected = 0.3 * mass / (mass + moment / rho**2)
    assert run["wheel.vy"][-1] == pytest.approx(expected, rel=1e-6)
    assert abs(run["disc roller 1 rate"][-1]) == pytest.approx(expected / rho, rel=1e-6)


def test_friction_tends_to_rolling_without_slip() -> None:
    """Within a sector the roller in contact may be tied by its velocity instead: the wheel then
    moves as friction does that gives way below 1e-5 m/s."""
    tied, slips = (
        omni_wheel.make(INCLINED, friction=0.0),
        omni_wheel.make(INCLINED, slip_speed=1e-5),
    )
    for axis in "xy":
        tied.constrain(f"grip {axis}", velocity=tied.signal(f"slip.{axis}"))
    ends = []
    for model, method in ((tied, "dopri5"), (slips, "radau5")):
        made = model.compile()
        inputs = {"axle torque": 0.01, "force y": 0.2}
        start = made.assemble()
        run = tb.simulate(made, start, 0.1, inputs=inputs, method=method, rtol=1e-8, progress=False)
        ends.append([run[name][-1] for name in ("centre.x", "centre.y", "wheel.wy", "wheel.wz")])
        assert set(run["roller"]) == {0.0}
    np.testing.assert_allclose(ends[0], ends[1], rtol=2e-3)


def test_rolling_straight_ahead_costs_nothing_when_rollers_are_straight() -> None:
    made = system(STRAIGHT)
    rates = {"wheel.vx": 0.5, "wheel.wy": 0.5 / R}
    run = tb.simulate(made, made.assemble(rates=rates), 1.0, energy_balance=True, progress=False)
    assert run["centre.x"][-1] == pytest.approx(0.5, rel=1e-9)
    assert abs(run.energy_balance.dissipated["friction"]) < 1e-12


def test_an_inclined_roller_pulls_a_rolling_wheel_aside() -> None:
    """ψ > 0: what holds along the roller's axis pushes along it, so the wheel drifts sideways."""
    made = system(INCLINED)
    rates = {"wheel.vx": 0.5, "wheel.wy": 0.6 / R}
    run = tb.simulate(made, made.assemble(rates=rates), 0.2, progress=False)
    assert math.copysign(1.0, run["wheel.vy"][-1]) == math.copysign(1.0, run["centre.y"][-1]) != 0
    assert abs(run["centre.y"][-1]) > 1e-4


def test_a_wheel_that_slides_is_braked_by_friction_times_load() -> None:
    """M ẍ = −μ (M g + pressing) u/√(u² + u₀²) of the centre, at the instant at which it slides."""
    made = omni_wheel.make(INCLINED).compile()
    made["pressing"] = 3.0
    start = made.assemble(rates={"wheel.vx": 1.0})
    mass = total_mass(omni_wheel.MASS, INCLINED)
    braking = 0.3 * (mass * omni_wheel.G + 3.0) / mass / math.hypot(1.0, 0.02)
    assert made.forward_dynamics(start.q, start.v)[0] == pytest.approx(-braking, rel=1e-9)
