"""Observers on compiled models: against closed forms, and against what they say of themselves."""

import math

import numpy as np
import pytest
from scipy.linalg import expm, solve_discrete_are
from scipy.spatial.transform import Rotation
from scipy.stats import chi2

import touchback as tb
from touchback.errors import InputError
from touchback.estimate import ExtendedKalman, Observer, UnscentedKalman

BOTH = pytest.mark.parametrize("kind", [ExtendedKalman, UnscentedKalman])
T, MASS, STIFFNESS, DAMPING = 0.05, 2.0, 8.0, 0.4
WANDER, NOISE = 0.3, 0.02


@pytest.fixture(scope="module")
def oscillator():
    """A mass on a spring whose position is measured, its velocity and load not."""
    m = tb.Model("oscillator")
    body = m.body("mass", mass=MASS)
    m.joint("x", tb.Prismatic("x"), m.ground, body)
    load = m.state("load", 0.0, rate=0.0)
    push = m.input("push") + load
    m.force(
        "all", tb.JointEffort("x", push - STIFFNESS * m.coordinate("x") - DAMPING * m.rate("x"))
    )
    m.sensor("position", tb.Signal(m.coordinate("x"), "m"))
    m.sensor("speed", tb.Signal(m.rate("x"), "m/s"))
    return m.compile()


@pytest.fixture(scope="module")
def pendulum():
    """A point mass on a rod of 1 m, with an unknown torque; what is seen is how far it is out."""
    m = tb.Model("pendulum", gravity=(0.0, 0.0, -9.81))
    bob = m.body("bob", mass=1.0, com=(0.0, 0.0, -1.0), inertia=(0.0, 0.0, 0.0))
    m.joint("hinge", tb.Revolute("y"), m.ground, bob)
    m.force("torque", tb.JointEffort("hinge", m.state("torque", 0.0, rate=0.0)))
    m.sensor("out", tb.Signal(tb.sin(m.coordinate("hinge")), "m"))
    m.sensor("speed", tb.Signal(m.rate("hinge"), "rad/s"))
    return m.compile()


def matrices() -> tuple[np.ndarray, np.ndarray]:
    """Φ and the process noise's covariance over a period, by quadrature of the exponential."""
    A = np.array(
        [[0.0, 1.0, 0.0], [-STIFFNESS / MASS, -DAMPING / MASS, 1.0 / MASS], [0.0, 0.0, 0.0]]
    )
    W = np.diag([0.0, WANDER**2, 1.0**2])
    nodes, weights = np.polynomial.legendre.leggauss(8)
    flows = [expm(A * T * (s + 1) / 2) for s in nodes]
    Q = sum(0.5 * T * w * F @ W @ F.T for F, w in zip(flows, weights))
    return expm(A * T), Q


def observer(kind: type[Observer], system, **more) -> Observer:
    how = {
        "process_noise": {"x rate": WANDER, "load": 1.0},
        "initial_deviation": {"x": 0.5, "x rate": 1.0, "load": 2.0},
    }
    return kind(system, T, {"position": NOISE}, **{**how, **more})


@BOTH
def test_of_a_linear_model_it_is_kalman_s_filter(oscillator, kind) -> None:
    flow, Q = matrices()
    C, x, P = np.array([[1.0, 0.0, 0.0]]), np.zeros(3), np.diag([0.25, 1.0, 4.0])
    seen, draw = observer(kind, oscillator, substeps=8), np.random.default_rng(4)
    for _ in range(30):
        y = float(draw.normal())
        x, P = flow @ x, flow @ P @ flow.T + Q
        S = C @ P @ C.T + NOISE**2
        K = P @ C.T / S
        nis = ((y - C @ x)[0] ** 2 / S)[0, 0]
        x, P = x + K[:, 0] * (y - C @ x), P - K @ C @ P
        seen.step({"position": y})
        assert seen.innovation is not None and seen.innovation.nis == pytest.approx(nis, rel=1e-6)
        found = np.concatenate([seen.state.q, seen.state.v, seen.state.z])
        np.testing.assert_allclose(found, x, atol=1e-7)  # RK4's own error
    np.testing.assert_allclose(seen.covariance, P, atol=1e-9)


@BOTH
def test_its_covariance_settles_where_riccati_s_equation_does(oscillator, kind) -> None:
    flow, Q = matrices()
    C = np.array([[1.0, 0.0, 0.0]])
    P = solve_discrete_are(flow.T, C.T, Q, np.array([[NOISE**2]]))
    settled = P - P @ C.T @ np.linalg.solve(C @ P @ C.T + NOISE**2, C @ P)
    seen = observer(kind, oscillator)
    for _ in range(100):
        seen.step({"position": 0.0})
    np.testing.assert_allclose(seen.covariance, settled, rtol=1e-4, atol=1e-10)
    assert seen.deviation("load") == pytest.approx(math.sqrt(settled[2, 2]), rel=1e-4)


def test_what_is_not_measured_this_time_only_grows_in_doubt(oscillator) -> None:
    flow, Q = matrices()
    seen = observer(ExtendedKalman, oscillator)
    before = seen.covariance
    seen.step({"position": math.nan})
    np.testing.assert_allclose(seen.covariance, flow @ before @ flow.T + Q, atol=1e-12)
    assert seen.innovation is None


@BOTH
def test_over_many_runs_its_errors_are_as_large_as_it_says(oscillator, kind) -> None:
    """NEES and NIS are χ² (Bar-Shalom et al. 2001, section 5.4): means within 99.9 %."""
    flow, Q = matrices()
    root, draw = np.linalg.cholesky(Q), np.random.default_rng(7)
    runs, steps, nees, nis = 10, 8, [], []
    for _ in range(runs):
        seen = observer(kind, oscillator)
        x = np.array([0.5, 1.0, 2.0]) * draw.normal(size=3)
        for _ in range(steps):
            x = flow @ x + root @ draw.normal(size=3)
            seen.step({"position": x[0] + NOISE * draw.normal()})
            nis.append(seen.innovation.nis)
        nees.append(seen.nees(tb.State(x[:1], x[1:2], x[2:], tuple(oscillator.state_names))))
    for values, degrees in ((nees, 3), (nis, 1)):
        count = degrees * len(values)
        low, high = chi2.ppf([5e-4, 1 - 5e-4], count) / len(values)
        assert low < np.mean(values) < high


def test_sigma_points_see_the_curvature_that_a_tangent_does_not() -> None:
    """Of y = x² with x ~ N(μ, σ²) the mean is μ² + σ² and the variance 4 μ²σ² + 2 σ⁴."""
    m = tb.Model("square")
    x = m.state("x", 1.5, rate=0.0)
    m.state("area", 0.0, rate=x * x)
    m.sensor("square", tb.Signal(x * x, ""))
    system = m.compile()
    for kind, mean, variance in (
        (UnscentedKalman, 1.5**2 + 0.04, 4 * 1.5**2 * 0.04 + 2 * 0.04**2),
        (ExtendedKalman, 1.5**2, 4 * 1.5**2 * 0.04),
    ):
        seen = kind(system, 1.0, {"square": 1e-6}, {}, {"x": 0.2})
        seen.step({})
        assert seen.state.z[1] == pytest.approx(mean, abs=1e-9)  # ∫ x² over a second
        seen = kind(system, 1.0, {"square": 1e-6}, {}, {"x": 0.2})
        seen.step({"square": 3.0})
        assert seen.innovation.residual[0] == pytest.approx(3.0 - mean, abs=1e-9)
        assert seen.innovation.covariance[0, 0] == pytest.approx(variance, rel=1e-9)


@BOTH
def test_a_pendulum_s_speed_and_torque_are_found_though_only_its_swing_is_seen(
    pendulum, kind
) -> None:
    truth = tb.simulate(
        pendulum, pendulum.assemble(hinge=0.8, states={"torque": 1.0}), duration=3.0,
        method="dopri5", rtol=1e-9, output_step=0.02,
    )  # fmt: skip
    draw = np.random.default_rng(2)
    seen = kind(
        pendulum, 0.02, {"out": 0.01}, process_noise={"hinge rate": 0.01, "torque": 0.01},
        initial_deviation={"hinge": 0.3, "hinge rate": 0.5, "torque": 1.0},
        start=pendulum.assemble(hinge=0.5),
    )  # fmt: skip
    for out in truth["out"][1:]:
        seen.step({"out": out + 0.01 * draw.normal()})
    end = tb.State(
        np.array([truth["hinge"][-1]]), np.array([truth["hinge rate"][-1]]), np.array([1.0]),
        tuple(pendulum.state_names),
    )  # fmt: skip
    assert seen.nees(end) < chi2.ppf(0.999, 3)
    assert abs(seen.sensors()["speed"] - truth["speed"][-1]) < 0.02
    assert abs(seen.state.z[0] - 1.0) < 0.1  # it started at 0, 1 in doubt


@BOTH
def test_a_closed_loop_stays_closed_and_shows_what_nobody_measures(kind) -> None:
    r, length = 0.1, 0.4
    m = tb.Model("slider-crank")
    crank = m.body("crank", mass=1.0, com=(r / 2, 0, 0), inertia=(1e-4, 8e-4, 8e-4))
    rod = m.body("rod", mass=0.5, com=(length / 2, 0, 0), inertia=(1e-4, 7e-3, 7e-3))
    slider = m.body("slider", mass=0.8)
    m.joint("crank", tb.Revolute("y"), m.ground, crank)
    m.joint("rod", tb.Revolute("y"), crank.at(r, 0, 0), rod)
    m.joint("slider", tb.Prismatic("x"), m.ground, slider)
    m.close("pin", tb.PointInPlane("xz"), rod.at(length, 0, 0), slider)
    m.sensor("angle", tb.Signal(m.coordinate("crank"), "rad"))
    m.sensor("slider speed", tb.Signal(m.rate("slider"), "m/s"))
    system = m.compile()
    truth = tb.simulate(
        system, system.assemble(crank=0.3, rates={"crank": 10.0}), duration=0.4, output_step=0.01
    )
    seen = kind(
        system, 0.01, {"angle": 1e-3}, process_noise={"crank rate": 0.1},
        initial_deviation={"crank": 0.05, "crank rate": 3.0},
        start=system.assemble(crank=0.32, rates={"crank": 8.0}), keep=("crank",),
    )  # fmt: skip
    assert seen.names == ("crank", "crank rate")
    draw = np.random.default_rng(5)
    for angle in truth["angle"][1:]:
        seen.step({"angle": angle + 1e-3 * draw.normal()})
        assert np.abs(system.constraint_error(seen.state.q)).max() < 1e-10
    # Slider-crank kinematics: ẋ = −r ω (sin θ + r sin θ cos θ / √(l² − r² sin² θ)).
    theta, w = seen.state.q[0], seen.state.v[0]
    s, c = math.sin(theta), math.cos(theta)
    expected = -r * w * (s + r * s * c / math.sqrt(length**2 - (r * s) ** 2))
    assert seen.sensors()["slider speed"] == pytest.approx(expected, abs=1e-9)
    assert abs(seen.sensors()["slider speed"] - truth["slider speed"][-1]) < 0.02  # of ±1 m/s


@BOTH
def test_a_spinning_body_with_a_quaternion_is_followed(kind) -> None:
    m = tb.Model("top")
    body = m.body("body", mass=1.0, inertia=(1.0, 2.0, 3.0))
    m.joint("ball", tb.Spherical(), m.ground, body)
    for axis in "xyz":
        direction = m.sensor(f"axis {axis}", tb.Direction(body, axis))
        for other, value in zip("xyz", direction):
            m.sensor(f"{axis}{other}", tb.Signal(value, ""))
    system = m.compile()
    rates = dict(zip(system.velocities, (0.3, 1.0, 0.2)))
    truth = tb.simulate(system, system.assemble(rates=rates), duration=0.6, output_step=0.02)
    names = ("xx", "xy", "yy", "yz", "zz", "zx")
    spun, turned = system.velocities, [f"{name} increment" for name in system.velocities]
    seen = kind(
        system, 0.02, dict.fromkeys(names, 0.01), process_noise=dict.fromkeys(spun, 0.01),
        initial_deviation={**dict.fromkeys(turned, 0.1), **dict.fromkeys(spun, 0.5)},
        start=system.assemble(rates=dict(zip(system.velocities, (0.0, 0.7, 0.0)))),
    )  # fmt: skip
    draw = np.random.default_rng(3)
    for k in range(1, len(truth.time)):
        seen.step({n: truth[n][k] + 0.01 * draw.normal() for n in names})
    for place, name in enumerate(spun):
        assert abs(seen.state.v[place] - truth[name][-1]) < 4 * seen.deviation(name)
        assert seen.deviation(name) < 0.05
    assert np.linalg.norm(seen.state.q) == pytest.approx(1.0, abs=1e-6)


@BOTH
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_error_of_attitude_is_the_rotation_between(kind, sign) -> None:
    """By SciPy's rotation vectors, in the body's axes; both signs of a quaternion are one attitude,
    and 2 rad are 2 rad (the chord would say 1.7)."""
    m = tb.Model("ball")
    m.joint("ball", tb.Spherical(), m.ground, m.body("body", mass=1.0, inertia=(1.0, 2.0, 3.0)))
    m.sensor("axis", tb.Direction("body", "x"))
    system = m.compile()
    base, turn = Rotation.from_rotvec([0.4, -0.2, 0.3]), np.array([1.2, -1.6, 0.0])
    there = base * Rotation.from_rotvec(turn)
    x, y, z, w = sign * there.as_quat()
    start, names = base.as_quat(), tuple(system.state_names)
    at = tb.State(np.roll(start, 1), np.zeros(3), np.zeros(0), names)
    initial_deviation = {f"{name} increment": 0.5 for name in system.velocities}
    seen = kind(system, 0.1, {"axis.x": 0.1}, {}, {**initial_deviation, "ball.wx": 1.0}, at)
    truth = tb.State(np.array([w, x, y, z]), np.zeros(3), np.zeros(0), names)
    assert seen.error(truth)[:3] == pytest.approx(turn, abs=1e-12)
    moved = seen.apply_variation(np.concatenate([at.q, at.v]), np.concatenate([turn, np.zeros(3)]))
    assert abs(moved[:4] @ truth.q) == pytest.approx(1.0, abs=1e-12)  # the same attitude


@BOTH
@pytest.mark.parametrize("fast", [1.0, 60.0, 1000.0])
def test_doubt_of_a_mode_much_faster_than_the_period_is_that_of_brownian_motion(kind, fast) -> None:
    """Ornstein and Uhlenbeck's variances of a body in a bath whose drag stops it in 1/fast."""
    m = tb.Model("bath", gravity=(0, 0, 0))
    body = m.body("body", mass=10.0)
    m.joint("x", tb.Prismatic("x"), m.ground, body)
    m.force("drag", tb.TorsionSpring("x", damping=10.0 * fast))
    m.sensor("place", tb.Position(body.at(0, 0, 0)))
    seen = kind(m.compile(), 1.0, {"place.x": 1.0}, {"x rate": 2.0}, {"x": 0.1}, substeps=int(fast))
    seen.step({})
    once, twice = -math.expm1(-fast) / fast, -math.expm1(-2 * fast) / (2 * fast)
    shared = (once - twice) / fast  # ∫ e^{−as} (1 − e^{−as})/a
    expected = [[0.1**2 + 4.0 * (1.0 - 2 * once + twice) / fast**2, 4.0 * shared],
                [4.0 * shared, 4.0 * twice]]  # fmt: skip
    assert seen.covariance == pytest.approx(np.array(expected), rel=1e-8)


def test_an_infinite_reading_is_refused_and_leaves_the_estimate_alone(oscillator) -> None:
    seen = observer(ExtendedKalman, oscillator)
    before = seen.state.q.copy(), seen.time
    with pytest.raises(InputError, match="'position': no sensor reads inf"):
        seen.step({"position": math.inf})
    assert seen.state.q == before[0] and seen.time == before[1]


def test_what_can_not_be_is_refused(oscillator) -> None:
    with pytest.raises(InputError, match="position"):
        ExtendedKalman(oscillator, T, {"positon": 1.0}, {}, {})
    with pytest.raises(InputError, match="no standard deviation"):
        ExtendedKalman(oscillator, T, {"position": 0.0}, {}, {})
    with pytest.raises(InputError, match="velocity or extra state"):
        ExtendedKalman(oscillator, T, {"position": 1.0}, {"x": 1.0}, {})
    with pytest.raises(InputError, match="period"):
        ExtendedKalman(oscillator, 0.0, {"position": 1.0}, {}, {})
    with pytest.raises(InputError, match="substeps"):
        ExtendedKalman(oscillator, T, {"position": 1.0}, {}, {}, substeps=0)
    with pytest.raises(InputError, match="standard deviations by name"):
        ExtendedKalman(oscillator, T, 1.0, {}, {})
    with pytest.raises(InputError, match="'x' is no standard deviation"):
        ExtendedKalman(oscillator, T, {"position": "x"}, {}, {})
    seen = observer(ExtendedKalman, oscillator)
    with pytest.raises(InputError, match="'position': real numbers"):
        seen.step({"position": "x"})
    with pytest.raises(InputError, match="readings: numbers by name"):
        seen.step([0.1])
    with pytest.raises(InputError, match="measured sensor"):
        seen.step({"speed": 1.0})
    with pytest.raises(InputError, match="estimated state"):
        seen.deviation("y")
