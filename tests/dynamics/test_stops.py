"""Joints with limits are held there, whatever they weigh."""

import mujoco
import numpy as np
import pytest
from scipy.optimize import brentq

import touchback as tb
from touchback.dynamics.joint_stops import RATE, default_stops

SIZES = {"finger": (0.1, 0.04), "arm": (3.0, 0.5), "crane": (1000.0, 6.0)}  # kg, m
LIMIT, G = 0.3, 9.81


def falling(mass: float, length: float, **options: object) -> tb.Model:
    """A uniform rod that falls from upright, 0 rad, about y; a stop waits at 0.3 rad."""
    m = tb.Model("falling rod")
    J = mass * length**2 / 12
    rod = m.body("rod", mass, (0, 0, length / 2), (J, J, 0.0))
    m.joint("hinge", tb.Revolute("y"), m.ground, rod, limits=(-LIMIT, LIMIT), position=0.05,
            **options)  # fmt: skip
    return m


def rest_of(mass: float, length: float) -> float:
    """Where k (q − limit) = m g l/2 sin q, with k = I ω²."""
    k = mass * length**2 / 3 * RATE**2
    return float(brentq(lambda q: k * (q - LIMIT) - mass * G * length / 2 * np.sin(q), LIMIT, 1.0))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("options", [{}, {"method": "rk4", "step": 1e-3}], ids=["dopri5", "rk4"])
def test_what_falls_onto_its_limit_comes_to_rest_there(
    size: str, options: dict[str, object]
) -> None:
    system = falling(*SIZES[size]).compile()
    run = tb.simulate(system, duration=10.0, **options)
    assert run["hinge"][-1] == pytest.approx(rest_of(*SIZES[size]), abs=2e-5)  # k has 3 digits
    assert abs(run["hinge rate"][-1]) < 1e-6


@pytest.mark.parametrize("size", SIZES)
def test_energy_never_rises_in_a_stop_and_its_books_close(size: str) -> None:
    system = falling(*SIZES[size]).compile()
    run = tb.simulate(system, duration=4.0, energy_balance=True)
    q, v = run["hinge"], run["hinge rate"]
    energy = np.array([sum(system.energy([a], [b])) for a, b in zip(q, v, strict=True)])
    fallen = energy[0] - energy[-1]
    assert fallen > 0.0
    assert np.diff(energy).max() < 1e-6 * fallen
    assert sum(run.energy_balance.dissipated.values()) == pytest.approx(fallen, rel=1e-4)


def test_mujoco_holds_a_limit_at_the_same_place() -> None:
    """MuJoCo's limit of impedance d gives way by (1 − d) a/(d k), k = stiffness d/d² ("Solver
    parameters" of its documentation): with d = ½ and the stiffness ω²/2 by a/ω², as ours does."""
    mass, length = SIZES["arm"]
    run = tb.simulate(falling(mass, length).compile(), duration=5.0)
    J = mass * length**2 / 12
    model = mujoco.MjModel.from_xml_string(
        f'''<mujoco><compiler angle="radian"/><option timestep="0.001"/><worldbody><body>
        <joint axis="0 1 0" limited="true" range="{-LIMIT} {LIMIT}"
          solimplimit="0.5 0.5 0.001" solreflimit="{-(RATE**2) / 2} {-2 * RATE}"/>
        <inertial pos="0 0 {length / 2}" mass="{mass}" diaginertia="{J} {J} 1e-9"/>
        </body></worldbody></mujoco>'''
    )
    data = mujoco.MjData(model)
    data.qpos[0] = 0.05
    for _ in range(5000):
        mujoco.mj_step(model, data)
    assert data.qpos[0] - LIMIT == pytest.approx(run["hinge"][-1] - LIMIT, rel=1e-2)


@pytest.mark.parametrize("speed", [-30.0, 0.0, 30.0])
def test_within_the_limits_a_stop_is_nothing(speed: float) -> None:
    held, bare = falling(3.0, 0.5).compile(), falling(3.0, 0.5, stop=False).compile()
    for q in (-LIMIT, -0.1, 0.0, LIMIT):
        assert held.joint_efforts([q], [speed]) == 0.0
    assert held.joint_efforts([LIMIT + 0.1], [0.0]) < 0.0 < held.joint_efforts([-0.4], [0.0])
    assert bare.joint_efforts([LIMIT + 0.1], [speed]) == 0.0


def test_equations_with_given_efforts_don_t_know_stops() -> None:
    """They speak of all that acts in a joint: not one operation more, beyond the limits too."""
    held, bare = falling(3.0, 0.5).compile(), falling(3.0, 0.5, stop=False).compile()
    for name in ("inverse dynamics", "forward dynamics", "bias", "mass matrix"):
        assert held.counts(name) == bare.counts(name)
    assert held.inverse_dynamics([1.0], [2.0], [3.0]) == bare.inverse_dynamics([1.0], [2.0], [3.0])
    assert held.forward_dynamics([1.0], [2.0], [3.0]) == bare.forward_dynamics([1.0], [2.0], [3.0])


def telescope(start: float) -> tb.Model:
    """An arm that a load leaves by 2 m: it moves 100 times less when the load is in."""
    m = tb.Model("telescope", gravity=(0, 0, 0))
    m.body("arm", inertia=(0.1, 0.1, 0.1))
    m.body("load", mass=10.0)
    m.joint("turn", tb.Revolute("z"), m.ground, "arm", limits=(-1, 1), velocity=-5.0)
    m.joint("slide", tb.Prismatic("x"), "arm", "load", limits=(0.01, 2.0), position=start)
    return m


@pytest.mark.parametrize("start", [0.02, 1.9])
def test_a_stop_suits_the_lightest_position_within_the_limits(start: float) -> None:
    """So that it can't be too stiff for a live run, wherever the run began."""
    ((k, d),) = default_stops(telescope(start))["turn"]
    assert 0.1 * RATE**2 < k < 4 * 0.1 * RATE**2
    assert d == pytest.approx(2 * k / RATE, rel=1e-2)
    system = telescope(start).compile()
    x0 = [0.0, 0.05, 5.0, 0.0]
    run = tb.simulate(system, x0, duration=1.0, method="rk4", step=1e-3)
    assert np.abs(run["turn"]).max() < 1.1
    assert np.abs(run["turn rate"]).max() <= 5.0 * (1 + 1e-9)


def test_each_coordinate_of_a_joint_gets_a_stop_of_its_own() -> None:
    m = tb.Model("plate", gravity=(0, 0, 0))
    m.body("plate", mass=2.0, inertia=(0.1, 0.1, 0.1))
    m.joint("table", tb.Planar("z"), m.ground, "plate", limits=(-1, 1))
    stops = default_stops(m)["table"]
    assert [k for k, _ in stops] == pytest.approx(
        [2 * RATE**2, 2 * RATE**2, 0.1 * RATE**2], rel=6e-3
    )


def test_a_joint_that_moves_no_mass_gets_nothing_that_would_stop_it() -> None:
    m = tb.Model("tip")
    m.body("arm", 1.0, (0.1, 0, 0))
    m.body("tip")
    m.joint("arm", tb.Revolute("y"), m.ground, "arm")
    m.joint("tip", tb.Revolute("y"), "arm", "tip", limits=(-1, 1))
    assert default_stops(m) == {"tip": ((0.0, 0.0),)}


def test_stops_follow_a_model_that_changes() -> None:
    m = tb.Model("two")
    m.body("one", mass=1.0)
    m.joint("one", tb.Prismatic("x"), m.ground, "one", limits=(0, 1))
    assert set(default_stops(m)) == {"one"}
    m.body("two", mass=1.0)
    m.joint("two", tb.Prismatic("x"), m.ground, "two", limits=(0, 1))
    assert set(default_stops(m)) == {"one", "two"}


def test_stops_hold_what_is_thrown_about_at_1_khz() -> None:
    """A light link on a heavy one, both at their limits again and again."""
    m = tb.Model("two links")
    for name, mass in (("upper", 5.0), ("lower", 0.05)):
        m.body(name, mass, (0, 0, -0.2), (mass / 75, mass / 75, 1e-6))
    m.joint("shoulder", tb.Revolute("y"), m.ground, "upper", limits=(-0.5, 0.5))
    lower = tb.Frame("upper", (0, 0, -0.4))
    m.joint("elbow", tb.Revolute("y"), lower, "lower", limits=(-2.0, 0.0))
    push = m.input("push")
    m.force("motor", tb.JointEffort("shoulder", push))
    system = m.compile()
    run = tb.simulate(
        system, duration=3.0, method="rk4", step=1e-3, progress=False,
        inputs={"push": lambda t: 30.0 * np.sign(np.sin(9.0 * t))},
    )  # fmt: skip
    assert np.abs(run["shoulder"]).max() < 0.6
    assert -2.3 < run["elbow"].min() < run["elbow"].max() < 0.3
