"""The narrow tilting vehicle against closed forms: it falls as an inverted pendulum, balances in a
turn as a motorcycle does, and its filter's errors are as large as it says."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

import touchback as tb
from touchback.devices import Converter
from touchback.gallery import tilting_vehicle
from touchback.gallery.tilting_vehicle import Balance, Tilting, TiltSensors

G = 9.81
PLAN = Tilting()
W = PLAN.wheel
# What leans: mass, height, moments about x, y, z. The beam is carried along but stays level.
_UPRIGHT = PLAN.upright_mass * PLAN.link**2 / 3
LEANING = [
    (PLAN.mass, PLAN.com[2], *PLAN.inertia),
    (PLAN.beam_mass, PLAN.radius, 0.0, 0.0, 0.0),
    (PLAN.fork_mass, PLAN.radius, 1e-3, 1e-3, 4e-4),
    *[(PLAN.upright_mass, PLAN.radius, _UPRIGHT, _UPRIGHT, _UPRIGHT / 10)] * 2,
    *[(W.mass, PLAN.radius, W.cross_inertia, W.spin_inertia, W.cross_inertia)] * 3,
]


def standing(stiffer: float) -> tb.System:
    """Its mechanism alone at rest, with tyres that are so many times stiffer all round."""
    tyre = msgspec.structs.replace(
        PLAN.tyre, vertical_stiffness=6e4 * stiffer, unloaded_radius=0.1 + 8e-4 / stiffer,
        cornering_stiffness=750.0 * stiffer, slip_stiffness=1000.0 * stiffer,
    )  # fmt: skip
    m = tb.Model("standing")
    tilting_vehicle.add_tilting(m, replace(PLAN, tyre=tyre))
    m.drive("steer", 0.0)
    return m.compile()


def test_left_alone_it_falls_as_an_inverted_pendulum_about_its_wheels_contacts() -> None:
    """λ² = g Σ m z/Σ (m z² + I); what tyres give way by changes it in proportion."""
    above = sum(m * z for m, z, *_ in LEANING)
    pendulum = np.sqrt(G * above / sum(m * z**2 + x for m, z, x, *_ in LEANING))
    off = []
    for stiffer in (10.0, 100.0, 1000.0):
        system = standing(stiffer)
        growth = np.linalg.eigvals(tb.linearise(system, system.assemble()).A)
        off.append(growth.real.max() / pendulum - 1.0)
    np.testing.assert_allclose(off, [off[0], off[0] / 10, off[0] / 100], rtol=0.02)
    assert 0.0 < off[2] < 1e-5


@pytest.fixture(scope="module")
def turning() -> tb.Run:
    """A long turn, with sensors without noise, for what is left when all has settled."""
    quiet = TiltSensors(
        converter=Converter(24, 0.0, 5.0), voltage_noise=1e-6, rate_noise=1e-6, bias=0.0,
        bias_wander=1e-9, sway=1e-6,
    )  # fmt: skip
    system = tilting_vehicle.make(balance=Balance(sensors=quiet)).compile()
    steering = ((0.0, 0.5, 0.8), (0.0, 0.0, 0.25))
    return tb.simulate(
        system, duration=8.0, inputs={"steering": steering}, rate=1000.0, progress=False
    )


def last(run: tb.Run, name: str) -> float:
    return float(run[name][-1])


def test_in_a_steady_turn_it_leans_until_nothing_pushes_its_driver_sideways(turning) -> None:
    speed = np.hypot(last(turning, "body.vx"), last(turning, "body.vy"))
    turn = last(turning, "imu rate.z")
    sideways = speed * turn  # of its wheels; its seat is nearer to the centre by h sin θ
    seat = sideways - turn**2 * PLAN.com[2] * np.sin(last(turning, "tilt"))
    assert seat > 3.0
    # The controller knows steering, not slip: 2 % of the curvature.
    assert np.tan(last(turning, "tilt")) == pytest.approx(seat / G, rel=0.03)
    assert abs(last(turning, "felt sideways")) < 0.03 * seat


def test_its_motor_holds_what_a_leaning_body_with_spinning_wheels_is_short_of(turning) -> None:
    """Moments about the line of the rear contacts, ahead: weight, m a of what goes round, the
    change of the body's and the wheels' angular momentum, and the front tyre's load, whose contact
    a steered wheel shifts out of that line."""
    tilt, steer, turn = (last(turning, n) for n in ("tilt", "steer", "imu rate.z"))
    s, c = np.sin(tilt), np.cos(tilt)
    ahead = last(turning, "body.vx") * turn  # Ω² ρ, ρ from the turn's centre to the rear axle
    inward = sum(m * G * z * s for m, z, *_ in LEANING)
    outward = sum(m * z * c * (ahead - turn**2 * z * s) for m, z, *_ in LEANING)
    outward += sum((zz - yy) * turn**2 * s * c for _, _, _, yy, zz in LEANING)
    spins = sum(last(turning, f"{n} rate") for n in ("rear left spin", "rear right spin"))
    spins += last(turning, "front spin rate") * np.cos(steer)
    outward += W.spin_inertia * spins * turn * c
    axle = np.array([-np.sin(steer), np.cos(steer) * c, -np.cos(steer) * s])
    upright = np.hypot(axle[0], axle[1])
    inside = PLAN.radius * s + PLAN.radius * c * axle[2] * axle[1] / upright**2
    outward += last(turning, "front.load") * inside
    assert outward - inward == pytest.approx(last(turning, "tilt torque"), abs=0.01)  # of 10 N m
    assert inward > 8.0


@pytest.mark.parametrize("seed", [1, 31])
def test_the_filter_knows_the_tilt_better_than_either_sensor_and_finds_the_bias(seed: int) -> None:
    sensors = TiltSensors(seed=seed)
    system = tilting_vehicle.make(balance=Balance(sensors=sensors)).compile()
    inputs = {"steering": tilting_vehicle.STEERING}
    run = tb.simulate(
        system, duration=10.0, inputs=inputs, rate=1000.0, output_step=1e-3, progress=False
    )
    # A memory shows the tick at the start of its step.
    truth, bias = run["tilt"][:-1], run["bias"][:-1]
    error = np.stack([truth - run["estimated tilt"][1:], bias - run["estimated bias"][1:]])
    settled = run.time[1:] > 4.0
    angle, rate = error[:, settled]
    potentiometer = (truth - run["potentiometer"][1:])[settled]
    gyroscope = truth - np.cumsum(run["gyroscope"][1:]) * 1e-3
    assert potentiometer.std() == pytest.approx(sensors.angle_noise, rel=0.05)
    assert angle.std() < potentiometer.std() / 10
    assert abs(gyroscope[-1]) > 0.2  # it runs away
    assert np.abs(rate).max() < 0.1 * sensors.bias
    # (eᵀ P⁻¹ e) of two is 2 on average; six seconds hold some ten independent errors: ± 0.6.
    P = sensors.fusion().filtered
    nees = np.einsum("it,ij,jt->t", error, np.linalg.inv(P), error)[settled]
    assert 0.8 < nees.mean() < 3.5


def test_switched_off_it_falls_on_its_outriggers_and_stays_there_live() -> None:
    with tb.live(tilting_vehicle.make().compile(), rate=1000, speed=None) as live:
        live.run(1.0)
        assert abs(live.read("tilt")) < 0.03
        live["tilt control"] = 0.0
        live.run(2.0)
        assert 0.6 < abs(live.read("tilt")) < 0.7
        live["tilt control"], live["speed"] = 1.0, 0.0
        live.run(2.0)
        assert live.read("tilt torque") == 0.0  # nothing is left to save
        assert 0.6 < abs(live.read("tilt")) < 0.7
        assert not live.faults


def test_its_motor_never_gives_more_than_it_can() -> None:
    run = tb.simulate(
        tilting_vehicle.make().compile(), duration=3.0, rate=1000.0, progress=False,
        inputs={"steering": ((0.0, 0.5, 0.51), (0.0, 0.0, 0.35))},
    )  # fmt: skip
    assert np.abs(run["tilt torque"]).max() == Balance().motor.largest_torque == 9.0


def test_a_body_beside_its_wheels_is_refused() -> None:
    with pytest.raises(tb.ModelError, match=r"0.01 m off its middle"):
        Tilting(com=(0.3, 0.01, 0.26))
