"""Equilibria are where closed forms, energy and other ways of holding put them."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import touchback as tb
from touchback import gallery

G = 9.81


def test_a_motor_holds_a_pendulum_where_its_weight_balances(pendulum: Any) -> None:
    found = tb.equilibrium(pendulum, u={"torque": 5.0})
    assert np.sin(found.state.q[0]) == pytest.approx(5.0 / (2.0 * G * 1.3), rel=1e-12)
    assert found.stability == "stable"
    assert found.stiffness[0, 0] == pytest.approx(2.0 * G * 1.3 * np.cos(found.state.q[0]))


def test_a_mirrored_load_leaves_as_much_unbalanced(pendulum: Any) -> None:
    """It is a size: what rounding leaves has either sign."""
    torques = np.linspace(0.5, 20.0, 24)
    left = np.array([
        [tb.equilibrium(pendulum, u={"torque": sign * torque}).residual for torque in torques]
        for sign in (1.0, -1.0)
    ])  # fmt: skip
    assert left.any() and (left >= 0.0).all() and left.max() < 1e-12
    assert np.array_equal(left[0], left[1])


def test_a_pendulum_stands_unstably_upside_down(pendulum: Any) -> None:
    found = tb.equilibrium(pendulum, pendulum.assemble(swing=3.0))
    assert found.state.q[0] == pytest.approx(np.pi, abs=1e-12)
    assert found.stability == "unstable"


@pytest.mark.parametrize("angle", [3.0, np.pi, -1.0])
def test_a_pendulum_settles_below(pendulum: Any, angle: float) -> None:
    found = tb.equilibrium(pendulum, pendulum.assemble(swing=angle), settle=True)
    assert np.cos(found.state.q[0]) == pytest.approx(1.0, abs=1e-12)
    assert found.stability == "stable"


def test_a_loop_settles_from_its_upper_equilibrium(slider_crank: Any) -> None:
    top = slider_crank.assemble(crank=-np.pi / 2, guess={"rod": 1.8, "slider": 0.4})
    assert tb.equilibrium(slider_crank, top).stability == "unstable"
    found = tb.equilibrium(slider_crank, top, settle=True)
    assert found.stability == "stable"
    assert np.sin(found.state.q[0]) == pytest.approx(1.0, abs=1e-12)


def test_parameters_are_those_given(pendulum: Any) -> None:
    found = tb.equilibrium(pendulum, u={"torque": 5.0}, parameters={"length": 2.0})
    assert np.sin(found.state.q[0]) == pytest.approx(5.0 / (2.0 * G * 2.0), rel=1e-12)


def test_a_loop_rests_where_its_energy_is_least(four_bar: Any) -> None:
    def height(angle: float) -> float:
        q = four_bar.assemble(crank=angle, guess={"coupler": -0.9 - angle, "rocker": -1.7}).q
        return four_bar.energy(q, np.zeros(3))[1]

    start = four_bar.assemble(crank=1.2, guess={"coupler": -2.0, "rocker": -1.7})
    found = tb.equilibrium(four_bar, start)
    angles = np.linspace(found.state.q[0] - 0.01, found.state.q[0] + 0.01, 5)
    heights = [height(angle) for angle in angles]
    fit = np.polyfit(angles - found.state.q[0], heights, 4)
    assert abs(fit[-2]) < 1e-7  # the slope of the energy
    assert (fit[-3] > 0) == (found.stability == "stable")
    assert np.abs(four_bar.constraint_error(found.state.q)).max() < 1e-12


@pytest.mark.parametrize("angle", [-0.8, 0.3, 2.0])
def test_a_kept_crank_is_held_by_the_slope_of_the_energy(slider_crank: Any, angle: float) -> None:
    def height(crank: float) -> float:
        q = slider_crank.assemble(crank=crank, guess={"slider": 0.4}).q
        return slider_crank.energy(q, np.zeros(3))[1]

    found = tb.equilibrium(
        slider_crank, slider_crank.assemble(crank=angle, guess={"slider": 0.4}), keep=["crank"]
    )
    assert found.state.q[0] == angle
    slope = (height(angle + 1e-5) - height(angle - 1e-5)) / 2e-5
    assert found.efforts["crank"] == pytest.approx(slope, abs=1e-8)


def test_a_drive_is_held_by_the_effort_of_a_kept_coordinate() -> None:
    def arm(driven: bool) -> Any:
        m = tb.Model("arm")
        upper = m.body("upper", mass=1.0, com=(0.3, 0, 0), inertia=(0.01, 0.01, 0.01))
        lower = m.body("lower", mass=1.0, com=(0.3, 0, 0), inertia=(0.01, 0.01, 0.01))
        m.joint("shoulder", tb.Revolute("y"), m.ground, upper, position=0.4)
        m.joint("elbow", tb.Revolute("y"), upper.at(0.6, 0, 0), lower, spring=3.0)
        if driven:
            m.drive("shoulder", tb.Sine(0.2, offset=0.4))
        return m.compile()

    driven, kept = tb.equilibrium(arm(True)), tb.equilibrium(arm(False), keep=["shoulder"])
    assert driven.efforts["shoulder"] == pytest.approx(kept.efforts["shoulder"], rel=1e-10)
    assert np.allclose(driven.state.q, kept.state.q, atol=1e-11)


def test_extra_states_come_to_rest() -> None:
    """A motor at constant voltage against a spring: current V/R, angle k V/(R c)."""
    m = tb.Model("motor")
    rotor = m.body("rotor", mass=1.0, inertia=(0.01, 0.01, 0.01))
    m.joint("rotor", tb.Revolute("z"), m.ground, rotor, spring=2.0)
    voltage = m.input("voltage", default=12.0)
    current = m.state("current")
    m.set_rate("current", (voltage - 3.0 * current - 0.1 * m.rate("rotor")) / 0.02)
    m.force("motor", tb.JointEffort("rotor", 0.1 * current))
    found = tb.equilibrium(m.compile())
    assert found.state.z[0] == pytest.approx(4.0, rel=1e-12)
    assert found.state.q[0] == pytest.approx(0.2, rel=1e-12)
    assert found.stability == "undecided"


def test_bodies_with_quaternions_rest_where_their_energy_is_least(free_loop: Any) -> None:
    """Against SciPy's minimiser of the potential energy with the rod as its constraint."""
    found = tb.equilibrium(free_loop, u={"voltage": 0.0}, settle=True)
    q = found.state.q
    assert np.linalg.eigvalsh(found.stiffness).min() > -1e-9

    def height(x: np.ndarray) -> float:
        return free_loop.energy(x, np.zeros(10))[1]

    random = np.random.default_rng(1)
    other = minimize(
        height, q + 0.01 * random.normal(size=q.size), method="SLSQP",
        constraints={"type": "eq", "fun": lambda x: free_loop.constraint_error(x)},
        options={"ftol": 1e-15, "maxiter": 500},
    )  # fmt: skip
    assert other.fun == pytest.approx(height(q), abs=1e-8)
    # the box can spin where nothing holds it, so positions are compared, not quaternions
    assert np.allclose(other.x[4:7], q[4:7], atol=2e-4)


def test_a_body_that_nothing_carries_has_no_equilibrium() -> None:
    m = tb.Model("stone")
    m.joint("fall", tb.Prismatic("z"), m.ground, m.body("stone", mass=2.0))
    with pytest.raises(tb.SolveError, match=r"'fall' stays out of balance by 19\.6.*keep"):
        tb.equilibrium(m.compile())


def test_a_loop_that_cannot_close_is_named() -> None:
    m = tb.Model("short")
    a, b = m.body("a", mass=1.0, com=(0.1, 0, 0)), m.body("b", mass=1.0, com=(0.1, 0, 0))
    m.joint("a", tb.Revolute("y"), m.ground, a, position=0.3)
    m.joint("b", tb.Revolute("y"), m.ground.at(3, 0, 0), b, position=2.5)
    m.close("rod", tb.Rod(0.5), a.at(0.5, 0, 0), b.at(0.5, 0, 0))
    with pytest.raises(tb.SolveError, match="Closure 'rod': its error is"):
        tb.equilibrium(m.compile())


def test_a_coordinate_to_keep_must_exist(pendulum: Any) -> None:
    with pytest.raises(tb.InputError, match=r"swimg.*swing"):
        tb.equilibrium(pendulum, keep=["swimg"])


def test_names_that_are_coordinates_and_velocities_are_offered_once(slider_crank: Any) -> None:
    with pytest.raises(tb.InputError, match=r"'crnk': did you mean 'crank'\?"):
        tb.equilibrium(slider_crank, keep=["crnk"])


def test_a_piano_action_rests_from_the_pose_it_is_described_in() -> None:
    """Felts that open and close stop Newton's method there. At rest forward dynamics give no
    accelerations: 1e-9 of those of the described pose."""
    system = tb.gallery.make("piano").compile()
    found = tb.equilibrium(system)
    assert found.stability == "stable"
    start = system.assemble()
    before, after = (
        np.abs(system.forward_dynamics(at.q, np.zeros(len(at.v)))).max()
        for at in (start, found.state)
    )
    assert after < 1e-9 * before


@pytest.mark.parametrize("drop", [0.05, 0.3, 2.0])
def test_bodies_that_fall_onto_soft_contacts_rest_where_these_carry_them(drop: float) -> None:
    """Above its contact nothing carries a ball: weight over stiffness is how far it sinks."""
    m = tb.Model("ball above a floor")
    ball = m.body("ball", mass=2.0)
    m.joint("z", tb.Prismatic("z"), m.ground, ball, position=drop)
    depth = tb.maximum(-m.coordinate("z"), 0.0)
    m.force("floor", tb.JointEffort("z", 5000.0 * depth))
    found = tb.equilibrium(m.compile())
    assert found.state.q[0] == pytest.approx(-2.0 * 9.81 / 5000.0, rel=1e-9)
    assert found.stability == "stable"


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    "of", [tb.equilibrium, tb.linearise, tb.vibrations, tb.ports, tb.bond_graph]
)
@pytest.mark.parametrize("place", [0, -1])
def test_a_state_that_is_not_finite_is_refused_by_name(of: Any, number: float, place: int) -> None:
    system = gallery.make("slider-crank").compile()
    state = system.assemble(crank=0.3)
    x = state.x.copy()
    x[place] = number
    name = system.state_names[place]
    with pytest.raises(tb.InputError, match=f"'{name}' of the state is {number}; give a state of"):
        of(system, x)
