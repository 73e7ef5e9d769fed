"""Linear models agree with closed forms and with finite differences of the nonlinear equations."""

from typing import Any

import numpy as np
import pytest

import touchback as tb

G = 9.81


def test_a_pendulum_swings_with_g_over_l(pendulum: Any) -> None:
    linear = tb.linearise(pendulum, pendulum.assemble(swing=0.0))
    assert np.allclose(linear.A, [[0, 1], [-G / 1.3, 0]], atol=1e-12)
    assert np.allclose(linear.B, [[0], [1 / (2.0 * 1.3**2)]], atol=1e-12)
    assert np.allclose(linear.C, [[-1, 0], [0, 0], [0, 0]], atol=1e-12)
    assert linear.states == ("swing", "swing rate")
    assert linear.inputs == ("torque",)


def test_the_cart_pole_has_its_textbook_model(cart_pole: Any) -> None:
    """(M + m) ẍ + m l φ̈ = F, m l ẍ + (I + m l²) φ̈ = m g l φ."""
    M, m, length, inertia = 1.0, 0.2, 0.5, 0.02
    mass = np.array([[M + m, m * length], [m * length, inertia + m * length**2]])
    fall, push = np.linalg.solve(mass, np.array([[0, 1], [m * G * length, 0]])).T
    linear = tb.linearise(cart_pole)
    assert np.allclose(linear.A[2:, 1], fall, atol=1e-11)
    assert np.allclose(linear.B[2:, 0], push, atol=1e-11)
    reaction = list(linear.outputs).index("hinge.fz")
    assert linear.D[reaction, 0] == pytest.approx(0.0, abs=1e-11)
    assert linear.D[list(linear.outputs).index("hinge.fx"), 0] == pytest.approx(
        m * push[0] + m * length * push[1], abs=1e-11
    )


def differences(system: Any, linear: tb.Linear, neighbour: Any, rates: Any, u: Any) -> np.ndarray:
    """A by central differences of the rates at neighbouring consistent states."""
    columns = []
    for name in linear.states:
        ends = [rates(neighbour(name, side), u) for side in (1e-5, -1e-5)]
        columns.append((ends[0] - ends[1]) / 2e-5)
    return np.array(columns).T


@pytest.mark.parametrize("crank", [0.3, 1.9, -2.2])
def test_a_loop_in_motion_has_the_slopes_of_its_neighbours(slider_crank: Any, crank: float) -> None:
    u = {"torque": 1.0, "gas": -3.0}

    def consistent(changes: dict[str, float]) -> tb.State:
        return slider_crank.assemble(
            crank=crank + changes.get("crank", 0.0),
            rates={"crank": 10.0 + changes.get("crank rate", 0.0)},
            guess={"slider": 0.4},
        )

    def rates(state: tb.State, inputs: Any) -> np.ndarray:
        return np.array([state.v[0], slider_crank.forward_dynamics(state.q, state.v, u=inputs)[0]])

    linear = tb.linearise(slider_crank, consistent({}), u, keep=("crank",))
    assert linear.states == ("crank", "crank rate")
    wanted = differences(
        slider_crank, linear, lambda name, step: consistent({name: step}), rates, u
    )
    # second-order differences over 1e-5 of a motion with time scale 0.1 s
    assert np.allclose(linear.A, wanted, rtol=1e-6, atol=1e-4)
    pushes = [
        (rates(consistent({}), {**u, name: u[name] + 1.0}) - rates(consistent({}), u))[1]
        for name in u
    ]
    assert np.allclose(linear.B[1], pushes, rtol=1e-9)
    shown = [
        list(slider_crank.sensors(state.q, state.v, u=u).values())
        for state in (consistent({"crank": 1e-5}), consistent({"crank": -1e-5}))
    ]
    assert np.allclose(linear.C[:, 0], np.subtract(*shown) / 2e-5, rtol=1e-6, atol=1e-4)


def test_the_choice_of_coordinates_changes_no_eigenvalue(four_bar: Any) -> None:
    state = four_bar.assemble(
        crank=1.0, rates={"crank": 3.0}, guess={"rocker": -1.7, "coupler": -2}
    )
    found = [
        np.sort_complex(np.linalg.eigvals(tb.linearise(four_bar, tb.equilibrium(four_bar, state),
                                                       keep=(name,)).A))
        for name in ("crank", "coupler", "rocker")
    ]  # fmt: skip
    assert np.allclose(found[0], found[1], atol=1e-8)
    assert np.allclose(found[0], found[2], atol=1e-8)


def test_quaternions_in_motion_have_the_slopes_of_their_neighbours() -> None:
    """A spinning free body on a tether: δ̇ = δv − ω × δ for its rotation, accelerations by
    differences over increments."""
    m = tb.Model("satellite")
    hull = m.body("hull", mass=2.0, inertia=(0.1, 0.2, 0.28))
    m.joint("hull", tb.Free(), m.ground, hull, position=(0, 0, 0, 0.8, 0.2, -0.3, 0.4))
    m.force("tether", tb.SpringDamper(m.ground, hull.at(0.3, 0, 0), stiffness=5.0, length=0.1))
    system = m.compile()
    v = np.array([0.3, -0.2, 0.1, 1.0, 2.0, -0.5])
    state = tb.State(system.initial_state().q, v, np.zeros(0))
    linear = tb.linearise(system, state)
    against = -np.array([[0, 0.5, 2.0], [-0.5, 0, -1.0], [-2.0, 1.0, 0]])  # −ω×
    assert np.allclose(linear.A[3:6, 3:6], against, atol=1e-12)
    assert np.allclose(linear.A[:6, 6:], np.eye(6), atol=1e-12)
    from touchback.analysis.system_at_parameters import Instance

    instance = Instance(system)
    point = instance.point(state)
    N = instance.increments(point)[0]
    for j in range(6):
        ends = [system.forward_dynamics(state.q + side * N[:, j], v) for side in (1e-6, -1e-6)]
        assert np.allclose(linear.A[6:, j], (ends[0] - ends[1]) / 2e-6, atol=1e-7)


def test_an_input_that_moves_a_drive_counts_as_constant() -> None:
    """A pendulum hung from a slide that an input positions: the slide's place changes nothing."""
    m = tb.Model("crane")
    trolley = m.body("trolley", mass=3.0)
    load = m.body("load", mass=1.0, com=(0, 0, -2.0))
    m.joint("trolley", tb.Prismatic("x"), m.ground, trolley)
    m.joint("load", tb.Revolute("y"), trolley, load)
    m.drive("trolley", m.input("place"))
    m.sensor("hook", tb.Position(load.at(0, 0, -2.0)))
    linear = tb.linearise(m.compile())
    assert linear.states == ("load", "load rate")
    assert np.allclose(linear.A, [[0, 1], [-G / 2.0, 0]], atol=1e-11)
    assert np.allclose(linear.B, 0.0, atol=1e-12)
    assert linear.D[0, 0] == pytest.approx(1.0)


def test_a_wheel_that_rolls_has_fewer_rates_than_positions() -> None:
    """A skate: x and y are positions, but it can't move across its blade."""
    m = tb.Model("skate")
    blade = m.body("blade", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("on ice", tb.Planar("z"), m.ground, blade)
    angle = m.coordinate("on ice", 2)
    m.constrain(
        "edge",
        velocity=-tb.sin(angle) * m.rate("on ice", 0) + tb.cos(angle) * m.rate("on ice", 1),
    )
    system = m.compile()
    linear = tb.linearise(system, system.assemble())
    assert len(linear.states) == 3 + 2
    assert np.allclose(np.linalg.eigvals(linear.A), 0.0, atol=1e-6)
