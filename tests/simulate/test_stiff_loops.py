"""Stiff closed mechanisms: the Jacobian that implicit methods get of them, and what it saves."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import touchback as tb
from closed_suite import CASES
from random_mechanisms import random_mechanism
from touchback.native import Constrained, Newton, Problem, Radau5, Status

RATES = ("partitioning", "multipliers", "baumgarte", "projection")
STIFFNESS = 1e7  # [N/m]
Made = tuple[Any, np.ndarray]


def problem_of(
    system: Any, formulation: str, derived: bool = True, sparse: bool | None = None
) -> tuple[Problem, Newton]:
    """A problem with Newton's method at hand: with the tape's Jacobian, or with differences."""
    enforced = Constrained(system.constrained_functions(), formulation, sparse=sparse)
    problem = enforced.problem(np.append(0.0, system.input_defaults), system.parameter_block())
    return problem, Newton(problem, *(system.rate_jacobian() if derived else ()))


def slopes(problem: Problem, t: float, x: np.ndarray) -> np.ndarray:
    """∂ẋ/∂x by central differences, twice extrapolated: of order 6."""

    def central(e: np.ndarray, h: float) -> np.ndarray:
        return np.asarray(problem.rate(t, x + h * e) - problem.rate(t, x - h * e)) / (2 * h)

    def column(e: np.ndarray) -> np.ndarray:
        a, b, c = (central(e, h) for h in (1e-3, 5e-4, 2.5e-4))
        return (64 * c - 20 * b + a) / 45

    return np.array([column(e) for e in np.eye(len(x))]).T


def random_loops(seed: int) -> Made:
    """A random tree, some with quaternions, closed by rods, with a state that pushes a joint."""
    kinds = ("revolute", "prismatic", "universal", "spherical", "cylindrical", "free")
    drawn = random_mechanism(seed, kinds, size=4)
    rng = np.random.default_rng(seed)
    tree = drawn.model().compile()
    q, v, _ = drawn.state(tree)
    m = drawn.model(live=True)
    bodies = ["ground", *m.bodies]
    for i in range(2):
        ends = [
            tb.Frame(bodies[k], tuple(map(float, rng.standard_normal(3))))
            for k in rng.permutation(len(bodies))[:2]
        ]
        gap = np.subtract(*(tree.pose(end, q)[1] for end in ends))
        m.close(f"rod {i}", tb.Rod(float(np.linalg.norm(gap))), *ends)
    pressure = m.state("pressure", 0.3)
    m.set_rate("pressure", 2.0 * m.rate("j3") - pressure * pressure)
    m.force("push", tb.Wrench(tb.Frame("b3"), force=(5.0 * pressure, 0, 0)))
    return m.compile(), np.concatenate([q, v, [0.3]])


def _bar(m: tb.Model, name: str, length: float, mass: float = 1.0) -> Any:
    moment = mass * length**2 / 12
    return m.body(name, mass, (length / 2, 0, 0), (0, moment, moment))


def _sprung(m: tb.Model, frame: Any, axis: str, mass: float) -> None:
    """A mass on a damped spring so stiff that it is all but rigid."""
    m.joint(
        "load", tb.Prismatic(axis), frame, m.body("load", mass),
        spring=STIFFNESS, damping=2.0 * np.sqrt(mass * STIFFNESS),
    )  # fmt: skip


def slider_crank() -> Made:
    m = tb.Model("slider-crank")
    crank, rod, slider = _bar(m, "crank", 0.1), _bar(m, "rod", 0.4, 0.5), m.body("slider", 0.8)
    m.joint("crank", tb.Revolute("y"), m.ground, crank)
    m.joint("rod", tb.Revolute("y"), crank.at(0.1, 0, 0), rod)
    m.joint("slider", tb.Prismatic("x"), m.ground, slider, position=[0.5])
    m.close("pin", tb.PointInPlane("xz"), rod.at(0.4, 0, 0), slider)
    _sprung(m, slider, "x", 0.3)
    system = m.compile()
    return system, system.assemble(crank=0.3, rates={"crank": 10.0}).x


def five_bars() -> Made:
    """Full hinges in a planar mechanism: seven of ten equations are redundant."""
    m = tb.Model("five bars")
    coupler = _bar(m, "coupler", 2.0)
    for i in range(3):
        crank = _bar(m, f"crank {i}", 1.0)
        m.joint(f"crank {i}", tb.Revolute("y"), m.ground.at(float(i), 0, 0), crank, position=[0.9])
        if i == 0:
            m.joint("coupler", tb.Revolute("y"), crank.at(1, 0, 0), coupler, position=[-0.9])
        else:
            m.close(f"pin {i}", tb.Revolute("y"), coupler.at(float(i), 0, 0), crank.at(1, 0, 0))
    _sprung(m, coupler.at(1, 0, 0), "z", 0.5)
    system = m.compile()
    return system, system.assemble(rates={"crank 0": 1.0}, **{"crank 0": 0.9}).x


def ball_and_rod() -> Made:
    """A free body, so with a quaternion."""
    m = tb.Model("body on a ball and a rod")
    body = m.body("body", 2.0, (0.1, 0.2, 0.3), (0.02, 0.03, 0.04))
    m.joint("joint", tb.Free(), m.ground, body)
    m.close("ball", tb.Spherical(), m.ground, body)
    m.close("rod", tb.Rod(0.8), m.ground.at(0.5, 0.6, -0.2), body.at(0.3, 0.1, 0.4))
    _sprung(m, body.at(0.3, 0, 0), "x", 0.4)
    system = m.compile()
    turned = {"joint.qx": 0.1, "joint.qy": 0.2, "joint.qz": 0.3}
    return system, system.assemble(rates={"joint.wx": 1.0}, guess=turned).x


STIFF: dict[str, Callable[[], Made]] = {
    "slider-crank": slider_crank,
    "redundant": five_bars,
    "quaternion": ball_and_rod,
}


def assert_slopes(system: Any, x0: np.ndarray, t: float, part: float, sparse: bool) -> None:
    """Of every formulation that is a rate, at a consistent state."""
    for formulation in RATES:
        problem, newton = problem_of(system, formulation, sparse=sparse)
        x = problem.settle(t, x0, accepted=True)
        expected = slopes(problem, t, x)
        size = max(1.0, np.abs(expected).max())
        got = newton.jacobian(t, x)
        np.testing.assert_allclose(got, expected, atol=part * size, err_msg=formulation)


@pytest.mark.parametrize("case", CASES)
def test_the_jacobian_is_the_derivative_of_the_rate(case: str) -> None:
    """Redundant, driven, servo, quaternions, velocities only, change points; few loops and many."""
    prepared = CASES[case]()
    x0 = np.array(getattr(prepared.x0, "x", prepared.x0))
    for sparse in (False,) if case == "servo" else (False, True):
        assert_slopes(prepared.system, x0, 0.3, 1e-9, sparse)


@pytest.mark.parametrize("seed", range(5))
def test_the_jacobian_of_random_loops_is_the_derivative_of_their_rate(seed: int) -> None:
    system, x0 = random_loops(seed)
    assert_slopes(system, system.consistent(x0)[0], 0.0, 1e-8, sparse=bool(seed % 2))


def taken(problem: Problem, x0: np.ndarray, duration: float, rtol: float) -> Radau5:
    run = Radau5(problem, x0, 0.0, duration, [], rtol=rtol, atol=1e-2 * rtol)
    while run.advance(10_000) == Status.PAUSED:
        pass
    assert run.status == Status.REACHED
    return run


@pytest.mark.parametrize("formulation", RATES)
@pytest.mark.parametrize("name", STIFF)
def test_stiff_loops_move_as_explicit_and_other_implicit_methods_say(
    name: str, formulation: str
) -> None:
    system, x0 = STIFF[name]()
    problem, newton = problem_of(system, formulation)
    run = taken(problem, x0, 0.1, 1e-9)
    for peer in ("dopri5", "Radau"):
        reference = tb.simulate(
            system, x0, 0.1, method=peer, rtol=1e-10, atol=1e-12, output_step=0.1, progress=False
        )
        end = [reference[name][-1] for name in system.state_names]
        np.testing.assert_allclose(run.x, end, atol=2e-7, err_msg=peer)
    problem, other = problem_of(system, formulation, derived=False)
    again = taken(problem, x0, 0.1, 1e-9)
    evaluations, by_differences = (
        each.statistics["evaluations"] + of.statistics["evaluations"]
        for each, of in ((run, newton), (again, other))
    )
    assert evaluations < by_differences
    assert newton.statistics["jacobians"] <= other.statistics["jacobians"]


@pytest.mark.parametrize("method", ["RK45", "BDF"])
@pytest.mark.parametrize("case", ["servo", "redundant, planar"])
def test_scipys_methods_record_loops_between_their_steps(case: str, method: str) -> None:
    prepared = CASES[case]()
    run = tb.simulate(prepared.system, prepared.x0, 0.5, method=method, progress=False)
    assert len(run.time) == 1001 > 10 * run.metadata["statistics"]["steps"]
    assert prepared.error(run) < 1e-6


@pytest.mark.parametrize("formulation", RATES)
def test_radau5_keeps_its_order_on_loops(formulation: str) -> None:
    """The error over the number of steps, from tolerance to tolerance."""
    case = CASES["quaternions"]()
    exact = taken(problem_of(case.system, "partitioning")[0], case.x0, 0.3, 1e-13).x
    coarse, fine = (
        taken(problem_of(case.system, formulation)[0], case.x0, 0.3, rtol) for rtol in (1e-5, 1e-10)
    )
    errors = [np.abs(run.x - exact).max() for run in (coarse, fine)]
    steps = [run.statistics["accepted"] for run in (coarse, fine)]
    assert np.log(errors[0] / errors[1]) / np.log(steps[1] / steps[0]) > 5.0


@pytest.mark.parametrize("formulation", RATES)
@pytest.mark.parametrize("name", STIFF)
def test_newtons_method_converges_quadratically(name: str, formulation: str) -> None:
    """One step of implicit Euler, with the Jacobian of each iterate."""
    system, x0 = STIFF[name]()
    problem, newton = problem_of(system, formulation)
    x0 = problem.settle(0.0, x0, accepted=True)
    x, h = x0.copy(), 0.02
    sizes = []
    for _ in range(6):
        rest = x0 + h * problem.rate(h, x) - x
        step = np.linalg.solve(np.eye(len(x)) - h * newton.jacobian(h, x), rest)
        x += step
        sizes.append(float(np.abs(step).max()))
    near = [k for k in range(5) if sizes[k] < 1e-2]
    assert near and near[0] < 3
    for k in near:
        assert sizes[k + 1] < 0.1 * sizes[k] ** 2 + 1e-14
