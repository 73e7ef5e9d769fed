"""Derivatives through located transitions: bounces in closed form, a string that meets a peg by
SciPy, shared momentum, rest, and a start on a stop."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import touchback as tb
from models_with_modes import G, block_on_belt, bouncing_ball, clutch, pegged_pendulum
from touchback.errors import InputError

STEP = 1e-30


def ball(rest: bool = False, rising: bool = False) -> tb.System:
    """A ball above a floor, with a live restitution and floor, or a floor with a live speed."""
    m = tb.Model("ball", gravity=(0, 0, -G))
    e, floor = m.parameter("restitution", 0.8, min=0.0, max=1.0), m.parameter("floor", 0.0)
    if rising:
        floor = m.parameter("rise", 0.5, unit="m/s") * m.time
    m.joint("height", tb.Prismatic("z"), m.ground, m.body("ball", mass=2.0), position=1.0)
    lift = m.input("lift", unit="N")
    m.force("lift", tb.JointEffort("height", lift))
    above = m.coordinate("height") - floor
    m.constrain("floor", above, unit="m")
    m.mode("flight")
    if rest:
        m.mode("rest", active=["floor"])
    m.transition(
        "bounce", "flight", "flight", when=above, impact=["floor"], restitution=e,
        rest="rest" if rest else None, rest_speed=1.0,
    )  # fmt: skip
    return m.compile()


def bounced(y: complex, v: complex, e: complex, floor: complex, g: complex, T: float) -> np.ndarray:
    """Height and speed after a time: parabolas from floor to floor."""
    left = T
    while True:
        fall = (v + np.sqrt(v * v + 2 * g * (y - floor))) / g
        if fall.real >= left.real:
            return np.array([y + v * left - g / 2 * left**2, v - g * left])
        y, v, left = floor, -e * (v - g * fall), left - fall


@pytest.mark.parametrize("T", [0.4, 1.0, 1.7], ids=["before", "one bounce", "two bounces"])
def test_bounces_on_a_floor_that_rises_have_the_derivatives_of_their_parabolas(T: float) -> None:
    """By height, speed, restitution and the floor's speed u; seen from the floor the ball begins
    with v − u and bounces as on one at rest."""
    at = np.array([1.0, 0.3, 0.8, 0.5])

    def seen(y: complex, v: complex, e: complex, u: complex) -> np.ndarray:
        return bounced(y, v - u, e, 0.0, G, T) + np.array([u * T, u])

    wanted = np.array([seen(*(at + 1j * STEP * unit)).imag / STEP for unit in np.eye(4)]).T
    rollout = tb.rollout(ball(rising=True), 100, step=T / 100, parameters=["restitution", "rise"])
    start = [*at[:2], 0.0]
    found = rollout.jacobian(start)
    np.testing.assert_allclose(rollout.states(start)[-1, :2], seen(*at).real, rtol=1e-11)
    np.testing.assert_allclose(found.x0[:2, :2], wanted[:, :2], rtol=1e-9)
    np.testing.assert_allclose(found.parameters[:2], wanted[:, 2:], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("T", [0.4, 1.0, 1.9], ids=["before", "one bounce", "two bounces"])
def test_bounces_have_the_derivatives_of_their_parabolas(T: float) -> None:
    """By height, speed, restitution, the floor's height and a lift that is held, to 1e-9; parabolas
    are exact for the classical Runge–Kutta method, and so is the instant of an impact."""
    system = ball()
    at = np.array([1.0, 0.3, 0.8, 0.0, G])
    columns = [bounced(*(at + 1j * STEP * unit), T).imag / STEP for unit in np.eye(5)]
    wanted = np.array(columns).T
    rollout = tb.rollout(system, 100, step=T / 100, parameters=["restitution", "floor"])
    found = rollout.jacobian([1.0, 0.3, 0.0])
    np.testing.assert_allclose(rollout.states([1.0, 0.3, 0.0])[-1, :2], bounced(*at, T), rtol=1e-11)
    np.testing.assert_allclose(found.x0[:2, :2], wanted[:, :2], rtol=1e-9)
    np.testing.assert_allclose(found.parameters[:2], wanted[:, 2:4], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.inputs[:2].sum(axis=(1, 2)), -wanted[:, 4] / 2.0, rtol=1e-9)
    du = np.random.default_rng(0).normal(size=(100, 1))
    _, along = rollout.tangent([1.0, 0.3, 0.0], along=([0.2, -0.1, 0.0], du, [0.3, 0.4]))
    weights = np.zeros((101, 3))
    weights[-1] = [0.6, -0.7, 0.0]
    back = rollout.adjoint(weights, [1.0, 0.3, 0.0])
    dot = back.x0 @ [0.2, -0.1, 0.0] + np.sum(back.inputs * du) + back.parameters @ [0.3, 0.4]
    assert dot == pytest.approx(weights[-1] @ along, rel=1e-11)


def test_a_ball_that_came_to_rest_knows_the_floor_alone() -> None:
    system = ball(rest=True)
    found = tb.rollout(system, 800, step=5e-3).jacobian([1.0, 0.3, 0.0])
    np.testing.assert_allclose(found.x0[:2, :2], 0.0, atol=1e-9)
    np.testing.assert_allclose(found.parameters[:2], [[0.0, 1.0], [0.0, 0.0]], atol=1e-9)


class Upright:
    """Where SciPy is to end: the string reaches the peg."""

    terminal, direction = True, 1.0

    def __call__(self, _t: float, y: np.ndarray) -> float:
        return float(y[0])


def pegged(angle: float, T: float) -> np.ndarray:
    """x and z of a bob of the pegged pendulum, by SciPy in its angle."""

    def swing(length: float, y: list[float], span: tuple[float, float]) -> tuple[float, np.ndarray]:
        found = solve_ivp(
            lambda _t, y: [y[1], -G / length * np.sin(y[0])], span, y, "DOP853", rtol=1e-12,
            atol=1e-12, events=Upright(),
        )  # fmt: skip
        return found.t[-1], found.y[:, -1]

    met, (_, speed) = swing(1.0, [angle, 0.0], (0.0, T))
    _, (turn, _) = swing(0.6, [1e-300, speed / 0.6], (met, T))
    return np.array([0.6 * np.sin(turn), -0.4 - 0.6 * np.cos(turn)])


def test_a_string_that_meets_a_peg_has_the_derivatives_of_its_angles() -> None:
    """From constraints to others, to 1e-6 of central differences."""
    system, T, angle = pegged_pendulum().compile(), 0.9, -np.arcsin(0.6)
    start = system.assemble(mode="long", **{"bob.x": -0.6, "bob.z": -0.8}).x
    x, z = (system.state_names.index(name) for name in ("bob.x", "bob.z"))
    way = np.zeros(len(start))
    way[[x, z]] = np.cos(angle), np.sin(angle)
    rollout = tb.rollout(system, 900, step=1e-3)
    end, along = rollout.tangent(start, along=(way, None, None))
    delta = 1e-4
    wanted = (pegged(angle + delta, T) - pegged(angle - delta, T)) / (2 * delta)
    np.testing.assert_allclose(end[[x, z]], pegged(angle, T), atol=1e-8)
    np.testing.assert_allclose(along[[x, z]], wanted, rtol=1e-6)
    weight = np.random.default_rng(0).normal(size=len(start))
    assert rollout.adjoint(weight, start).x0 @ way == pytest.approx(weight @ along, rel=1e-9)


def test_inertias_that_are_joined_share_their_momentum() -> None:
    """ω⁺ = (0.2 ω₁ + 0.5 ω₂)/0.7 on both sides, whenever a clutch that is timed closes."""
    system = clutch().compile()
    motor, load = (system.state_names.index(f"{name} rate") for name in ("motor", "load"))
    found = tb.rollout(system, 100, step=1e-2).jacobian().x0
    shares = found[np.ix_([motor, load], [motor, load])]
    np.testing.assert_allclose(shares, [[2 / 7, 5 / 7]] * 2, rtol=1e-9)


@pytest.fixture(scope="module")
def hammer() -> tb.System:
    """A key that lies at its stop, q = 0, under a hammer: two laws meet where it starts."""
    return tb.gallery.make("bouncing-hammer").compile()


def test_a_start_on_a_stop_has_the_slope_of_its_own_side(hammer: tb.System) -> None:
    """A semi-implicit Euler step of the key, m q̈ = k (hammer − q) − K q where q < 0:
    dq⁺/dq = 1 − h² k/m above, as at the start, and 1 − h² (k + K)/m below."""
    h, m, felt, stop = 1e-3, 0.1, 8000.0, 2e4
    rollout, x0 = tb.rollout(hammer, 1, step=h, method="euler"), hammer.initial_state().x
    below = x0 - 1e-9 * np.eye(len(x0))[0]
    assert rollout.jacobian(x0).x0[0, 0] == pytest.approx(1 - h**2 * felt / m, rel=1e-12)
    assert rollout.jacobian(below).x0[0, 0] == pytest.approx(
        1 - h**2 * (felt + stop) / m, rel=1e-12
    )


@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_a_hammer_that_leaves_its_key_has_the_slopes_of_differences(
    hammer: tb.System, method: str
) -> None:
    """To 1e-6 of the largest, from the stop's free side; to one side a difference is extrapolated
    from two widths, 2 D(d) − D(2 d)."""
    rollout, x0 = tb.rollout(hammer, 100, step=1e-3, method=method), hammer.initial_state().x
    struck = {"key force": 2.0}
    way = rollout.states(x0, struck)
    assert way[0, -1] == 0 and way[-1, -1] == 1  # together, then in flight
    found = rollout.jacobian(x0, struck).x0[:4, :4]

    def difference(d: float) -> np.ndarray:
        ends = [rollout.states(x0 + d * unit, struck)[-1] for unit in np.eye(5)[:4]]
        return ((np.array(ends) - way[-1]) / d).T[:4]

    wanted = 2 * difference(1e-8) - difference(2e-8)
    np.testing.assert_allclose(found, wanted, atol=1e-6 * np.abs(found).max())


def test_what_has_no_derivative_is_refused_by_name() -> None:
    sticking = tb.rollout(block_on_belt().compile(), 10)
    with pytest.raises(InputError, match="mode 'stick' is left by forces"):
        sticking.states()
    system = bouncing_ball().compile()
    with pytest.raises(InputError, match="'bounce' follows at once"):
        tb.rollout(system, 10).states([-0.1, 0.0, 0.0])
    with pytest.raises(InputError, match="1000000001 rows of 3 numbers take 24 GB"):
        tb.rollout(system, 10**9).states()
